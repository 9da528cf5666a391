package mutex_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// as is a client of a user that may do everything but some commands.
func (r *rig) as(t *testing.T, user string, forbidden ...any) *mutex.Mutex {
	t.Helper()
	rules := append([]any{"ACL", "SETUSER", user, "reset", "on", ">pw", "~*", "&*", "+@all"}, forbidden...)
	require.NoError(t, r.oracle.Do(t.Context(), rules...).Err())
	rdb := redis.NewClient(&redis.Options{Addr: r.server.Addr(), Username: user, Password: "pw"})
	return mutex.NewRedis(clientOf(t, rdb, withLease(3*time.Second), observing(r.events)), r.name)
}

// A right that is missing is an error that names it: no half-made lock, no
// false loss.
func TestMissingRightIsAnErrorAndNoLoss(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	for _, right := range []string{"pexpire", "hset", "exists"} {
		_, err := r.as(t, "no_"+right, "-"+right).Lock(t.Context())
		require.ErrorIs(t, err, recipes.ErrUnavailable, right)
		require.ErrorContains(t, err, "can't run this command", right)
		r.free(slack)
	}
	m := r.as(t, "late")
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.oracle.Do(t.Context(), "ACL", "SETUSER", "late", "-hexists", "-hget").Err())
	err = h.Extend(t.Context(), 0)
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.NoError(t, h.Err())
	require.NoError(t, r.oracle.Do(t.Context(), "ACL", "SETUSER", "late", "+hexists", "+hget").Err())
	require.NoError(t, h.Extend(t.Context(), 0))
	release(t, h)
}

// Without the right to delete the old owner's field a hand-over becomes a
// release, and nobody is told of a loss.
func TestHandOverWithoutARightBecomesARelease(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	m := r.as(t, "no_hdel", "-hdel")
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	got := make(chan *recipes.Hold, 1)
	end := r.wait(t.Context(), m, got)
	release(t, h)
	require.NoError(t, end())
	next := <-got
	require.Equal(t, map[string]string{next.Owner(): "1"}, r.levels())
	release(t, next)
	require.Empty(t, r.levels())
}

func TestReleaseNeedsNoRightToPublish(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	m := r.as(t, "mute", "-publish", "-spublish", "-subscribe")
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	got := make(chan *recipes.Hold, 1)
	end := r.wait(t.Context(), r.straight(), got)
	release(t, h)
	require.NoError(t, end())
	release(t, <-got)
}

// A server that refuses connections for a moment is used again as soon as it is
// back, also by a hold of a short lease.
func TestShortRestartDoesNotCostAShortHold(t *testing.T) {
	t.Parallel()
	server := stores.Single(t, stores.WithConfig("appendonly yes", "appendfsync always"))
	r := rigOn(t, server)
	m := r.straight(withLease(2 * time.Second))
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Kill())
	_, err = m.TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.NoError(t, server.Start(t.Context()))
	pass(4 * time.Second)
	require.NoError(t, h.Err())
	release(t, h)
}
