package interop_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// shifts are the times that Go owners were inside, as a Java workload reports its own.
type shifts struct {
	mu     sync.Mutex
	stays  []peer.Stay
	fences []int64
	names  []string
}

func (s *shifts) take(ctx context.Context, m *mutex.Mutex, work func() error) error {
	stay := peer.Stay{Asked: time.Now()}
	h, err := m.Lock(ctx)
	if err != nil {
		return err
	}
	stay.Got = time.Now()
	err = work()
	if err == nil {
		err = h.Err()
	}
	fence, _ := h.Fence()
	s.mu.Lock()
	s.fences, s.names = append(s.fences, fence), append(s.names, h.Owner())
	s.mu.Unlock()
	stay.Leaving = time.Now()
	if gone := h.Release(ctx); err == nil {
		err = gone
	}
	stay.Left = time.Now()
	s.mu.Lock()
	s.stays = append(s.stays, stay)
	s.mu.Unlock()
	return err
}

func (l *line) inventory(t *testing.T) {
	const stock, path = 160, "/shop"
	ctx, s := soon(t), new(shifts)
	l.value(t, "/stock", stock)
	l.value(t, "/sold", 0)
	rounds := peer.Rounds{N: 50, Think: time.Millisecond}
	calls := []*peer.Call[peer.Work]{
		l.thread("t1", path).GoInventory("/stock", "/sold", rounds),
		l.thread("t2", path).GoInventory("/stock", "/sold", rounds),
	}
	other := l.client(t)
	var all sync.WaitGroup
	sellers := make([]int, 6)
	for i := range sellers {
		m := l.mutex(path)
		if i%3 == 2 {
			m = mutexOn(other, path)
		}
		all.Go(func() {
			for range 20 {
				if err := s.take(ctx, m, func() error { return sellNode(l.raw, &sellers[i]) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	byGo, byJava, stays := 0, 0, s.stays
	for _, n := range sellers {
		byGo += n
	}
	for _, c := range calls {
		work, err := c.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds.N, work.Entered)
		byJava += work.Sold
		stays = append(stays, work.History...)
	}
	t.Logf("of %d pieces Go sold %d, Java %d", stock, byGo, byJava)
	require.Equal(t, stock, byGo+byJava)
	require.Positive(t, byGo)
	require.Positive(t, byJava)
	for key, want := range map[string]int{"/stock": 0, "/sold": stock} {
		got, err := number(l.raw, key)
		require.NoError(t, err)
		require.Equal(t, want, got, key)
	}
	require.Len(t, stays, 6*20+2*rounds.N)
	apart(t, stays)
	require.IsIncreasing(t, s.fences)
}

func (l *line) value(t *testing.T, node string, n int) {
	t.Helper()
	_, err := l.raw.Create(node, []byte(strconv.Itoa(n)), 0, zk.WorldACL(zk.PermAll))
	require.NoError(t, err)
}

func number(c *zk.Conn, node string) (int, error) {
	text, _, err := c.Get(node)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}

// sellNode sells one piece as GoInventory does: only the lock makes it safe.
// One server has every value that was written, whoever asks.
func sellNode(c *zk.Conn, pieces *int) error {
	left, err := number(c, "/stock")
	if err != nil || left == 0 {
		return err
	}
	n, err := number(c, "/sold")
	if err != nil {
		return err
	}
	<-time.After(time.Millisecond)
	for node, value := range map[string]int{"/stock": left - 1, "/sold": n + 1} {
		if _, err := c.Set(node, []byte(strconv.Itoa(value)), -1); err != nil {
			return fmt.Errorf("write %s: %w", node, err)
		}
	}
	*pieces++
	return nil
}

// The directory of an idle lock goes at once here, and its numbers restart.
func TestBothLanguagesWorkWhileIdleLocksAreRemoved(t *testing.T) {
	t.Parallel()
	inLine(t, calm, func(t *testing.T, l *line) {
		const rounds, path = 60, "/reaped/and/made"
		ctx, s := soon(t), new(shifts)
		pause := 20 * time.Millisecond
		m := l.mutex(path)
		require.NoError(t, s.take(ctx, m, func() error { return nil }))
		require.Eventually(t, func() bool {
			there, _, err := l.raw.Exists("/reaped")
			return err == nil && !there
		}, patience, 10*time.Millisecond, "the server removes what is empty")
		call := l.thread("t1", path).GoLoop(peer.Rounds{N: rounds, Pause: pause})
		for range rounds {
			require.NoError(t, s.take(ctx, m, func() error { return nil }))
			<-time.After(pause)
		}
		work, err := call.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds, work.Entered)
		apart(t, append(s.stays, work.History...))
		require.IsIncreasing(t, s.fences)
		restarts := 0
		for i := 1; i < len(s.names); i++ {
			if digits(s.names[i]) <= digits(s.names[i-1]) {
				restarts++
			}
		}
		t.Logf("the numbers restarted %d times", restarts)
		if atLeast(l.version, 4, 0) { // what older ones make stays
			require.Positive(t, restarts)
		}
	}, stores.WithContainerCheck(100*time.Millisecond))
}
