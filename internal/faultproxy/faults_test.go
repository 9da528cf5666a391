package faultproxy

import (
	"context"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestUnharmedConnectionIsTransparent(t *testing.T) {
	p, admin, key := before(t)
	big := strings.Repeat("x", 3<<20)
	for _, version := range []int{2, 3} {
		c := redis.NewClient(&redis.Options{Addr: p.Addr(), Protocol: version})
		require.NoError(t, c.Set(t.Context(), key, big, 0).Err())
		require.Equal(t, big, c.Get(t.Context(), key).Val())
		pipe := c.Pipeline()
		for range 1000 {
			pipe.Incr(t.Context(), key+":n")
		}
		replies, err := pipe.Exec(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1000, replies[999].(*redis.IntCmd).Val())
		require.NoError(t, c.HSet(t.Context(), key+":h", "f", 1).Err())
		require.Equal(t, map[string]string{"f": "1"}, c.HGetAll(t.Context(), key+":h").Val())
		require.NoError(t, admin.Del(t.Context(), key, key+":n", key+":h").Err())
		require.NoError(t, c.Close())
	}
	require.Zero(t, p.Stats().Malformed)
}

func TestDelayAddsLatencyAndTakesNoThroughput(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	p.Delay(Both, 100*time.Millisecond)
	began := time.Now()
	c.send("INCR " + key + "\r\n")
	c.receives(":1\r\n")
	require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)

	// One after the other these would take a minute.
	go func() {
		for range 300 {
			_, _ = c.c.Write([]byte("PING\r\n"))
			time.Sleep(100 * time.Microsecond) // apart on the wire
		}
	}()
	began = time.Now()
	c.receives(strings.Repeat("+PONG\r\n", 300))
	require.Less(t, time.Since(began), 15*time.Second)
	p.Delay(Both, 0)
}

func TestPausedDirectionDeliversEverythingAtResume(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")

	p.Pause(ToServer)
	c.send("INCR " + key + "\r\n")
	c.silent()
	require.Zero(t, admin.Exists(t.Context(), key).Val())
	p.Resume(ToServer)
	c.receives(":1\r\n")

	p.Pause(ToClient)
	c.send("INCR " + key + "\r\n")
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "2" })
	c.silent()
	later := dial(t, p)
	later.send("PING\r\n")
	later.silent()
	p.Resume(ToClient)
	c.receives(":2\r\n")
	later.receives("+PONG\r\n")
}

func TestBlackholeIsSilentAndAConnectionThatLostBytesStaysSo(t *testing.T) {
	p, admin, key := before(t)
	loser, idle := dial(t, p), dial(t, p)
	for _, c := range []*peer{loser, idle} {
		c.send("PING\r\n")
		c.receives("+PONG\r\n")
	}
	p.Blackhole(Both, true)
	loser.send("INCR " + key + "\r\n")
	loser.silent()
	born := dial(t, p)
	born.send("PING\r\n")
	born.silent()
	p.Blackhole(Both, false)

	idle.send("PING\r\n")
	idle.receives("+PONG\r\n")
	loser.send("PING\r\n")
	loser.silent()
	require.Zero(t, admin.Exists(t.Context(), key).Val())
}

func TestBlackholeHidesTheEndOfAConnection(t *testing.T) {
	p, admin, _ := before(t)
	c := dial(t, p)
	c.send("CLIENT SETNAME hole\r\n")
	c.receives("+OK\r\n")
	p.Blackhole(Both, true)
	require.NoError(t, c.c.Close())
	there := func() bool { return strings.Contains(admin.ClientList(t.Context()).Val(), "name=hole") }
	require.Never(t, func() bool { return !there() }, glance, 10*time.Millisecond)
	p.Blackhole(Both, false)
	eventually(t, func() bool { return !there() })
}

func TestOneConnectionIsHarmedAlone(t *testing.T) {
	p, _, _ := before(t)
	first := dial(t, p)
	first.send("PING\r\n")
	first.receives("+PONG\r\n")
	second := dial(t, p)
	second.send("PING\r\n")
	second.receives("+PONG\r\n")
	conns := p.Conns()
	require.Len(t, conns, 2)
	require.Equal(t, []int{1, 2}, []int{conns[0].ID(), conns[1].ID()})

	conns[0].Pause(ToServer)
	first.send("PING\r\n")
	first.silent()
	second.send("PING\r\n")
	second.receives("+PONG\r\n")
	conns[0].Cut()
	require.ErrorIs(t, first.ended(), syscall.ECONNRESET)
	second.send("PING\r\n")
	second.receives("+PONG\r\n")
}

