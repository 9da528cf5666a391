package mutex_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// wireNode is one node of a recorded tree. `$` is the scenario's root, `{u1}` a
// UUID, `{default}` the data that a client writes when it is given none.
type wireNode struct {
	Path, Kind, Owner, Data string
	DataVersion, Cversion   int32
}

type wireScenario struct {
	ID    string
	Steps []struct {
		Step string
		Tree []wireNode
	}
}

func loadWire(t *testing.T, file string) []wireScenario {
	t.Helper()
	raw, err := os.ReadFile("testdata/wire/" + file)
	require.NoError(t, err)
	var g struct{ Scenarios []wireScenario }
	require.NoError(t, json.Unmarshal(raw, &g))
	require.NotEmpty(t, g.Scenarios)
	return g.Scenarios
}

// wirePlay plays a scenario; do has what each of its steps is in our words.
type wirePlay struct {
	*zooRig
	owners map[int64]string // sessions by the names of the scenario's clients
	ids    map[string]string
}

func newWirePlay(t *testing.T) *wirePlay {
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	return &wirePlay{zooRig: r, owners: map[int64]string{}, ids: map[string]string{}}
}

// at makes a mutex of a client of its own.
func (p *wirePlay) at(dir string, opts ...mutex.ZooKeeperOption) *mutex.Mutex {
	return mutex.NewZooKeeper(p.client(), p.path+dir, opts...)
}

// joins starts a Lock, and notes whose session its node belongs to.
func (p *wirePlay) joins(client, dir string, m *mutex.Mutex, got chan *recipes.Hold, stands int) {
	t := p.t
	go func() {
		if h, err := m.Lock(context.Background()); err == nil {
			got <- h
		}
	}()
	eventually(t, client+" stands in line", func() bool {
		names, _, _ := p.oracle.Children(p.path + dir)
		return len(names) == stands
	})
	for _, n := range p.tree() {
		if n.owner != 0 && p.owners[n.owner] == "" {
			p.owners[n.owner] = client
		}
	}
}

type rawNode struct {
	wireNode
	owner int64
}

// tree is everything below the root of the scenario, parents first.
func (p *wirePlay) tree() (all []rawNode) {
	var walk func(path string)
	walk = func(path string) {
		names, _, err := p.oracle.Children(path)
		require.NoError(p.t, err)
		sort.Slice(names, func(i, j int) bool { return digitsOf(names[i]) < digitsOf(names[j]) })
		for _, name := range names {
			data, stat, err := p.oracle.Get(path + "/" + name)
			require.NoError(p.t, err)
			n := rawNode{owner: stat.EphemeralOwner}
			n.Path, n.Data, n.DataVersion = "$"+strings.TrimPrefix(path+"/"+name, p.path), string(data), stat.Version
			if n.Kind = "ephemeral"; stat.EphemeralOwner == 0 {
				n.Kind, n.Cversion = "container", stat.Cversion
			}
			all = append(all, n)
			walk(path + "/" + name)
		}
	}
	walk(p.path)
	return all
}

var (
	placeholder = regexp.MustCompile(`\{(u[0-9]+|default)\}`)
	anUUID      = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
)

// leaves: the tree is the recorded one.
func (p *wirePlay) leaves(step string, want []wireNode) {
	t := p.t
	t.Helper()
	got := p.tree()
	require.Len(t, got, len(want), step)
	for i, w := range want {
		g := got[i]
		p.matches(step, w.Path, g.Path)
		p.matches(step, w.Data, g.Data)
		require.Equal(t, w.Kind, g.Kind, step)
		require.Equal(t, w.Owner, p.owners[g.owner], "%s: %s", step, g.Path)
		require.Equal(t, w.DataVersion, g.DataVersion, "%s: %s", step, g.Path)
		require.Equal(t, w.Cversion, g.Cversion, "%s: %s", step, g.Path)
	}
}

