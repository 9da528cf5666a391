package interop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
)

var names = []string{"a b:c", "x{y}z:w", "Schlüssel/ключ/锁/🔒", "*?[a]\\\"'\n\t%s"}

func TestBL14NamesMeanTheSameLockInBothLanguages(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) { p.namesAgree(t) })
}

// namesAgree has each language exclude and wake the other under odd names.
func (p *pair) namesAgree(t *testing.T) {
	t.Helper()
	ctx := soon(t)
	for _, odd := range names {
		name := odd + p.name("")
		m, j := p.mutex(name), p.thread("t1", name)
		h := hold(t, m)
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		p.refused(t, name)
		call := j.GoLock(peer.Watchdog)
		p.subscribed(t, name, 1)
		require.NoError(t, h.Release(ctx))
		require.NoError(t, call.Err(ctx))
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		p.refused(t, name)
		in := waiting(t, m)
		p.subscribed(t, name, 1)
		require.NoError(t, j.Unlock(ctx))
		fence := entered(t, in).fence
		if p.layout.name == fenced.name {
			token, err := p.java.Thread("t1").Fenced(name).Token(ctx)
			require.NoError(t, err)
			require.Equal(t, fence, token)
		}
	}
}
