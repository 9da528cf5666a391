package stores_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

var anyone = zk.WorldACL(zk.PermAll)

func makeNode(t *testing.T, c *zk.Conn, path string, flags int32) string {
	t.Helper()
	at, err := c.Create(path, []byte("data of "+path), flags, anyone)
	require.NoError(t, err)
	return at
}

func TestZooKeeperKeepsItsAddressAndDataThroughKillAndRestart(t *testing.T) {
	s := stores.ZooKeeper(t)
	mode, err := s.Mode(t.Context())
	require.NoError(t, err)
	require.Equal(t, "standalone", mode)
	makeNode(t, s.Client(t), "/kept", 0)
	addr, pid := s.Addr(), s.Pid()

	require.NoError(t, s.Kill())
	require.Zero(t, s.Pid())
	require.NoError(t, s.Start(t.Context()))
	require.Equal(t, addr, s.Addr())
	require.NotEqual(t, pid, s.Pid())
	require.Contains(t, s.Tree(t, "/").Paths(), "/kept")
	require.NoError(t, s.Restart(t.Context()))
	require.Contains(t, s.Tree(t, "/").Paths(), "/kept")
}

func TestZooKeeperOfAnotherVersionComesFromMaven(t *testing.T) {
	s := stores.ZooKeeper(t, stores.WithVersion("3.9.5"))
	said, err := s.Ask(t.Context(), "srvr")
	require.NoError(t, err)
	require.Contains(t, said, "Zookeeper version: 3.9.5")
	require.NotEmpty(t, s.Client(t).SessionID())
}

func TestMissingZooKeeperNamesWhatInstallsIt(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOLDFAST_ZOOKEEPER", "0.0.1")
	t.Setenv("JAVA_HOME", "")
	java, err := exec.LookPath("java")
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(java, filepath.Join(bin, "java")))
	t.Setenv("PATH", bin) // without Maven
	_, err = stores.StartZooKeeper(t.Context(), t.TempDir())
	require.ErrorIs(t, err, stores.ErrNoZooKeeper)
	require.ErrorContains(t, err, "ZooKeeper 0.0.1")
	require.ErrorContains(t, err, "scripts/install-stores.sh")

	t.Setenv("PATH", t.TempDir())
	_, err = stores.StartEnsemble(t.Context(), t.TempDir())
	require.ErrorIs(t, err, stores.ErrNoZooKeeper)
	require.ErrorContains(t, err, "Java")
}

func TestZooKeeperThatCannotStartShowsItsLog(t *testing.T) {
	_, err := stores.StartZooKeeper(t.Context(), t.TempDir(), stores.WithConfig("tickTime=no"))
	require.ErrorContains(t, err, "it ended while starting")
	require.ErrorContains(t, err, `For input string: "no"`)
}

func TestSilentZooKeeperSessionEndsAfterAFewTicks(t *testing.T) {
	s := stores.SharedZooKeeper(t)
	var conn net.Conn
	c, _, err := zk.Connect([]string{s.Addr()}, 600*time.Millisecond, zk.WithLogger(silence{}),
		zk.WithDialer(func(_, addr string, limit time.Duration) (net.Conn, error) {
			if conn != nil {
				return nil, errors.New("once is enough")
			}
			var err error
			conn, err = net.DialTimeout("tcp", addr, limit)
			return conn, err
		}))
	require.NoError(t, err)
	defer c.Close()
	makeNode(t, c, "/silent", zk.FlagEphemeral)
	id := c.SessionID()
	require.Contains(t, s.Sessions(t), id)
	require.Equal(t, id, s.Tree(t, "/silent")[0].Stat.EphemeralOwner)

	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return len(s.Tree(t, "/silent")) == 0 }, patience, 50*time.Millisecond)
	require.NotContains(t, s.Sessions(t), id)
}

type silence struct{}

func (silence) Printf(string, ...any) {}

func TestCountsOfZooKeeperFollowWhatClientsDo(t *testing.T) {
	s := stores.SharedZooKeeper(t)
	c := s.Client(t)
	makeNode(t, c, "/counts", 0)
	nodes, ephemerals, watches := s.Count(t, "zk_znode_count"), s.Ephemerals(t), s.Watches(t)
	before := s.Zxid(t)
	makeNode(t, c, "/counts/a", zk.FlagEphemeral)
	_, _, _, err := c.GetW("/counts/a")
	require.NoError(t, err)
	require.Greater(t, s.Zxid(t), before)
	require.Equal(t, nodes+1, s.Count(t, "zk_znode_count"))
	require.Equal(t, ephemerals+1, s.Ephemerals(t))
	require.Equal(t, watches+1, s.Watches(t))
}

