package golden

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// Watch is a server of one test, all of whose keys and messages it sees.
type Watch struct {
	*testing.T
	Server *stores.Server
	Client *redis.Client
	sub    *redis.PubSub
	marks  int
}

// NewWatch starts the server.
func NewWatch(t *testing.T) *Watch {
	t.Helper()
	s := stores.Single(t)
	w := &Watch{T: t, Server: s, Client: s.Client(t)}
	w.sub = w.Client.PSubscribe(t.Context(), "*")
	t.Cleanup(func() { require.NoError(t, w.sub.Close()) })
	_, err := w.sub.Receive(t.Context())
	require.NoError(t, err)
	return w
}

// State is all keys. A TTL has Min and Max alike.
func (w *Watch) State() State {
	w.Helper()
	ctx := context.Background()
	names, err := w.Client.Keys(ctx, "*").Result()
	require.NoError(w, err)
	out := State{}
	for _, name := range names {
		var k Key
		k.Type, err = w.Client.Type(ctx, name).Result()
		require.NoError(w, err)
		ttl, err := w.Client.PTTL(ctx, name).Result()
		require.NoError(w, err)
		k.TTL = TTL{None: ttl == -1, Min: ttl, Max: ttl}
		k.Value = w.value(ctx, name, k.Type)
		out[name] = k
	}
	return out
}

func (w *Watch) value(ctx context.Context, name, kind string) any {
	w.Helper()
	switch kind {
	case "string":
		v, err := w.Client.Get(ctx, name).Result()
		require.NoError(w, err)
		return v
	case "hash":
		all, err := w.Client.HGetAll(ctx, name).Result()
		require.NoError(w, err)
		fields := make(map[string]any, len(all))
		for f, v := range all {
			fields[f] = v
		}
		return fields
	}
	require.FailNow(w, "a type that no golden state has", "%s of %s", kind, name)
	return nil
}

// Messages is what was published since the last call. A mark of its own shows
// where that ends.
func (w *Watch) Messages() (out [][2]string) {
	w.Helper()
	w.marks++
	mark := fmt.Sprint(w.marks)
	const channel = "golden:mark"
	require.NoError(w, w.Client.Publish(context.Background(), channel, mark).Err())
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		m, err := w.sub.ReceiveMessage(ctx)
		cancel()
		require.NoError(w, err)
		switch {
		case m.Channel != channel:
			out = append(out, [2]string{m.Channel, m.Payload})
		case m.Payload == mark:
			return out
		}
	}
}

// slow is how much longer than the recorder a busy machine may take between two
// steps.
const slow = 2500 * time.Millisecond

// Compare compares two states: types, fields and values to the letter. A TTL
// may be as low as a slow machine makes it, and no higher than most says for
// its key: the recorder was not always as quick as this test.
func Compare(t *testing.T, want, got State, most map[string]time.Duration) {
	t.Helper()
	shape := func(s State) map[string][2]any {
		out := make(map[string][2]any, len(s))
		for name, k := range s {
			out[name] = [2]any{k.Type, k.Value}
		}
		return out
	}
	require.Equal(t, shape(want), shape(got))
	for name, k := range want {
		ttl := got[name].TTL
		require.Equal(t, k.TTL.None, ttl.None, "%q: has it a TTL?", name)
		if !k.TTL.None {
			require.Greater(t, ttl.Min, max(k.TTL.Min-slow, 0), "TTL of %q", name)
			require.LessOrEqual(t, ttl.Max, max(k.TTL.Max, most[name]), "TTL of %q", name)
		}
	}
}
