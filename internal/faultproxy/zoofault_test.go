package faultproxy

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestZooSessionIsKnownToTheTest(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	s, ok := p.Session()
	require.True(t, ok)
	require.Equal(t, c.SessionID(), s.ID)
	require.Equal(t, stores.SessionPassword(s.ID), s.Password)
	require.Equal(t, longSession, s.Timeout)
	require.Equal(t, longSession, s.Told)
	require.False(t, s.Resumed)

	require.NoError(t, createIn(c, path+"/a")())
	cmd := p.Commands()[0]
	require.Equal(t, s.ID, cmd.Zoo.Session)
	require.Equal(t, s.Conn, cmd.Conn)

	p.Cut()
	eventually(t, func() bool { return len(p.Sessions()) == 2 })
	again, _ := p.Session()
	require.True(t, again.Resumed)
	require.Equal(t, s.ID, again.ID)
	require.Greater(t, again.Conn, s.Conn)
	require.True(t, exists(t, admin, path+"/a"))

	// It is enough to end the session behind the client's back.
	require.NoError(t, stores.EndSession(t.Context(), p.Backend(), s.ID, s.Password))
	eventually(t, func() bool { return !exists(t, admin, path+"/a") })
}

func TestZooClientIsToldAnotherTimeout(t *testing.T) {
	srv := stores.SharedZooKeeper(t)
	p := NewZooKeeper(t, srv.Addr())
	p.TellTimeout(600 * time.Millisecond)
	zooClient(t, p.Addr(), longSession)
	s, _ := p.Session()
	require.Equal(t, longSession, s.Timeout)
	require.Equal(t, 600*time.Millisecond, s.Told)
	require.Equal(t, longSession, p.Commands()[0].Zoo.Timeout, "what the client asked for")
	// The driver sends a heartbeat in every third of what it was told.
	eventually(t, func() bool { return p.Count(Heartbeats()) >= 2 })
}

func TestZooBlackholeEndsASessionThatTheClientStillBelievesIn(t *testing.T) {
	srv := stores.SharedZooKeeper(t)
	p := NewZooKeeper(t, srv.Addr())
	admin := zooClient(t, srv.Addr(), longSession)
	c := zooClient(t, p.Addr(), time.Second)
	path := "/" + t.Name()
	require.NoError(t, createIn(c, path)())
	first := c.SessionID()
	p.Blackhole(Both, true)
	eventually(t, func() bool { return !exists(t, admin, path) })
	p.Blackhole(Both, false)
	eventually(t, func() bool { return c.State() == zk.StateHasSession && c.SessionID() != first })
	require.NoError(t, createIn(c, path)())
}

func TestZooRefusedClientComesBackToItsSession(t *testing.T) {
	p, c, _, path := zooBefore(t)
	require.NoError(t, p.Refuse(true))
	p.Cut()
	eventually(t, func() bool { return c.State() != zk.StateHasSession })
	require.NoError(t, p.Refuse(false))
	eventually(t, func() bool { return c.State() == zk.StateHasSession })
	require.NoError(t, createIn(c, path+"/a")())
	s, _ := p.Session()
	require.True(t, s.Resumed)
}

func TestZooPausedDirectionHoldsEverything(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	p.Pause(ToServer)
	held := later(createIn(c, path+"/a"))
	openCall(t, held)
	require.False(t, exists(t, admin, path+"/a"))
	p.Resume(ToServer)
	require.NoError(t, result(t, held))

	p.Pause(ToClient)
	held = later(createIn(c, path+"/b"))
	eventually(t, func() bool { return exists(t, admin, path+"/b") })
	openCall(t, held)
	p.Resume(ToClient)
	require.NoError(t, result(t, held))
}

func TestZooWatchEventsAreCountedAndLost(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	for _, name := range []string{"/lost", "/kept"} {
		_, err := admin.Create(path+name, nil, 0, zk.WorldACL(zk.PermAll))
		require.NoError(t, err)
	}
	watch := func(name string) <-chan zk.Event {
		_, _, ch, err := c.GetW(path + name)
		require.NoError(t, err)
		return ch
	}
	lost, kept := watch("/lost"), watch("/kept")
	p.OnPush(DropFrom(path + "/lost"))
	require.NoError(t, admin.Delete(path+"/lost", -1))
	require.NoError(t, admin.Delete(path+"/kept", -1))
	select {
	case e := <-kept:
		require.Equal(t, zk.EventNodeDeleted, e.Type)
	case <-time.After(patience):
		require.FailNow(t, "no event")
	}
	select {
	case e := <-lost:
		require.FailNow(t, "an event came", "%v", e)
	default: // it was in front of the other
	}
	list := p.Messages()
	require.Len(t, list, 2)
	require.Equal(t, Push{Kind: "NodeDeleted", Channel: path + "/lost", Payload: "3"}, list[0].Push)
	require.Equal(t, []int{0, 1}, []int{list[0].Copies, list[1].Copies})
	require.Equal(t, 2, p.Stats().Messages)
	require.Equal(t, 1, p.Stats().Withheld)
	require.Equal(t, 2, p.Count(Watching()))
	p.OnPush(nil)
}

func TestZooWatchesAreSetAgainAfterACut(t *testing.T) {
	p, c, _, path := zooBefore(t)
	_, _, _, err := c.ExistsW(path + "/none")
	require.NoError(t, err)
	_, _, _, err = c.ChildrenW(path)
	require.NoError(t, err)
	p.Cut()
	eventually(t, func() bool { return p.Count(Named("setWatches")) == 1 })
	for _, cmd := range p.Commands() {
		if cmd.Name == "setWatches" {
			require.ElementsMatch(t, []string{path, path + "/none"}, cmd.Zoo.Watches)
		}
	}
	require.Equal(t, 1, p.Count(All(Named("setWatches"), Under(path+"/none"))))
}
