package stores

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// newClient is a plain client: it says nothing of itself to the server,
// subscribes to nothing, and returns when ctx ends. So what a test sees in the
// server is what the code under test did.
func newClient(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr:                     addr,
		Protocol:                 2,
		PoolSize:                 2,
		DisableIdentity:          true,
		ContextTimeoutEnabled:    true,
		DialTimeout:              time.Second,
		DialerRetries:            1,
		MaxRetries:               -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// Client is a client for the test's own look at the server, closed with the
// test. It does not retry.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	c := newClient(s.Addr())
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("stores: close client of %s: %v", s.Addr(), err)
		}
	})
	return c
}

// FlushAll empties the server, scripts included.
func (s *Server) FlushAll(t testing.TB) {
	t.Helper()
	err := s.do(func(c *redis.Client) error {
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			return err
		}
		return c.ScriptFlush(t.Context()).Err()
	})
	if err != nil {
		t.Fatalf("stores: flush %s: %v", s.Addr(), err)
	}
}

// do lends f a client for the launcher's own errands.
func (s *Server) do(f func(*redis.Client) error) error {
	c := newClient(s.Addr())
	defer c.Close() // nothing of ours is lost with it
	return f(c)
}