func TestCutResetsEveryConnectionAndLetsNewOnesIn(t *testing.T) {
	p, _, _ := before(t)
	list := []*peer{dial(t, p), dial(t, p)}
	for _, c := range list {
		c.send("PING\r\n")
		c.receives("+PONG\r\n")
	}
	p.Cut()
	for _, c := range list {
		require.ErrorIs(t, c.ended(), syscall.ECONNRESET)
	}
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	require.Equal(t, 3, p.Stats().Accepted)
}

func TestHalfCloseEndsOneDirection(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	p.HalfClose(ToClient)
	require.ErrorIs(t, c.ended(), io.EOF)
	c.send("INCR " + key + "\r\n")
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "1" })

	d := dial(t, p)
	d.send("PING\r\n")
	d.receives("+PONG\r\n")
	p.HalfClose(ToServer)
	require.ErrorIs(t, d.ended(), io.EOF, "Redis closes when its client does")
}

func TestRefusedConnectionsComeBackOnTheSameAddress(t *testing.T) {
	p, _, _ := before(t)
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	require.NoError(t, p.Refuse(true))
	_, err := net.Dial("tcp", p.Addr())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	require.NoError(t, p.Refuse(true))
	require.NoError(t, p.Refuse(false))
	d := dial(t, p)
	d.send("PING\r\n")
	d.receives("+PONG\r\n")
}

func TestDeadServerShowsAsAnEndOfTheConnection(t *testing.T) {
	s := stores.Single(t)
	p := New(t, s.Addr())
	c := dial(t, p)
	c.send("PING\r\n")
	c.receives("+PONG\r\n")
	require.NoError(t, s.Kill())
	require.Error(t, c.ended())
	if d, err := net.Dial("tcp", p.Addr()); err == nil {
		// Accepted, as the proxy learns of it only then; reset at once.
		_, err = d.Read(make([]byte, 1))
		require.Error(t, err)
		require.NoError(t, d.Close())
	}
	require.NoError(t, s.Start(t.Context()))
	e := dial(t, p)
	e.send("PING\r\n")
	e.receives("+PONG\r\n")
}

func TestMalformedStreamIsCut(t *testing.T) {
	p, _, _ := before(t)
	c := dial(t, p)
	c.send("*1\r\n:1\r\n")
	require.Error(t, c.ended())
	require.Equal(t, 1, p.Stats().Malformed)
}

func TestReplicationPassesAndCanBeHeldBack(t *testing.T) {
	primary, replica := stores.Single(t), stores.Single(t)
	p := New(t, primary.Addr())
	host, port, err := net.SplitHostPort(p.Addr())
	require.NoError(t, err)
	c := primary.Client(t)
	require.NoError(t, c.Set(t.Context(), "k", "v", 0).Err())
	require.NoError(t, replica.Client(t).Do(t.Context(), "REPLICAOF", host, port).Err())
	r := replica.Client(t)
	get := func(k string) string { return r.Get(t.Context(), k).Val() }
	eventually(t, func() bool { return get("k") == "v" })

	p.Pause(ToClient)
	require.NoError(t, c.Set(t.Context(), "late", "v", 0).Err())
	acks, err := c.Wait(t.Context(), 1, glance).Result()
	require.NoError(t, err)
	require.Zero(t, acks)
	require.Empty(t, get("late"))
	p.Resume(ToClient)
	eventually(t, func() bool { return get("late") == "v" })
	require.Zero(t, p.Stats().Malformed)
}

func TestDialerGoesThroughTheProxyOfItsAddress(t *testing.T) {
	s := stores.Shared(t)
	p := New(t, s.Addr())
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), Dialer: Dialer(p)})
	defer c.Close()
	require.NoError(t, c.Ping(context.Background()).Err())
	require.Equal(t, 1, p.Count(Named("PING")))
}
