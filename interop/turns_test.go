package interop_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// turns are the times that Go owners were inside, as a Java workload reports its own.
type turns struct {
	oracle redis.UniversalClient
	mu     sync.Mutex
	stays  []peer.Stay
	owners []string
}

// take is one turn. Inside, the store has to show its owner and nobody else.
func (u *turns) take(ctx context.Context, m *mutex.Mutex, work func(context.Context) error) error {
	stay := peer.Stay{Asked: time.Now()}
	h, err := m.Lock(ctx)
	if err != nil {
		return err
	}
	stay.Got = time.Now()
	held, err := u.oracle.HGetAll(ctx, m.Name()).Result()
	if err == nil && !maps.Equal(held, map[string]string{h.Owner(): "1"}) {
		err = fmt.Errorf("the store shows %v to %s", held, h.Owner())
	}
	if err == nil {
		err = work(ctx)
	}
	stay.Leaving = time.Now()
	if gone := h.Release(ctx); err == nil {
		err = gone
	}
	stay.Left = time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stays = append(u.stays, stay)
	u.owners = append(u.owners, h.Owner())
	return err
}

// apart says that no two were inside at a time, by the clock that the processes
// of a machine share.
func apart(t *testing.T, stays []peer.Stay) {
	t.Helper()
	slices.SortFunc(stays, func(a, b peer.Stay) int { return a.Got.Round(0).Compare(b.Got.Round(0)) })
	for i := 1; i < len(stays); i++ {
		require.False(t, stays[i].Got.Round(0).Before(stays[i-1].Leaving.Round(0)), "turns %d and %d overlap", i-1, i)
	}
}

// think is work that takes a while.
func think(d time.Duration) func(context.Context) error {
	return func(context.Context) error {
		<-time.After(d)
		return nil
	}
}

// sell sells one piece as GoInventory does: only the lock makes it safe.
func sell(oracle redis.UniversalClient, stock, sold string, pieces *int) func(context.Context) error {
	return func(ctx context.Context) error {
		left, err := oracle.Get(ctx, stock).Int()
		if err != nil || left == 0 {
			return err
		}
		n, err := oracle.Get(ctx, sold).Int()
		if err != nil {
			return err
		}
		<-time.After(time.Millisecond)
		if err := oracle.Set(ctx, stock, left-1, 0).Err(); err != nil {
			return err
		}
		if err := oracle.Set(ctx, sold, n+1, 0).Err(); err != nil {
			return err
		}
		*pieces++
		return nil
	}
}

// Two Java services with threads of equal numbers, two Go services with owners
// of equal numbers.
func TestBL03OwnersOfFourServicesAreStrangers(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		const rounds = 15
		ctx, name := soon(t), p.name("strangers")
		u := &turns{oracle: p.oracle}
		var calls []*peer.Call[peer.Work]
		owners := map[string]int{}
		for _, java := range []*peer.Peer{p.java, p.jvm(t, "other")} {
			for _, thread := range []string{"t1", "t2"} {
				j := p.threadOf(java, thread, name)
				owners[owner(t, j.Thread)] += rounds
				calls = append(calls, j.GoLoop(peer.Rounds{N: rounds, Think: time.Millisecond}))
			}
		}
		var all sync.WaitGroup
		for _, m := range []*mutex.Mutex{p.mutex(name), p.mutexOf(p.client(t), name)} {
			for range 2 {
				all.Go(func() {
					for range rounds {
						if err := u.take(ctx, m, think(time.Millisecond)); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		all.Wait()
		stays := u.stays
		for _, c := range calls {
			work, err := c.Get(ctx)
			require.NoError(t, err)
			require.Equal(t, rounds, work.Entered)
			stays = append(stays, work.History...)
		}
		require.Len(t, stays, 8*rounds)
		apart(t, stays)
		for _, o := range u.owners {
			require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+$`, o)
			require.Zero(t, owners[o], "an owner was used twice: %s", o)
			owners[o]++
		}
		require.Len(t, owners, 4+4*rounds)
	})
}

// Eight Go waiters of one process hand the lock on to each other; two Java
// waiters have their turns between the rows.
func TestJavaHasItsTurnsBesideALineOfGoWaiters(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) { p.shared(t, p.name("hot"), 3*time.Second) })
}

func (p *pair) shared(t *testing.T, name string, span time.Duration) {
	t.Helper()
	ctx, u := soon(t), &turns{oracle: p.oracle}
	workday, end := context.WithTimeout(ctx, span)
	defer end()
	java := []peer.Lock{p.thread("t1", name), p.thread("t2", name)}
	var calls []*peer.Call[peer.Work]
	for _, j := range java {
		calls = append(calls, j.GoLoop(peer.Rounds{N: 1 << 30, Think: time.Millisecond}))
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for workday.Err() == nil {
				if err := u.take(ctx, p.mutex(name), think(time.Millisecond)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	<-workday.Done()
	closed := time.Now()
	all.Wait()
	stays, report := u.stays, ""
	for i, c := range calls {
		require.NoError(t, java[i].Stop(ctx))
		work, err := c.Get(ctx)
		require.NoError(t, err)
		var within int
		var longest time.Duration
		for _, s := range work.History {
			if s.Got.Before(closed) {
				within++
				longest = max(longest, s.Got.Sub(s.Asked))
			}
		}
		report += fmt.Sprintf(", Java thread %d: %d (longest wait %v)", i+1, within, longest.Round(time.Millisecond))
		require.GreaterOrEqual(t, within, 3, "Java thread %d had %d turns in %v beside %d of Go", i+1, within, span, len(u.stays))
		stays = append(stays, work.History...)
	}
	t.Logf("turns in %v: Go %d%s", span, len(u.stays), report)
	require.Greater(t, len(u.stays), 8*3, "and Go had its own")
	apart(t, stays)
}

func TestInventorySoldByBothLanguagesNeverOversells(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		const stock = 200
		ctx, name := soon(t), p.name("shop")
		u := &turns{oracle: p.oracle}
		require.NoError(t, p.oracle.MSet(ctx, "stock", stock, "sold", 0).Err())
		rounds := peer.Rounds{N: 60, Think: time.Millisecond}
		calls := []*peer.Call[peer.Work]{
			p.thread("t1", name).GoInventory("stock", "sold", rounds),
			p.thread("t2", name).GoInventory("stock", "sold", rounds),
		}
		var all sync.WaitGroup
		sellers := make([]int, 8)
		for i := range sellers {
			all.Go(func() {
				for range 25 {
					if err := u.take(ctx, p.mutex(name), sell(p.oracle, "stock", "sold", &sellers[i])); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		byGo, byJava, stays := 0, 0, u.stays
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
		for key, want := range map[string]int{"stock": 0, "sold": stock} {
			got, err := p.oracle.Get(ctx, key).Int()
			require.NoError(t, err)
			require.Equal(t, want, got, key)
		}
		require.Equal(t, stock, byGo+byJava)
		require.Positive(t, byGo)
		require.Positive(t, byJava)
		require.Len(t, stays, 8*25+2*60)
		apart(t, stays)
	})
}
