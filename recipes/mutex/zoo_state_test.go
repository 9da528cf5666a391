package mutex_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

var worldACL = zk.WorldACL(zk.PermAll)

// refusedBy: a Lock ends with that error, says what, and leaves nothing.
func (r *zooRig) refusedBy(m *mutex.Mutex, is error, says ...string) {
	r.t.Helper()
	before := r.children()
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	_, err := m.Lock(ctx)
	require.ErrorIs(r.t, err, is)
	for _, s := range append(says, m.Name()) {
		require.ErrorContains(r.t, err, s)
	}
	eventually(r.t, "nothing of it is left", func() bool { return len(r.children()) == len(before) })
}

func TestZooForeignChildInFrontIsAConflictThatNamesIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"0", "lock-", "block-0000000000", "!"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			r.plant("", zk.FlagPersistent, worldACL)
			r.plant("counts", zk.FlagPersistent, worldACL) // so that ours has not the digits 0
			r.plant(name, zk.FlagPersistent, worldACL)
			r.refusedBy(r.straight(), recipes.ErrConflict, `"`+name+`"`)
		})
	}
}

func TestZooNodesOfAnotherKindOfLockAreAConflict(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	r.plant("_c_5b76960a-6fd3-4581-9880-fff5953b3dc6-__WRIT__", zk.FlagEphemeral|zk.FlagSequence, worldACL)
	m := r.straight()
	r.refusedBy(m, recipes.ErrConflict, "__WRIT__")
	_, err := m.Inspect(t.Context())
	require.ErrorIs(t, err, recipes.ErrConflict)
}

func TestZooForeignChildBehindIsIgnored(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	for _, name := range []string{"locks", "leases", "9999999999", "zz", "lock-x", "[host]-W-0000000000"} {
		r.plant(name, zk.FlagPersistent, worldACL)
	}
	m := r.straight()
	h := lockIn(t, m, time.Second)
	st, err := m.Inspect(t.Context())
	require.NoError(t, err)
	require.Len(t, st.Holders, 1)
	require.Empty(t, st.Waiters)
	release(t, h)
	require.Len(t, r.children(), 6)
}

func TestZooTwoLayoutsOnOnePathAreAConflictBothWays(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	line, single := r.straight(), r.straight(mutex.SingleNode())
	h := lockIn(t, line, patience)
	r.refusedBy(single, recipes.ErrConflict, h.Owner())
	release(t, h)
	h = lockIn(t, single, patience)
	r.refusedBy(line, recipes.ErrConflict, `"lock"`)
	release(t, h)
}

// Contenders of other clients: Curator's without protection, go-zookeeper's own.
func TestZooContendersOfAnyKnownFormStandInTheLine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lock-", "_c_5b76960a6fd345819880fff5953b3dc6-lock-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			r.plant("", zk.FlagPersistent, worldACL)
			node := r.plant(name, zk.FlagEphemeral|zk.FlagSequence, worldACL)
			got := make(chan *recipes.Hold, 1)
			r.waiting(t.Context(), r.straight(), 1, got)
			require.NoError(t, r.oracle.Delete(node, -1))
			release(t, <-got)
		})
	}
}

// BL-96: the one in front goes between the list and the watch, or one in the
// middle goes.
func TestZooBL96DeathInTheMiddleLetsNobodyInEarly(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	front := lockIn(t, r.straight(), patience)
	got := make(chan *recipes.Hold, 3)
	for range 3 {
		r.waiting(t.Context(), r.straight(), 1, got)
	}
	places := r.children()
	require.NoError(t, r.oracle.Delete(r.path+"/"+places[2], -1)) // its claim queues anew, at the end
	eventually(t, "it stands in line again", func() bool {
		now := r.children()
		return len(now) == 4 && now[2] == places[3]
	})
	require.Empty(t, got)
	places = r.children()
	release(t, front)
	for i := range 3 {
		h := <-got
		require.Equal(t, places[i+1], h.Owner())
		release(t, h)
	}
}

func TestZooPredecessorThatCannotBeReadIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	node := r.plant("lock-", zk.FlagEphemeral|zk.FlagSequence, []zk.ACL{{Perms: zk.PermWrite, Scheme: "world", ID: "anyone"}})
	r.refusedBy(r.straight(), recipes.ErrUnavailable, node[strings.LastIndexByte(node, '/')+1:], "not authenticated")
}

func TestZooRightsThatAreMissingAreClearErrorsAndLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, perms := range map[string]int32{
		"no create": zk.PermAll &^ zk.PermCreate,
		"no read":   zk.PermAll &^ zk.PermRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			r.plant("", zk.FlagPersistent, zk.WorldACL(perms))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := r.straight().Lock(ctx)
			require.ErrorIs(t, err, recipes.ErrUnavailable)
			require.ErrorContains(t, err, "not authenticated")
			require.ErrorContains(t, err, r.path)
			_, err = r.oracle.SetACL(r.path, worldACL, -1)
			require.NoError(t, err)
			r.free(slack)
		})
	}
	t.Run("no delete", func(t *testing.T) {
		t.Parallel()
		r := newZooRig(t)
		r.plant("", zk.FlagPersistent, zk.WorldACL(zk.PermAll&^zk.PermDelete))
		h := lockIn(t, r.straight(), time.Second)
		err := h.Release(t.Context())
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.NotErrorIs(t, err, recipes.ErrUnknown)
		require.ErrorContains(t, err, "stays until the session ends")
		require.Equal(t, []string{h.Owner()}, r.children())
	})
	t.Run("an access list without the identity", func(t *testing.T) {
		t.Parallel()
		r := newZooRig(t)
		c := r.client(zkcore.WithACL(zkcore.ACL{Perms: 31, Scheme: "auth"}))
		r.refusedBy(mutex.NewZooKeeper(c, r.path), recipes.ErrInvalid, "access list")
	})
	t.Run("an ephemeral node on the path", func(t *testing.T) {
		t.Parallel()
		r := newZooRig(t)
		r.plant("", zk.FlagEphemeral, worldACL)
		_, err := mutex.NewZooKeeper(r.client(), r.path+"/deeper").Lock(t.Context())
		require.ErrorIs(t, err, recipes.ErrConflict)
		require.ErrorContains(t, err, "ephemeral")
	})
	t.Run("a scheme that the server does not know", func(t *testing.T) {
		t.Parallel()
		r := newZooRig(t)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := gozk.Connect(ctx, []string{r.server.Addr()}, zkcore.WithAuth("nonsense", []byte("x")))
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.ErrorContains(t, err, `"nonsense"`)
		require.NoError(t, ctx.Err(), "at once")
	})
}

