package faultproxy

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestRoundTripsAreWritesThatWereAnswered(t *testing.T) {
	p, _, key := before(t)
	c := redis.NewClient(&redis.Options{Addr: p.Addr(), PoolSize: 1, PipelinePoolSize: -1})
	defer c.Close()
	require.NoError(t, c.Ping(t.Context()).Err()) // opens the connection
	p.Reset()

	require.NoError(t, c.Incr(t.Context(), key).Err())
	require.NoError(t, c.Incr(t.Context(), key).Err())
	require.Equal(t, 2, p.Stats().RoundTrips)
	_, err := c.Pipelined(t.Context(), func(pipe redis.Pipeliner) error {
		for range 10 {
			pipe.Incr(t.Context(), key)
		}
		return nil
	})
	require.NoError(t, err)
	s := p.Stats()
	require.Equal(t, Stats{Requests: 12, Bursts: 3, RoundTrips: 3}, s)
	require.Equal(t, 12, p.Count(All(Named("incr"), Touching(key))))
	require.Len(t, p.Conns()[0].Commands(), 12)
	last := p.Commands()[11]
	require.Equal(t, []string{"incr", key}, last.Args)
	require.Equal(t, p.Commands()[2].Burst, last.Burst)
	require.NotEqual(t, p.Commands()[1].Burst, last.Burst)
	require.True(t, last.Answered)
}

func TestLostReplyIsNoRoundTrip(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), SwallowReply())
	c.send("INCR " + key + "\r\n")
	within(t, r.Hit())
	require.Equal(t, Stats{Accepted: 1, Requests: 1, Bursts: 1}, p.Stats())
	require.False(t, p.Commands()[0].Answered)
}

func TestLogForgetsTheOldestFirst(t *testing.T) {
	j := &journal{}
	b, c := j.newBurst(), &Conn{}
	for range 3 * kept {
		j.add(c, &Request{Name: "OLD"}, b)
	}
	j.add(c, &Request{Name: "NEW"}, b)
	require.LessOrEqual(t, len(j.lines), 2*kept)
	require.GreaterOrEqual(t, len(j.lines), kept)
	require.Equal(t, "NEW", j.lines[len(j.lines)-1].Name)
	require.Equal(t, 3*kept+1, j.stats.Requests)
}
