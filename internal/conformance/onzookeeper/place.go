package onzookeeper

import (
	"context"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

// Place is a deployment and a way to use it.
type Place struct {
	servers []*stores.ZooServer
	look    *zk.Conn // at the nodes themselves
	tidy    bool     // its servers soon take empty directories away
}

// Row is a place by its name. Place starts it, for one test and its subtests.
type Row struct {
	Name  string
	Place func(t *testing.T) *Place
}

// Rows is every place a recipe should be at home in.
func Rows() []Row {
	return []Row{
		{"server", func(t *testing.T) *Place { return newPlace(t, stores.SharedZooKeeper(t)) }},
		{"ensemble", func(t *testing.T) *Place { return newPlace(t, stores.Ensemble(t).Servers()...) }},
		{"newest server, always tidying up", tidy},
	}
}

// tidy is a server that takes every directory away as soon as it is empty, so
// that locks find none and number their nodes anew.
func tidy(t *testing.T) *Place {
	p := newPlace(t, stores.ZooKeeper(t, stores.WithVersion("3.9.5"), stores.WithContainerCheck(100*time.Millisecond)))
	p.tidy = true
	return p
}

// Subject is s at this place: what is so of every recipe on ZooKeeper.
func (p *Place) Subject(s conformance.Subject, lockers MakeLocker) conformance.Subject {
	s.Fences, s.Sessions = true, true
	s.Naming = func(tag, name string) string { return dir(tag) + "/" + name }
	s.New = func(t *testing.T, lease time.Duration) conformance.Deployment { return p.clients(t, lease, lockers) }
	return s
}

// dir is where all locks of a trial are.
func dir(tag string) string { return "/conformance-" + tag }

// timeout is the session for a watchdog lease. A calm one is longer than any
// validity that a scenario looks for, since a hold is never valid for longer than
// its session.
func timeout(lease time.Duration) time.Duration {
	if lease == conformance.Calm {
		return time.Minute
	}
	return lease
}

func (p *Place) clients(t *testing.T, lease time.Duration, lockers MakeLocker) *deployment {
	d := &deployment{place: p, make: lockers, waits: make(map[string]int)}
	t.Cleanup(d.closeAll)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := range conformance.Clients {
		one := &client{}
		opts := []zkcore.Option{
			zkcore.WithObserver(d), zkcore.WithDialer(one.dial),
			zkcore.WithSessionTimeout(timeout(conformance.Calm)),
		}
		if i == 0 {
			opts = append(opts, zkcore.WithSessionTimeout(timeout(lease)))
		}
		var err error
		one.Client, err = gozk.Connect(ctx, p.addrs(), opts...)
		require.NoError(t, err)
		d.clients = append(d.clients, one)
	}
	return d
}

func (p *Place) addrs() (list []string) {
	for _, s := range p.servers {
		list = append(list, s.Addr())
	}
	return list
}

type noLog struct{}

func (noLog) Printf(string, ...any) {}

func newPlace(t *testing.T, servers ...*stores.ZooServer) *Place {
	p := &Place{servers: servers}
	var err error
	p.look, _, err = zk.Connect(p.addrs(), time.Minute, zk.WithLogger(noLog{}), zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(p.look.Close)
	return p
}
