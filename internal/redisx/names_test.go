package redisx

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// TestHelpersAreNamedAsRedissonNamesThem: one brace anywhere and the name is
// used as it is.
func TestHelpersAreNamedAsRedissonNamesThem(t *testing.T) {
	for name, want := range map[string][2]string{
		"orders":   {"p:{orders}", "{orders}:s"},
		"a b:c":    {"p:{a b:c}", "{a b:c}:s"},
		"x{y}z:w":  {"p:x{y}z:w", "x{y}z:w:s"},
		"a{b":      {"p:a{b", "a{b:s"},
		"{}q":      {"p:{}q", "{}q:s"},
		"x}y":      {"p:{x}y}", "{x}y}:s"},
		"naïve:日本": {"p:{naïve:日本}", "{naïve:日本}:s"},
	} {
		require.Equal(t, want[0], prefixed("p", name))
		require.Equal(t, want[1], suffixed(name, "s"))
	}
}

func TestNamesThatNoKeyCanHave(t *testing.T) {
	long := strings.Repeat("n", longestName)
	for _, c := range []struct{ name, namespace, says string }{
		{"orders", "", ""},
		{"orders", "app:", ""},
		{long, "", ""},
		{" ", "", ""},
		{"", "", "empty"},
		{"", "app:", "empty"},
		{"a\x00b", "", "NUL"},
		{"a", "n\x00s", "NUL"},
		{long + "n", "", "1025 bytes"},
		{long, "app:", "1028 bytes"},
	} {
		bad := badName(c.name, c.namespace+c.name)
		if c.says == "" {
			require.Empty(t, bad, "%.20q", c.name)
		} else {
			require.Contains(t, bad, c.says)
		}
	}
}

// apart are names whose helpers a cluster puts elsewhere.
var apart = map[string]bool{
	"a": false, "{a}": false, "x{y}z": false, "a:b": false, "a b": false, "ключ": false, "x{y}z}": false,
	"x}y": true, "{}a": true, "{": true, "}": true, "a{b": true, "{}{b}": true, "}{": true,
}

func TestNamesWhoseHelpersFallElsewhere(t *testing.T) {
	for name, bad := range apart {
		l := &Lock{Core: nil, Recipe: &Recipe{Channel: "redisson_lock__channel", Token: "redisson_lock_token"}, Fenced: true, key: name}
		said := badSlots(name, l.keys("f47ac10b-58cc-4372-a567-0e02b2c3d479:1")[1:]...)
		require.Equal(t, bad, said != "", "%q: %s", name, said)
	}
}

// conn is a connection that nothing may be sent over.
type conn struct {
	t     *testing.T
	shape rediscore.Shape
	asked int
}

func (c *conn) Node(string) string { return "" }

func (c *conn) Do(_ context.Context, _ string, cmds ...rediscore.Cmd) ([]rediscore.Reply, error) {
	c.t.Errorf("sent: %v", cmds)
	return nil, &rediscore.SendError{Err: context.Canceled}
}

func (c *conn) Listen(context.Context, string, bool) (rediscore.Stream, error) {
	c.t.Error("a connection for signals was opened")
	return nil, context.Canceled
}

func (c *conn) Shape(context.Context) (rediscore.Shape, error) {
	c.asked++
	return c.shape, nil
}

func (c *conn) Interrupt() {}

func (c *conn) Close() error { return nil }

func newSilent(t *testing.T, shape rediscore.Shape, opts ...rediscore.Option) (*conn, *Core) {
	t.Helper()
	x := &conn{t: t, shape: shape}
	client, err := rediscore.New(x, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close(context.Background())) })
	return x, Of(client)
}

// refusedUnsent: every way to use the lock is invalid, and nothing is sent.
func refusedUnsent(t *testing.T, l *Lock, opts ...recipes.LockOption) {
	t.Helper()
	for _, try := range []bool{false, true} {
		h, err := l.Take(t.Context(), "lock", try, opts)
		require.Nil(t, h)
		require.ErrorIs(t, err, recipes.ErrInvalid)
		require.ErrorContains(t, err, "lock "+grant.Quote(l.Name))
	}
}

func TestBadNamesAreRefusedBeforeAnythingIsSent(t *testing.T) {
	x, core := newSilent(t, rediscore.Shape{})
	for _, name := range []string{"", "a\x00b", strings.Repeat("n", 1025)} {
		l := NewLock(core, &Recipe{Channel: "c", Token: "t"}, name, true)
		refusedUnsent(t, l)
		_, err := l.Inspect(t.Context())
		require.ErrorIs(t, err, recipes.ErrInvalid)
		require.ErrorIs(t, l.ForceRelease(t.Context(), recipes.Holder{ID: "a:1"}), recipes.ErrInvalid)
	}
	require.Zero(t, x.asked, "not even what the deployment is")
}

func TestBadOptionsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	x, core := newSilent(t, rediscore.Shape{})
	l := NewLock(core, &Recipe{Channel: "c"}, "orders", false)
	refusedUnsent(t, l, recipes.WithLease(0))
	refusedUnsent(t, l, recipes.WithLease(99*time.Millisecond))
	refusedUnsent(t, l, recipes.WithLease(1<<63-1))
	refusedUnsent(t, l, recipes.WithMaxHold(-1))
	refusedUnsent(t, l, recipes.WithMaxHold(time.Second), recipes.WithLease(time.Second))
	require.Zero(t, x.asked)
}

func TestClusterNamesAreRefusedBeforeAnythingIsSent(t *testing.T) {
	x, core := newSilent(t, rediscore.Shape{Cluster: true, Sharded: true})
	for name, bad := range apart {
		if bad {
			l := NewLock(core, &Recipe{Channel: "c", Token: "t"}, name, true)
			refusedUnsent(t, l)
			_, err := l.Inspect(t.Context())
			require.ErrorIs(t, err, recipes.ErrInvalid)
			require.ErrorIs(t, l.ForceRelease(t.Context(), recipes.Holder{ID: "a:1"}), recipes.ErrInvalid)
		}
	}
	require.Equal(t, 1, x.asked, "what the deployment is, once")
}

func TestTheNamespaceIsPartOfTheKeyNotOfTheName(t *testing.T) {
	_, core := newSilent(t, rediscore.Shape{}, rediscore.WithNamespace("app:"))
	l := NewLock(core, &Recipe{Channel: "c", Token: "t"}, "orders", true)
	require.Equal(t, "orders", l.Name)
	require.Equal(t, []string{"app:orders", "{app:orders}:o:1:undone", "c:{app:orders}", "t:{app:orders}"}, l.keys("o:1"))
}
