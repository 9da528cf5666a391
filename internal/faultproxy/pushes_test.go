package faultproxy

import (
	"fmt"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestMessagesAreLostDoubledAndCountedInBothVersions(t *testing.T) {
	p, admin, key := before(t)
	for _, version := range []int{2, 3} {
		p.Reset()
		c := redis.NewClient(&redis.Options{Addr: p.Addr(), Protocol: version})
		sub := c.Subscribe(t.Context(), key, key+":b")
		for range 2 {
			_, err := sub.Receive(t.Context()) // the confirmations
			require.NoError(t, err)
		}
		p.OnPush(func(m Push) int {
			require.Equal(t, key, m.Channel)
			return map[string]int{"lost": 0, "doubled": 2, "plain": 1}[m.Payload]
		})
		for _, text := range []string{"lost", "doubled", "plain"} {
			require.NoError(t, admin.Publish(t.Context(), key, text).Err())
		}
		for _, want := range []string{"doubled", "doubled", "plain"} {
			m, err := sub.ReceiveMessage(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, m.Payload)
		}
		// The connection still speaks: pings and more subscriptions.
		require.NoError(t, sub.Ping(t.Context()))
		_, err := sub.Receive(t.Context())
		require.NoError(t, err)
		require.NoError(t, sub.Unsubscribe(t.Context()))
		require.Equal(t, 3, p.Stats().Messages)
		require.Equal(t, 1, p.Stats().Withheld)
		p.OnPush(nil)
		require.NoError(t, sub.Close())
		require.NoError(t, c.Close())
	}
	require.Zero(t, p.Stats().Malformed)
}

func TestConfirmationOfASubscriptionCanBeSwallowed(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("SUBSCRIBE"), SwallowReply())
	c.send("SUBSCRIBE " + key + "\r\n")
	within(t, r.Hit())
	require.EqualValues(t, 1, admin.PubSubNumSub(t.Context(), key).Val()[key], "the server has it")
	require.NoError(t, admin.Publish(t.Context(), key, "m").Err())
	c.silent()
}

func TestSubscriptionOfSeveralChannelsIsOneRequest(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	c.send("SUBSCRIBE " + key + " " + key + ":b\r\nPING\r\n")
	confirmed := func(kind, channel string, n int) string {
		return fmt.Sprintf("*3\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n:%d\r\n", len(kind), kind, len(channel), channel, n)
	}
	c.receives(confirmed("subscribe", key, 1) + confirmed("subscribe", key+":b", 2))
	c.receives("*2\r\n$4\r\npong\r\n$0\r\n\r\n")
	r := p.OnRequest(Named("PING"), ReplyError("ERR no"))
	c.send("UNSUBSCRIBE\r\nPING\r\n")
	eventually(t, func() bool { return r.Hits() == 1 })
	eventually(t, func() bool {
		return !slices.ContainsFunc(p.Commands(), func(c Command) bool { return !c.Answered })
	})
}

func TestSharesAreLostTheSameWayForTheSameSeed(t *testing.T) {
	run := func(seed uint64) (list []int) {
		f := DropShare(0.2, seed)
		for range 1000 {
			list = append(list, f(Push{}))
		}
		return list
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
	lost := 0
	for _, n := range run(1) {
		lost += 1 - n
	}
	require.InDelta(t, 200, lost, 60)
}
