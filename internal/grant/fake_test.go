package grant_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// fakeStore notes what a grant asks of its store, and answers with err.
type fakeStore struct {
	mu       sync.Mutex
	err      error
	released []int
	extended []time.Duration
	lost     int
	discards int
	settled  []int
	answer   func() // of an Extend, before it returns
}

func (s *fakeStore) Reenter(context.Context, int) error { return s.err }

func (s *fakeStore) Release(_ context.Context, left int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released = append(s.released, left)
	return s.err
}

func (s *fakeStore) Extend(_ context.Context, lease time.Duration) error {
	s.extended = append(s.extended, lease)
	if s.answer != nil {
		s.answer()
	}
	return s.err
}

func (s *fakeStore) Lost()    { s.lost++ }
func (s *fakeStore) Discard() { s.discards++ }

func (s *fakeStore) Settle(_ *grant.Grant, left int) { s.settled = append(s.settled, left) }

// keeping is a keeper that notes what is due.
type keeping struct {
	grant.Keeper
	mu     sync.Mutex
	due    [][]grant.Due
	events []grant.Event
}

func newKeeper() *keeping {
	k := &keeping{}
	k.Renew = func(due []grant.Due) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.due = append(k.due, due)
	}
	return k
}

func (k *keeping) batches() [][]grant.Due {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.due
}

func (k *keeping) kinds() (out []string) {
	for _, e := range k.events {
		out = append(out, e.Kind)
	}
	return out
}

// grant is a leased grant that is valid for all of its lease.
func (k *keeping) grant(lease time.Duration) (*grant.Grant, *fakeStore) {
	return k.start(grant.Policy{Lease: lease}, lease)
}

func (k *keeping) start(p grant.Policy, validity time.Duration) (*grant.Grant, *fakeStore) {
	s, now := &fakeStore{}, grant.Now()
	start := grant.Start{
		ID: grant.ID{Core: k, Name: "orders", Family: "test"}, Name: "orders", Owner: "o:1",
		Store: s, Keeper: &k.Keeper, Policy: p, Sent: now,
		Emit: func(e grant.Event) { k.events = append(k.events, e) },
	}
	if validity > 0 {
		start.Until = now.Add(validity)
	}
	return grant.New(start), s
}

func open(t *testing.T, g *grant.Grant, parent *grant.Level, o grant.Options) *grant.Level {
	t.Helper()
	l, err := g.Open(parent, o)
	require.NoError(t, err)
	return l
}

func lost(t *testing.T, err error, why recipes.Reason) {
	t.Helper()
	require.ErrorIs(t, err, recipes.ErrLost)
	require.ErrorIs(t, err, recipes.ErrNotHeld)
	var l *recipes.LostError
	require.ErrorAs(t, err, &l)
	require.Equal(t, why, l.Reason)
	require.Equal(t, "orders", l.Name)
	require.ErrorContains(t, err, `"orders"`)
}

func released(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, recipes.ErrNotHeld)
	require.NotErrorIs(t, err, recipes.ErrLost)
	require.ErrorContains(t, err, `"orders"`)
}
