package faultproxy

import (
	"errors"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"
)

func TestZooDroppedReplyIsLostAloneAndItsRequestCarriedOut(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	r := p.OnEveryRequest(Nth(2, All(Op("create"), Under(path))), DropReply())
	require.NoError(t, createIn(c, path+"/a")())
	lost := later(createIn(c, path+"/b"))
	within(t, r.Hit())
	require.NoError(t, createIn(c, path+"/c")())
	require.True(t, exists(t, admin, path+"/b"))
	openCall(t, lost)
	require.Equal(t, 1, r.Hits())
	p.Cut()
	require.ErrorIs(t, result(t, lost), zk.ErrConnectionClosed)
}

func TestZooSwallowedReplySilencesItsConnection(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	r := p.OnRequest(All(Named("create"), Under(path)), SwallowReply())
	lost := later(createIn(c, path+"/a"))
	within(t, r.Hit())
	behind := later(createIn(c, path+"/b"))
	eventually(t, func() bool { return exists(t, admin, path+"/b") })
	openCall(t, lost)
	openCall(t, behind)
	p.Cut()
	require.ErrorIs(t, result(t, lost), zk.ErrConnectionClosed)
	require.ErrorIs(t, result(t, behind), zk.ErrConnectionClosed)
	require.True(t, exists(t, c, path+"/a"), "the client comes back to its session")
}

func TestZooDroppedRequestNeverArrivesAndLaterOnesDo(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	r := p.OnRequest(Under(path+"/a"), DropRequest())
	lost := later(createIn(c, path+"/a"))
	within(t, r.Hit())
	require.NoError(t, createIn(c, path+"/b")())
	require.False(t, exists(t, admin, path+"/a"))
	openCall(t, lost)
	p.Cut()
	require.ErrorIs(t, result(t, lost), zk.ErrConnectionClosed)
}

func TestZooConnectionIsCutOnEitherSideOfTheServersDoing(t *testing.T) {
	for name, c := range map[string]struct {
		act  Action
		done bool
	}{
		"before the request": {SwallowRequestAndReset(), false},
		"behind the request": {ResetBehind(), true},
		"at the reply":       {SwallowReplyAndReset(), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, client, admin, path := zooBefore(t)
			r := p.OnRequest(Op("create"), c.act)
			require.ErrorIs(t, result(t, later(createIn(client, path+"/a"))), zk.ErrConnectionClosed)
			within(t, r.Hit())
			if c.done {
				eventually(t, func() bool { return exists(t, admin, path+"/a") })
			} else {
				require.False(t, exists(t, admin, path+"/a"))
			}
			require.NoError(t, createIn(client, path+"/b")(), "the client comes back")
			list := p.Sessions()
			require.True(t, list[len(list)-1].Resumed)
		})
	}
}

func TestZooHeldAndDelayedRepliesComeLater(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	r := p.OnRequest(Op("create"), HoldReply())
	held := later(createIn(c, path+"/a"))
	within(t, r.Hit())
	require.True(t, exists(t, admin, path+"/a"))
	openCall(t, held)
	r.Release()
	require.NoError(t, result(t, held))

	r = p.OnRequest(Op("create"), DelayReply(glance))
	began := time.Now()
	require.NoError(t, createIn(c, path+"/b")())
	require.GreaterOrEqual(t, time.Since(began), glance)
	require.Equal(t, 1, r.Hits())
}

func TestZooRequestArrivesLateFromAClientThatHasLeft(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	require.NoError(t, p.Refuse(true)) // back at its session, it would make the server drop the old connection
	r := p.OnRequest(Op("create"), HoldAndReset())
	require.ErrorIs(t, result(t, later(createIn(c, path+"/a"))), zk.ErrConnectionClosed)
	require.False(t, exists(t, admin, path+"/a"))
	r.Release()
	eventually(t, func() bool { return exists(t, admin, path+"/a") })
	require.NoError(t, p.Refuse(false))
	require.ErrorIs(t, untilConnected(t, createIn(c, path+"/a")), zk.ErrNodeExists)
}

// untilConnected repeats f until the answer is the server's.
func untilConnected(t *testing.T, f func() error) (err error) {
	t.Helper()
	eventually(t, func() bool {
		err = f()
		return !errors.Is(err, zk.ErrConnectionClosed)
	})
	return err
}

func TestZooForgedErrorsKeepTheServerOut(t *testing.T) {
	p, c, admin, path := zooBefore(t)
	for code, want := range map[int32]error{
		CodeNodeExists: zk.ErrNodeExists, CodeNoNode: zk.ErrNoNode, CodeNoAuth: zk.ErrNoAuth,
		CodeSessionMoved: zk.ErrSessionMoved, CodeBadVersion: zk.ErrBadVersion,
	} {
		r := p.OnRequest(Op("create"), ReplyCode(code))
		require.ErrorIs(t, createIn(c, path+"/a")(), want)
		require.Equal(t, 1, r.Hits())
	}
	require.False(t, exists(t, admin, path+"/a"))
	for _, cmd := range p.Commands() {
		require.NotZero(t, cmd.Code)
		require.True(t, cmd.Answered)
	}
	require.Equal(t, int32(CodeSystemError), zooCode("BUSY a line for Redis"))
}

func TestZooRefusedHandshakeIsAnExpiredSession(t *testing.T) {
	p, c, _, path := zooBefore(t)
	first, _ := p.Session()
	p.OnRequest(Named("connect"), ReplyCode(CodeSessionExpired))
	p.Cut()
	eventually(t, func() bool {
		_, _, err := c.Exists(path)
		return err == nil && c.SessionID() != first.ID
	})
	now, ok := p.Session()
	require.True(t, ok)
	require.False(t, now.Resumed)
	require.Equal(t, c.SessionID(), now.ID)
}
