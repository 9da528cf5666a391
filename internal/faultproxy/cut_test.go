package faultproxy

import (
	"errors"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"
)

// The story is cut at every frame: it ends all the same, and the frame in whose
// place the cut came decides what the server has seen.
func TestZooStoryIsCutAtEveryFrameInTurn(t *testing.T) {
	for name, dir := range map[string]Direction{"to the server": ToServer, "to the client": ToClient} {
		t.Run(name, func(t *testing.T) {
			p, _, admin, path := zooBefore(t)
			frames := 0
			for n := 1; ; n++ {
				require.Less(t, n, 30, "it never gets to the end")
				p.Reset()
				r := p.CutAt(dir, n)
				c := zooDial(t, p.Addr(), longSession)
				untilDone(t, createIn(c, path+"/a"), zk.ErrNodeExists)
				untilDone(t, func() error { _, err := c.Sync(path); return err }, nil)
				untilDone(t, func() error { return c.Delete(path+"/a", -1) }, zk.ErrNoNode)
				c.Close()
				require.False(t, exists(t, admin, path+"/a"))
				r.Remove()
				if r.Hits() == 0 {
					break
				}
				frames++
			}
			// The handshake, a create, a sync, a delete and the goodbye; the driver
			// asks for nothing else.
			require.GreaterOrEqual(t, frames, 4)
		})
	}
}

func untilDone(t *testing.T, f func() error, also error) {
	t.Helper()
	eventually(t, func() bool {
		err := f()
		return err == nil || also != nil && errors.Is(err, also)
	})
}

func TestCutCountsTheFramesOfRedisToo(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.CutAt(ToServer, 3)
	c.send("INCR " + key + "\r\nINCR " + key + "\r\nINCR " + key + "\r\n")
	require.Error(t, c.endedAfterAnything())
	within(t, r.Hit())
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "2" })
	require.Len(t, p.Commands(), 3, "the one that was cut is in the log")

	c = dial(t, p)
	r = p.CutAt(ToClient, 2)
	c.send("INCR " + key + "\r\n")
	c.receives(":3\r\n")
	c.send("INCR " + key + "\r\n")
	require.Error(t, c.ended())
	within(t, r.Hit())
	require.Equal(t, "4", admin.Get(t.Context(), key).Val())
	require.Equal(t, 1, r.Hits())
}
