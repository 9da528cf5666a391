package faultproxy

import (
	"bufio"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const (
	patience = 20 * time.Second      // for what must happen
	glance   = 50 * time.Millisecond // for what must not
)

// peer is a client that sends and receives bytes.
type peer struct {
	t *testing.T
	c net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, p *Proxy) *peer {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &peer{t: t, c: c, r: bufio.NewReader(c)}
}

func (p *peer) send(text string) {
	p.t.Helper()
	_, err := p.c.Write([]byte(text))
	require.NoError(p.t, err)
}

func (p *peer) receives(text string) {
	p.t.Helper()
	require.NoError(p.t, p.c.SetReadDeadline(time.Now().Add(patience)))
	got := make([]byte, len(text))
	for n := range got {
		b, err := p.r.ReadByte()
		require.NoError(p.t, err, "after %q", got[:n])
		got[n] = b
	}
	require.Equal(p.t, text, string(got))
}

// silent: nothing came and nothing ended, for as long as a glance takes.
func (p *peer) silent() {
	p.t.Helper()
	require.NoError(p.t, p.c.SetReadDeadline(time.Now().Add(glance)))
	_, err := p.r.ReadByte()
	var timeout net.Error
	require.ErrorAs(p.t, err, &timeout)
	require.True(p.t, timeout.Timeout(), "%v", err)
}

// ended waits for the end of the connection and returns how it ended.
func (p *peer) ended() error {
	p.t.Helper()
	require.NoError(p.t, p.c.SetReadDeadline(time.Now().Add(patience)))
	_, err := p.r.ReadByte()
	require.Error(p.t, err)
	return err
}

// endedAfterAnything is ended, whatever comes before.
func (p *peer) endedAfterAnything() error {
	p.t.Helper()
	require.NoError(p.t, p.c.SetReadDeadline(time.Now().Add(patience)))
	for {
		if _, err := p.r.ReadByte(); err != nil {
			return err
		}
	}
}

// before returns a proxy in front of the shared server, and the server's own
// view of a key of this test.
func before(t *testing.T) (p *Proxy, admin *redis.Client, key string) {
	t.Helper()
	s := stores.Shared(t)
	s.FlushAll(t) // the tests of this package do not run in parallel
	return New(t, s.Addr()), s.Client(t), "test:" + t.Name()
}

func within(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		require.FailNow(t, "the signal never came")
	}
}

func eventually(t *testing.T, yes func() bool) {
	t.Helper()
	require.Eventually(t, yes, patience, time.Millisecond)
}
