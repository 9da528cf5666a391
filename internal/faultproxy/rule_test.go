package faultproxy

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSwallowedReplyIsOfACarriedOutRequest(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), SwallowReplyAndReset())
	c.send("SET x 1\r\n" + "INCR " + key + "\r\n" + "INCR " + key + ":2\r\n")
	c.receives("+OK\r\n")
	require.ErrorIs(t, c.ended(), syscall.ECONNRESET)
	within(t, r.Hit())
	require.Equal(t, "1", admin.Get(t.Context(), key).Val())

	again := dial(t, p)
	again.send("INCR " + key + "\r\n")
	again.receives(":2\r\n")
	require.Equal(t, 1, r.Hits(), "one request, no more")
}

func TestSwallowedReplyLeavesAnOpenSilentConnection(t *testing.T) {
	p, admin, key := before(t)
	c, other := dial(t, p), dial(t, p)
	r := p.OnRequest(Touching(key), SwallowReply())
	c.send("PING\r\nINCR " + key + "\r\n")
	c.receives("+PONG\r\n")
	within(t, r.Hit())
	c.send("INCR " + key + "\r\n")
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "2" })
	c.silent()
	other.send("PING\r\n")
	other.receives("+PONG\r\n")
}

func TestSwallowedRequestNeverArrives(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), SwallowRequest())
	c.send("PING\r\nINCR " + key + "\r\nINCR " + key + "\r\n")
	c.receives("+PONG\r\n")
	within(t, r.Hit())
	c.silent()
	require.Zero(t, admin.Exists(t.Context(), key).Val())
}

func TestSwallowedRequestWithResetKeepsTheAnswersBeforeIt(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), SwallowRequestAndReset())
	c.send("PING\r\nINCR " + key + "\r\n")
	c.receives("+PONG\r\n")
	require.ErrorIs(t, c.ended(), syscall.ECONNRESET)
	within(t, r.Hit())
	require.Zero(t, admin.Exists(t.Context(), key).Val())
}

func TestHeldRequestArrivesAtRelease(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), Hold())
	c.send("PING\r\nINCR " + key + "\r\nPING\r\n")
	c.receives("+PONG\r\n")
	within(t, r.Hit())
	c.silent()
	require.Zero(t, admin.Exists(t.Context(), key).Val())
	r.Release()
	c.receives(":1\r\n+PONG\r\n")
}

func TestHeldRequestArrivesAlthoughItsClientHasLeft(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), Hold())
	c.send("INCR " + key + "\r\n")
	within(t, r.Hit())
	require.NoError(t, c.c.Close())
	require.Zero(t, admin.Exists(t.Context(), key).Val())
	r.Release()
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "1" })
	eventually(t, func() bool { return len(p.Conns()) == 0 })
}

func TestRequestArrivesLateFromAClientThatWasReset(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), HoldAndReset())
	c.send("INCR " + key + "\r\n")
	require.ErrorIs(t, c.ended(), syscall.ECONNRESET)
	within(t, r.Hit())
	require.Zero(t, admin.Exists(t.Context(), key).Val())
	r.Release()
	eventually(t, func() bool { return admin.Get(t.Context(), key).Val() == "1" })
}

func TestHeldReplyComesAtRelease(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), HoldReply())
	refused := p.OnRequest(Named("GET"), ReplyError("LOADING wait"))
	c.send("INCR " + key + "\r\nGET " + key + "\r\nPING\r\n")
	within(t, r.Hit())
	require.Equal(t, "1", admin.Get(t.Context(), key).Val())
	c.silent()
	require.Zero(t, refused.Hits(), "a forged answer does not overtake")
	r.Release()
	c.receives(":1\r\n-LOADING wait\r\n+PONG\r\n")
}

func TestDelayedRequestArrivesLater(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	p.OnRequest(Named("INCR"), DelayRequest(glance))
	began := time.Now()
	c.send("INCR " + key + "\r\nINCR " + key + "\r\n")
	c.receives(":1\r\n:2\r\n")
	require.GreaterOrEqual(t, time.Since(began), glance)
}

func TestForgedErrorsKeepTheirPlaceInAPipeline(t *testing.T) {
	p, admin, key := before(t)
	for _, line := range []string{
		"BUSY Redis is busy running a script", "LOADING Redis is loading the dataset in memory",
		"READONLY You can't write against a read only replica.", "NOSCRIPT No matching script.",
		"OOM command not allowed", "MISCONF errors writing to disk", "ERR unknown command 'INCR'",
	} {
		c := dial(t, p)
		r := p.OnEveryRequest(Nth(2, Named("INCR")), ReplyError(line))
		c.send("INCR " + key + "\r\nINCR " + key + "\r\nINCR " + key + "\r\n")
		c.receives(":1\r\n-" + line + "\r\n:2\r\n")
		require.Equal(t, 1, r.Hits())
		r.Remove()
		require.NoError(t, admin.Del(t.Context(), key).Err())
	}
}

func TestRuleForEveryRequestHoldsUntilRemoved(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	r := p.OnEveryRequest(Touching(key), ReplyError("ERR no"))
	for range 3 {
		c.send("GET " + key + "\r\n")
		c.receives("-ERR no\r\n")
	}
	require.Equal(t, 3, r.Hits())
	r.Remove()
	c.send("GET " + key + "\r\n")
	c.receives("$-1\r\n")
}

func TestScriptRunsAreChosenByTheirKeys(t *testing.T) {
	p, _, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(All(Script(key), Nth(2, Any())), ReplyError("ERR second"))
	c.send("PING\r\n" + words("EVAL", "return 1", "1", "other"))
	c.receives("+PONG\r\n:1\r\n")
	c.send("EVAL return(1) 1 " + key + "\r\nEVAL return(1) 1 " + key + "\r\nEVAL return(1) 1 " + key + "\r\n")
	c.receives(":1\r\n-ERR second\r\n:1\r\n")
	require.Equal(t, 1, r.Hits())
}

func TestProxyClosesWhileARequestIsHeld(t *testing.T) {
	p, admin, key := before(t)
	c := dial(t, p)
	r := p.OnRequest(Named("INCR"), Hold())
	c.send("INCR " + key + "\r\n")
	within(t, r.Hit())
	require.NoError(t, p.Close())
	require.ErrorIs(t, c.ended(), syscall.ECONNRESET)
	r.Release()
	require.Zero(t, admin.Exists(t.Context(), key).Val())
}
