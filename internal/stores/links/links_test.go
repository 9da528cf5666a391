package links_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores/links"
)

const (
	patience = 10 * time.Second
	silence  = 100 * time.Millisecond // long enough for what is not cut to arrive
)

// echo is a server that says every line back.
func echo(t *testing.T) (port int) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return ln.Addr().(*net.TCPAddr).Port
}

// call dials through a proxy as a Java socket does, and returns the answer's
// code.
func call(t *testing.T, via string, port int, limit time.Duration) (net.Conn, byte, error) {
	c, err := net.Dial("tcp", via)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(limit)))
	_, err = c.Write([]byte{5, 2, 0, 2})
	require.NoError(t, err)
	method := make([]byte, 2)
	_, err = io.ReadFull(c, method)
	require.NoError(t, err)
	require.Equal(t, []byte{5, 0}, method)
	_, err = c.Write([]byte{5, 1, 0, 1, 127, 0, 0, 1, byte(port >> 8), byte(port)})
	require.NoError(t, err)
	answer := make([]byte, 10)
	_, err = io.ReadFull(c, answer)
	if err == nil {
		require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	}
	return c, answer[1], err
}

func say(t *testing.T, c net.Conn, line string) {
	_, err := io.WriteString(c, line+"\n")
	require.NoError(t, err)
}

func hear(c net.Conn, limit time.Duration) (string, error) {
	_ = c.SetReadDeadline(time.Now().Add(limit))
	return bufio.NewReader(c).ReadString('\n')
}

func pair(t *testing.T) (n *links.Net, via string, port int) {
	n = links.New()
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	port = echo(t)
	via, err := n.Join(1)
	require.NoError(t, err)
	_, err = n.Join(2, port)
	require.NoError(t, err)
	return n, via, port
}

func TestCutLinkIsSilentAndDeliversWhenMended(t *testing.T) {
	n, via, port := pair(t)
	c, code, err := call(t, via, port, patience)
	require.NoError(t, err)
	require.Zero(t, code)
	say(t, c, "one")
	got, err := hear(c, patience)
	require.NoError(t, err)
	require.Equal(t, "one\n", got)

	n.Cut(2, 1)
	say(t, c, "two")
	_, err = hear(c, silence)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	n.Mend(1, 2)
	got, err = hear(c, patience)
	require.NoError(t, err)
	require.Equal(t, "two\n", got)
}

func TestCutLinkNeitherAcceptsNorRefusesACall(t *testing.T) {
	n, via, port := pair(t)
	n.Cut(1, 2)
	_, _, err := call(t, via, port, silence)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	n.Mend(1, 2)
	_, code, err := call(t, via, port, patience)
	require.NoError(t, err)
	require.Zero(t, code)
}

func TestEndOfAConnectionDoesNotCrossACut(t *testing.T) {
	n := links.New()
	defer func() { require.NoError(t, n.Close()) }()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	port := ln.Addr().(*net.TCPAddr).Port
	via, err := n.Join(1)
	require.NoError(t, err)
	_, err = n.Join(2, port)
	require.NoError(t, err)
	near, _, err := call(t, via, port, patience)
	require.NoError(t, err)
	far, err := ln.Accept()
	require.NoError(t, err)
	defer far.Close()

	n.Cut(1, 2)
	require.NoError(t, near.Close())
	_, err = hear(far, silence)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	n.Mend(1, 2)
	_, err = hear(far, patience)
	require.ErrorIs(t, err, io.EOF)
}

func TestOtherLinksStayWhole(t *testing.T) {
	n, _, port := pair(t)
	via, err := n.Join(3)
	require.NoError(t, err)
	n.Cut(1, 2)
	c, code, err := call(t, via, port, patience)
	require.NoError(t, err)
	require.Zero(t, code)
	say(t, c, "hello")
	_, err = hear(c, patience)
	require.NoError(t, err)
}

func TestPortWithoutListenerIsRefusedAndAStrangersPortNotDialled(t *testing.T) {
	n, via, port := pair(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := ln.Addr().(*net.TCPAddr).Port
	require.NoError(t, ln.Close())
	_, err = n.Join(3, closed)
	require.NoError(t, err)

	_, code, err := call(t, via, closed, patience)
	require.NoError(t, err)
	require.EqualValues(t, 5, code, "connection refused")
	_, code, err = call(t, via, 1, patience)
	require.NoError(t, err)
	require.EqualValues(t, 2, code, "not allowed")
	_, code, err = call(t, via, port, patience)
	require.NoError(t, err)
	require.Zero(t, code)
}

func TestCloseEndsConnectionsAlsoAcrossACut(t *testing.T) {
	n, via, port := pair(t)
	c, _, err := call(t, via, port, patience)
	require.NoError(t, err)
	n.Cut(1, 2)
	say(t, c, "lost")
	require.NoError(t, n.Close())
	_, err = hear(c, patience)
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = n.Join(4)
	require.ErrorIs(t, err, net.ErrClosed)
}
