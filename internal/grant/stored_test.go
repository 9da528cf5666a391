package grant_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// What a user is told as the latest end of an unanswered release must not come
// before the store's: a renewal without an answer, or a shorter lease that was
// not confirmed, may have left the longer one.
func TestTheStoreMayKeepWhatItWasAskedForLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := grant.Now()
		g := grant.New(grant.Start{
			Policy: grant.Policy{Lease: 30 * time.Second}, Sent: now, Until: now.Add(28 * time.Second),
		})
		require.InDelta(t, 30, g.StoredFor().Seconds(), 0.1)
		time.Sleep(20 * time.Second)
		require.InDelta(t, 10, g.StoredFor().Seconds(), 0.1)
		g.NotRenewed(false, errors.New("refused"))
		require.InDelta(t, 10, g.StoredFor().Seconds(), 0.1, "a refusal lengthens nothing")
		g.NotRenewed(true, errors.New("silence"))
		require.InDelta(t, 30, g.StoredFor().Seconds(), 0.1)
		g.Shorten(grant.Now().Add(time.Second))
		require.InDelta(t, 30, g.StoredFor().Seconds(), 0.1)
		g.MayLast(time.Minute)
		require.InDelta(t, 60, g.StoredFor().Seconds(), 0.1)
	})
}