// matches binds each placeholder to what it stands for, once.
func (p *wirePlay) matches(step, want, got string) {
	p.t.Helper()
	names := placeholder.FindAllString(want, -1)
	parts := placeholder.Split(want, -1)
	pattern := "^" + regexp.QuoteMeta(parts[0])
	for i, name := range names {
		if name == "{default}" {
			pattern += `([0-9a-f.:]+)` // the text of an address
		} else {
			pattern += "(" + anUUID + ")"
		}
		pattern += regexp.QuoteMeta(parts[i+1])
	}
	m := regexp.MustCompile(pattern + "$").FindStringSubmatch(got)
	require.NotNil(p.t, m, "%s: %q is not %q", step, got, want)
	for i, name := range names {
		if name == "{default}" {
			continue
		}
		if p.ids[name] == "" {
			p.ids[name] = m[i+1]
		}
		require.Equal(p.t, p.ids[name], m[i+1], "%s: %s", step, name)
	}
}

// Recorded with Curator 5.9.0; other versions leave the same.
func TestZooMutexLeavesWhatCuratorLeaves(t *testing.T) {
	t.Parallel()
	s := loadWire(t, "curator.json")[0]
	require.Equal(t, "mutex_basic", s.ID)
	p := newWirePlay(t)
	a, b := p.at("/a/lock"), p.at("/a/lock")
	got := make(chan *recipes.Hold, 3)
	var t1, inner, next *recipes.Hold
	steps := []func(){
		func() { p.joins("A", "/a/lock", a, got, 1); t1 = <-got },
		func() { p.joins("A", "/a/lock", a, got, 2) },
		func() { p.joins("B", "/a/lock", b, got, 3) },
		func() { h, err := a.Lock(t1.Context(t.Context())); require.NoError(t, err); inner = h },
		func() {},
		func() {},
		func() { release(t, inner) },
		func() { release(t, t1); next = <-got },
		func() { release(t, next); next = <-got },
		func() { release(t, next) },
	}
	require.Len(t, s.Steps, len(steps))
	for i, step := range s.Steps {
		steps[i]()
		p.leaves(step.Step, step.Tree)
	}
}

func TestZooRevocableMutexLeavesWhatCuratorLeaves(t *testing.T) {
	t.Parallel()
	s := loadWire(t, "curator.json")[1]
	require.Equal(t, "mutex_revoke", s.ID)
	p := newWirePlay(t)
	asked := make(chan struct{}, 2)
	revocable := mutex.OnRevoke(func(*recipes.Hold) { asked <- struct{}{} })
	a, b := p.at("/lock", revocable), p.at("/lock", revocable)
	got := make(chan *recipes.Hold, 2)
	ask := func() {
		st, err := b.Inspect(t.Context())
		require.NoError(t, err)
		require.NoError(t, b.RequestRevoke(t.Context(), st.Holders[0]))
		<-asked
	}
	steps := []func(){
		func() { p.joins("A", "/lock", a, got, 1) },
		func() { p.joins("B", "/lock", b, got, 2) },
		ask,
		ask,
	}
	require.Len(t, s.Steps, len(steps))
	for i, step := range s.Steps {
		steps[i]()
		p.leaves(step.Step, step.Tree)
	}
	release(t, <-got)
	release(t, <-got)
}

func TestZooSingleNodeLeavesWhatIsRecorded(t *testing.T) {
	t.Parallel()
	s := loadWire(t, "single_node.json")[0]
	p := newWirePlay(t)
	a, b := p.at("/lock", mutex.SingleNode()), p.at("/lock", mutex.SingleNode())
	got := make(chan *recipes.Hold, 2)
	var h *recipes.Hold
	owner := func(client string) {
		_, stat, err := p.oracle.Get(p.path + "/lock/lock")
		require.NoError(t, err)
		p.owners[stat.EphemeralOwner] = client
	}
	steps := []func(){
		func() { p.joins("A", "/lock", a, got, 1); h = <-got },
		func() {
			before := p.events.count(recipes.EventWaiting)
			go func() {
				if h, err := b.Lock(context.Background()); err == nil {
					got <- h
				}
			}()
			eventually(t, "B waits", func() bool { return p.events.count(recipes.EventWaiting) > before })
		},
		func() { release(t, h); h = <-got; owner("B") },
		func() { release(t, h) },
	}
	require.Len(t, s.Steps, len(steps))
	for i, step := range s.Steps {
		steps[i]()
		want := step.Tree
		for j := range want { // how often a loser has tried is not laid down
			if want[j].Kind == "container" {
				tree := p.tree()
				require.Less(t, j, len(tree))
				require.GreaterOrEqual(t, tree[j].Cversion, want[j].Cversion)
				want[j].Cversion = tree[j].Cversion
			}
		}
		p.leaves(step.Step, want)
	}
}