// BL-111: every node we made has the access list, those that existed are left
// alone.
func TestZooBL111EveryNodeHasTheAccessList(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	list := zkcore.ACL{Perms: 31, Scheme: "auth"}
	auth := zkcore.WithAuth("digest", []byte("app:secret"))
	m := mutex.NewZooKeeper(r.client(zkcore.WithACL(list), auth), r.path+"/a/b/lock")
	h := lockIn(t, m, time.Second)
	// The identity is proved again on every connection.
	other := mutex.NewZooKeeper(r.client(zkcore.WithDialer(r.tap.dial), zkcore.WithACL(list), auth), r.path+"/a/b/lock")
	r.tap.cut(false)
	_, err := other.TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrNotAcquired)

	require.NoError(t, r.oracle.AddAuth("digest", []byte("app:secret")))
	want := zk.DigestACL(zk.PermAll, "app", "secret")
	for _, path := range []string{"/a", "/a/b", "/a/b/lock", "/a/b/lock/" + h.Owner()} {
		got, _, err := r.oracle.GetACL(r.path + path)
		require.NoError(t, err)
		require.Equal(t, want, got, path)
	}
	got, _, err := r.oracle.GetACL(r.path)
	require.NoError(t, err)
	require.Equal(t, worldACL, got)
	release(t, h)

	stranger := mutex.NewZooKeeper(r.client(), r.path+"/a/b/lock")
	_, err = stranger.Lock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorContains(t, err, "not authenticated")
}

func TestZooNamespaceGoesInFrontOfThePath(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client(zkcore.WithNamespace(r.path + "/app/"))
	m := mutex.NewZooKeeper(c, "/locks/orders")
	h := lockIn(t, m, time.Second)
	require.Equal(t, "/locks/orders", h.Name())
	there, stat, err := r.oracle.Exists(r.path + "/app/locks/orders/" + h.Owner())
	require.NoError(t, err)
	require.True(t, there)
	fence, ok := h.Fence()
	require.True(t, ok)
	require.Equal(t, stat.Czxid, fence, "the fence is the czxid of the own node")
	release(t, h)
}

func TestZooBadPathsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client(zkcore.WithDialer(r.tap.dial))
	r.tap.reset()
	for _, path := range []string{"", "orders", "/", "/a/", "/a//b", "/a/../b", "/zookeeper/x", "/a\x00", "/a/lock-0000000000", "/" + strings.Repeat("x", 2000)} {
		m := mutex.NewZooKeeper(c, path)
		for _, call := range []func() error{
			func() error { _, err := m.Lock(t.Context()); return err },
			func() error { _, err := m.TryLock(t.Context()); return err },
			func() error { _, err := m.Inspect(t.Context()); return err },
			func() error { return m.ForceRelease(t.Context(), recipes.Holder{ID: "x"}) },
		} {
			require.ErrorIs(t, call(), recipes.ErrInvalid, "%q", path)
		}
	}
	require.Zero(t, r.tap.count("create")+r.tap.count("list")+r.tap.count("get"))
}

func TestZooBadSettingsAreRefusedByConnect(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]zkcore.Option{
		"WithSessionTimeout": zkcore.WithSessionTimeout(time.Millisecond),
		"WithACL":            zkcore.WithACL(),
		"WithAuth":           zkcore.WithAuth("", nil),
		"WithDialer":         zkcore.WithDialer(nil),
		"WithRetry":          zkcore.WithRetry(0, 0, 0),
		"WithNamespace":      zkcore.WithNamespace("/a/../b"),
		"WithReleaseBudget":  zkcore.WithReleaseBudget(0),
		"WithClockRate":      zkcore.WithClockRate(2),
		"WithLogger":         zkcore.WithLogger(nil),
		"WithObserver":       zkcore.WithObserver(nil),
	} {
		_, err := gozk.Connect(t.Context(), []string{"127.0.0.1:1"}, opt)
		require.ErrorIs(t, err, recipes.ErrInvalid, name)
		require.ErrorContains(t, err, name)
	}
	for _, servers := range [][]string{nil, {""}, {"host:1/chroot"}, {"a:1,b:2"}} {
		_, err := gozk.Connect(t.Context(), servers)
		require.ErrorIs(t, err, recipes.ErrInvalid, "%q", servers)
	}
}

func TestZooConnectSaysWhyThereIsNoSession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := gozk.Connect(ctx, []string{"127.0.0.1:1"})
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.ErrorContains(t, err, "refused")
}
