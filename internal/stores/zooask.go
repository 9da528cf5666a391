package stores

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Ask sends one of the server's four-letter words, such as "mntr" or "wchp",
// and returns what it says.
func (s *ZooServer) Ask(ctx context.Context, word string) (string, error) {
	said, err := ask(ctx, s.Addr(), word)
	if err != nil {
		return "", fmt.Errorf("ask zookeeper server %s for %q: %w", s.Addr(), word, err)
	}
	return said, nil
}

func ask(ctx context.Context, addr, word string) (string, error) {
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, word); err != nil {
		return "", err
	}
	said, err := io.ReadAll(c)
	return string(said), err
}

// serves: a server that has not joined its ensemble answers, but it has no
// mode. The port for TLS opens a little after the other, and its first
// handshake takes a cold Java longer than a client may want to wait.
func (s *ZooServer) serves(ctx context.Context) bool {
	mode, err := s.Mode(ctx)
	return err == nil && mode != "" && (!s.tls || s.shakesHands(ctx))
}

var (
	modeLine = regexp.MustCompile(`(?m)^Mode: (\S+)`)
	zxidLine = regexp.MustCompile(`(?m)^Zxid: 0x([0-9a-f]+)`)
)

// Mode is "standalone", "leader", "follower", or "" when the server runs but
// serves nobody.
func (s *ZooServer) Mode(ctx context.Context) (string, error) {
	said, err := s.Ask(ctx, "srvr")
	if m := modeLine.FindStringSubmatch(said); m != nil {
		return m[1], err
	}
	return "", err
}

// Zxid is the number of the last change that the server knows.
func (s *ZooServer) Zxid(t testing.TB) int64 {
	t.Helper()
	said, err := s.Ask(t.Context(), "srvr")
	m := zxidLine.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("stores: no zxid in %q (%v)", said, err)
	}
	n, err := strconv.ParseInt(m[1], 16, 64)
	if err != nil {
		t.Fatalf("stores: zxid of %s: %v", s.Addr(), err)
	}
	return n
}

// Monitor is everything that the server counts ("mntr").
func (s *ZooServer) Monitor(ctx context.Context) (map[string]string, error) {
	said, err := s.Ask(ctx, "mntr")
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for line := range strings.Lines(said) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all[name] = value
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("ask zookeeper server %s for its counts: it says %q", s.Addr(), said)
	}
	return all, nil
}

// Count is one of the numbers of Monitor, for example "zk_packets_received".
func (s *ZooServer) Count(t testing.TB, name string) int {
	t.Helper()
	all, err := s.Monitor(t.Context())
	if err != nil {
		t.Fatalf("stores: %v", err)
	}
	n, err := strconv.Atoi(all[name])
	if err != nil {
		t.Fatalf("stores: %s of %s: %v", name, s.Addr(), err)
	}
	return n
}

// Watches is the number of watches that clients of this server have set.
func (s *ZooServer) Watches(t testing.TB) int {
	t.Helper()
	return s.Count(t, "zk_watch_count")
}

// Ephemerals is the number of ephemeral nodes.
func (s *ZooServer) Ephemerals(t testing.TB) int {
	t.Helper()
	return s.Count(t, "zk_ephemerals_count")
}

var errNoSessions = errors.New("its dump lists no sessions")

// Sessions are the sessions that are alive, in rising order. Of an ensemble
// only the leader surely knows them all.
func (s *ZooServer) Sessions(t testing.TB) []int64 {
	t.Helper()
	said, err := s.Ask(t.Context(), "dump")
	if err == nil && !strings.Contains(said, "SessionTracker dump") {
		err = errNoSessions
	}
	if err != nil {
		t.Fatalf("stores: sessions of %s: %v", s.Addr(), err)
	}
	// Lines with a number alone are sessions; the part about ephemeral nodes
	// has the numbers of sessions followed by a colon.
	var ids []int64
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		hex, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "0x")
		if id, err := strconv.ParseUint(hex, 16, 64); ok && err == nil {
			ids = append(ids, int64(id))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