func TestTreeShowsEveryNodeAlsoUnderAnAccessList(t *testing.T) {
	s := stores.SharedZooKeeper(t)
	c := s.Client(t)
	require.Empty(t, s.Tree(t, "/tree"))
	makeNode(t, c, "/tree", 0)
	makeNode(t, c, "/tree/b", 0)
	first := makeNode(t, c, "/tree/a-", zk.FlagEphemeral|zk.FlagSequence)
	_, err := c.Create("/tree/b/secret", []byte("s"), 0, zk.DigestACL(zk.PermAll, "other", "password"))
	require.NoError(t, err)

	tree := s.Tree(t, "/tree")
	require.Equal(t, []string{"/tree", first, "/tree/b", "/tree/b/secret"}, tree.Paths())
	require.Equal(t, c.SessionID(), tree[1].Stat.EphemeralOwner)
	require.Equal(t, "data of /tree/b", string(tree[2].Data))
	require.Equal(t, "secret", tree[3].Name())
	require.Equal(t, "s", string(tree[3].Data))
	require.Greater(t, tree[3].Stat.Czxid, tree[1].Stat.Czxid)
	require.NotContains(t, s.Tree(t, "/").Paths(), "/zookeeper")
}

func TestEmptyContainersGoWhenTheServerLooksForThem(t *testing.T) {
	s := stores.ZooKeeper(t, stores.WithContainerCheck(50*time.Millisecond))
	c := s.Client(t)
	_, err := c.CreateContainer("/box", nil, zk.FlagContainer, anyone)
	require.NoError(t, err)
	makeNode(t, c, "/box/in", 0)
	require.NoError(t, c.Delete("/box/in", -1))
	require.Eventually(t, func() bool { return len(s.Tree(t, "/box")) == 0 }, patience, 50*time.Millisecond)
}

func TestKilledSessionHasExpiredForItsClient(t *testing.T) {
	s := stores.SharedZooKeeper(t)
	c, events, err := zk.Connect([]string{s.Addr()}, 10*time.Second, zk.WithLogger(silence{}))
	require.NoError(t, err)
	defer c.Close()
	makeNode(t, c, "/short-lived", zk.FlagEphemeral)
	id := c.SessionID()
	require.ErrorIs(t, stores.EndSession(t.Context(), s.Addr(), id, make([]byte, 16)), stores.ErrNoSession)
	require.NotEmpty(t, s.Tree(t, "/short-lived"))

	require.NoError(t, s.KillSession(t.Context(), id))
	require.Empty(t, s.Tree(t, "/short-lived"))
	require.NotContains(t, s.Sessions(t), id)
	require.Eventually(t, func() bool {
		select {
		case e := <-events:
			return e.State == zk.StateExpired
		default:
			return false
		}
	}, patience, time.Millisecond)
	require.ErrorIs(t, s.KillSession(t.Context(), id), stores.ErrNoSession)
}

func TestZooKeeperSpeaksTLSWithClientsThatItKnows(t *testing.T) {
	s := stores.ZooKeeper(t, stores.WithTLS())
	conf, err := stores.TLSConfig()
	require.NoError(t, err)
	c, _, err := zk.Connect([]string{s.TLSAddr()}, 10*time.Second, zk.WithLogger(silence{}),
		zk.WithDialer(func(_, addr string, limit time.Duration) (net.Conn, error) {
			return tls.DialWithDialer(&net.Dialer{Timeout: limit}, "tcp", addr, conf)
		}))
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Create("/mine", nil, 0, []zk.ACL{{Perms: zk.PermAll, Scheme: "x509", ID: "CN=holdfast"}})
	require.NoError(t, err)
	_, err = c.Set("/mine", []byte("x"), -1)
	require.NoError(t, err)
	require.Equal(t, "x", string(s.Tree(t, "/mine")[0].Data), "the plain port answers as well")

	stranger := conf.Clone()
	stranger.Certificates = nil
	require.ErrorContains(t, knock(t.Context(), s.TLSAddr(), stranger), "remote error: tls:")
}

// knock reads as well: with TLS 1.3 a client learns only then that the server
// does not want it.
func knock(ctx context.Context, addr string, conf *tls.Config) error {
	d := tls.Dialer{Config: conf}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err = c.Read(make([]byte, 1))
	return err
}

func TestZooKeeperWritesItsOwnFolderAlone(t *testing.T) {
	dir := t.TempDir()
	s, err := stores.StartZooKeeper(t.Context(), dir)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	files, err := os.ReadDir(s.Dir())
	require.NoError(t, err)
	for _, f := range files {
		require.Contains(t, []string{"zoo.cfg", "server.log", "data"}, f.Name())
	}
	require.Equal(t, filepath.Join(dir, "zookeeper"), s.Dir())
}
