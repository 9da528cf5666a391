package faultproxy

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

type noLog struct{}

func (noLog) Printf(string, ...any) {}

// zooClient is a client of an address that has a session.
func zooClient(t *testing.T, addr string, session time.Duration) *zk.Conn {
	t.Helper()
	c := zooDial(t, addr, session)
	eventually(t, func() bool { return c.State() == zk.StateHasSession })
	return c
}

func zooDial(t *testing.T, addr string, session time.Duration) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect([]string{addr}, session, zk.WithLogger(noLog{}), zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

const longSession = 20 * time.Second

// zooBefore returns a proxy in front of the shared server, a client through it,
// one beside it, and a node of this test, which runs in parallel.
func zooBefore(t *testing.T) (p *Proxy, c, admin *zk.Conn, path string) {
	t.Helper()
	t.Parallel() // behind the tests of Redis, which have their server to themselves
	s := stores.SharedZooKeeper(t)
	p = NewZooKeeper(t, s.Addr())
	admin = zooClient(t, s.Addr(), longSession)
	path = "/" + strings.ReplaceAll(t.Name(), "/", "_")
	path, err := admin.Create(path, nil, zk.FlagSequence, zk.WorldACL(zk.PermAll)) // a repeated test has its own
	require.NoError(t, err)
	c = zooClient(t, p.Addr(), longSession)
	// The driver's own requests at the start of a session are over.
	_, _, err = c.Exists(path)
	require.NoError(t, err)
	p.Reset()
	return p, c, admin, path
}

func exists(t *testing.T, c *zk.Conn, path string) bool {
	t.Helper()
	yes, _, err := c.Exists(path)
	require.NoError(t, err)
	return yes
}

// later runs f beside the test; its error comes from the channel.
func later(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

func result(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		require.FailNow(t, "the call never returned")
		return nil
	}
}

func openCall(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		require.FailNow(t, "the call returned", "%v", err)
	case <-time.After(glance):
	}
}

func createIn(c *zk.Conn, path string) func() error {
	return func() error {
		_, err := c.Create(path, []byte("data"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		return err
	}
}

func TestZooConnectionIsTransparent(t *testing.T) {
	p, c, _, path := zooBefore(t)
	big := make([]byte, 900_000)
	_, err := c.Create(path+"/big", big, 0, zk.WorldACL(zk.PermAll))
	require.NoError(t, err)
	data, _, err := c.Get(path + "/big")
	require.NoError(t, err)
	require.Equal(t, big, data)
	errs := make(chan error, 200)
	for range 200 {
		go func() { errs <- createIn(c, path+"/big-not-a-directory/x")() }()
	}
	for range 200 {
		require.ErrorIs(t, <-errs, zk.ErrNoNode)
	}
	require.Zero(t, p.Stats().Malformed)
	require.Equal(t, 202, p.Count(Not(SessionTalk())))
}

func TestZooRequestsAreReadAsTheClientMeantThem(t *testing.T) {
	p, c, _, path := zooBefore(t)
	acl := zk.WorldACL(zk.PermAll)
	a := path + "/a"
	run := func(call func() error, want ZooOp) {
		t.Helper()
		p.Reset()
		_ = call() // whether it succeeds is the server's business
		list := p.Commands()
		require.Len(t, list, 1)
		require.Equal(t, want, list[0].Zoo.ZooOp)
		require.Equal(t, []string{want.Name, want.Path}, list[0].Args)
		require.Equal(t, want.Name, list[0].Name)
	}
	run(func() error { _, err := c.Create(a, []byte("x"), zk.FlagEphemeralSequential, acl); return err },
		ZooOp{Name: "create", Path: a, Flags: 3})
	run(func() error { _, err := c.CreateContainer(a, nil, zk.FlagContainer, acl); return err },
		ZooOp{Name: "createContainer", Path: a, Flags: 4})
	run(func() error { _, err := c.CreateTTL(a, nil, zk.FlagTTL, acl, time.Hour); return err },
		ZooOp{Name: "createTTL", Path: a, Flags: 5})
	run(func() error { return c.Delete(a, 7) }, ZooOp{Name: "delete", Path: a, Version: 7})
	run(func() error { _, err := c.Set(a, nil, -1); return err }, ZooOp{Name: "setData", Path: a, Version: -1})
	run(func() error { _, _, err := c.Exists(a); return err }, ZooOp{Name: "exists", Path: a})
	run(func() error { _, _, _, err := c.ExistsW(a); return err }, ZooOp{Name: "exists", Path: a, Watch: true})
	run(func() error { _, _, err := c.Get(a); return err }, ZooOp{Name: "getData", Path: a})
	run(func() error { _, _, _, err := c.GetW(a); return err }, ZooOp{Name: "getData", Path: a, Watch: true})
	run(func() error { _, _, err := c.Children(path); return err }, ZooOp{Name: "getChildren2", Path: path})
	run(func() error { _, _, _, err := c.ChildrenW(path); return err },
		ZooOp{Name: "getChildren2", Path: path, Watch: true})
	run(func() error { _, err := c.Sync(path); return err }, ZooOp{Name: "sync", Path: path})
	run(func() error { _, _, err := c.GetACL(a); return err }, ZooOp{Name: "getACL", Path: a})
	run(func() error { _, err := c.SetACL(a, acl, 3); return err }, ZooOp{Name: "setACL", Path: a, Version: 3})
	require.Zero(t, p.Stats().Malformed)
}

func TestZooMultiIsReadWithItsOperations(t *testing.T) {
	p, c, _, path := zooBefore(t)
	_, err := c.Multi(
		&zk.CheckVersionRequest{Path: path, Version: -1},
		&zk.CreateRequest{Path: path + "/a", Data: []byte("x"), Acl: zk.WorldACL(zk.PermAll), Flags: zk.FlagEphemeral},
		&zk.SetDataRequest{Path: path + "/a", Data: nil, Version: 0},
		&zk.DeleteRequest{Path: path + "/a", Version: -1},
	)
	require.NoError(t, err)
	cmd := p.Commands()[0]
	require.Equal(t, "multi", cmd.Name)
	require.Equal(t, []ZooOp{
		{Name: "check", Path: path, Version: -1},
		{Name: "create", Path: path + "/a", Flags: 1},
		{Name: "setData", Path: path + "/a"},
		{Name: "delete", Path: path + "/a", Version: -1},
	}, cmd.Zoo.Ops)
	require.Equal(t, []string{path, path + "/a", path + "/a", path + "/a"}, cmd.Keys())
	for _, m := range []Match{
		Op("multi"), Op("CREATE"), Named("multi"), Writes(), Under(path + "/a"), Touching("/a"), Where(ZooOp.Ephemeral),
	} {
		require.Equal(t, 1, p.Count(m))
	}
	for _, m := range []Match{
		Op("getData"), Named("create"), Reads(), Under(path + "/b"), Watching(), Where(ZooOp.Sequential), SessionTalk(),
	} {
		require.Zero(t, p.Count(m))
	}
}

func TestZooOperatorsCommandPasses(t *testing.T) {
	s := stores.SharedZooKeeper(t)
	p := NewZooKeeper(t, s.Addr())
	c := dial(t, p)
	c.send("srvr")
	c.receives("Zookeeper version:")
	require.Equal(t, []string{"srvr"}, p.Commands()[0].Args)
	require.Zero(t, p.Stats().Malformed)
}
