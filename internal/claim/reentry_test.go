package claim_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// counting is a store that notes the levels it is asked to count.
type counting struct{ asked []int }

func (s *counting) Reenter(_ context.Context, want grant.Count) error {
	s.asked = append(s.asked, want.Total())
	return nil
}

func (s *counting) Release(_ context.Context, left grant.Count) error {
	s.asked = append(s.asked, left.Total())
	return nil
}

func (s *counting) Extend(context.Context, time.Duration) error { return nil }
func (s *counting) Lost()                                       {}
func (s *counting) Discard()                                    {}
func (s *counting) Settle(*grant.Grant, grant.Count)            {}

// A request for one level would take the lock anew, once the store has let go.
func TestReentryWhoseTurnComesAfterTheLastReleaseAsksForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &counting{}
		g := grant.New(grant.Start{Name: "orders", Store: store, Sent: grant.Now()})
		outer, err := g.Open(nil, grant.Options{})
		require.NoError(t, err)
		require.NoError(t, g.Turn(t.Context())) // another call is on its way
		entered, released := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := claim.Run(t.Context(), claim.Env{Verb: "lock", Name: "orders"},
				claim.NewReentry(outer, grant.Options{}), grant.Options{}, false)
			entered <- err
		}()
		synctest.Wait()
		go func() { released <- outer.Release(t.Context(), time.Second) }()
		synctest.Wait()
		g.Done()
		require.ErrorIs(t, <-entered, recipes.ErrNotHeld)
		require.NoError(t, <-released)
		require.Equal(t, []int{0}, store.asked)
	})
}
