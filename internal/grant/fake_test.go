package grant_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// notes are what a grant has asked of its store.
type notes struct {
	released []int
	extended []time.Duration
	settled  []int
	lost     int
	discards int
}

// fakeStore takes notes, and agrees.
type fakeStore struct {
	mu   sync.Mutex
	said notes
}

func (s *fakeStore) note(f func(n *notes)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.said)
}

// seen is a copy.
func (s *fakeStore) seen() (n notes) {
	s.note(func(said *notes) {
		n = *said
		n.released = slices.Clone(said.released)
		n.extended = slices.Clone(said.extended)
		n.settled = slices.Clone(said.settled)
	})
	return n
}

func (s *fakeStore) Reenter(context.Context, grant.Count) error { return nil }

func (s *fakeStore) Release(_ context.Context, left grant.Count) error {
	s.note(func(n *notes) { n.released = append(n.released, left.Total()) })
	return nil
}

func (s *fakeStore) Extend(_ context.Context, lease time.Duration) error {
	s.note(func(n *notes) { n.extended = append(n.extended, lease) })
	return nil
}

func (s *fakeStore) Lost()    { s.note(func(n *notes) { n.lost++ }) }
func (s *fakeStore) Discard() { s.note(func(n *notes) { n.discards++ }) }

func (s *fakeStore) Settle(_ *grant.Grant, left grant.Count) {
	s.note(func(n *notes) { n.settled = append(n.settled, left.Total()) })
}

// keeping is a keeper that notes what is due.
type keeping struct {
	grant.Keeper
	mu     sync.Mutex
	due    [][]grant.Due
	events []grant.Event
}

func newKeeper(t *testing.T) *keeping {
	k := &keeping{}
	t.Cleanup(k.Stop)
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
	return slices.Clone(k.due)
}

func (k *keeping) say(e grant.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
}

func (k *keeping) kinds() (out []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
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
		Emit: k.say,
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
