package faultproxy

import (
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"
)

func TestZooRequestsInOneFlightAreTold(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	p.Delay(ToClient, glance) // no answer overtakes the next write
	create := later(createIn(c, path+"/a"))
	eventually(t, func() bool { return p.Count(Op("create")) == 1 })
	_, _, err := c.Children(path)
	require.NoError(t, err)
	require.NoError(t, result(t, create))
	require.NoError(t, c.Delete(path+"/a", -1))

	var flights []int
	for _, cmd := range p.Commands() {
		if cmd.Name != "ping" {
			flights = append(flights, cmd.InFlight)
			require.True(t, cmd.Answered)
			require.Zero(t, cmd.Code)
			require.GreaterOrEqual(t, cmd.AnsweredAt.Sub(cmd.At), glance)
		}
	}
	require.Equal(t, []int{0, 1, 0}, flights)
	require.Equal(t, 2, p.Flights(Under(path)))
	require.Equal(t, 2, p.Count(Writes()))
	require.Equal(t, 1, p.Count(Reads()))
	require.Empty(t, p.Messages())

	p.Delay(ToClient, 0)
	require.ErrorIs(t, c.Delete(path+"/a", -1), zk.ErrNoNode)
	list := p.Commands()
	require.EqualValues(t, CodeNoNode, list[len(list)-1].Code)
	require.False(t, exists(t, admin, path+"/a"))
}

func TestUnansweredRequestKeepsTheNextInItsFlight(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), SwallowReply())
	c.send("INCR " + key + "\r\n")
	within(t, r.Hit())
	c.send("PING\r\n")
	eventually(t, func() bool { return len(p.Commands()) == 2 })
	require.Equal(t, 1, p.Commands()[1].InFlight)
	require.Equal(t, 1, p.Flights(Any()))
}
