package gozk

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func frameOf(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int32:
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p))
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(p))), p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func TestAnswersAreFollowedHoweverTheStreamIsCut(t *testing.T) {
	type answer struct {
		xid  int32
		zxid int64
	}
	want := []answer{{1, 77}, {-1, -1}, {-2, 5}, {2, 1 << 40}, {3, 9}}
	stream := frameOf(int32(0), int32(4000), int64(42), make([]byte, 21))
	left := slices.Clone(stream) // for the driver
	for i, a := range want {
		body := bytes.Repeat([]byte{7}, i*13)
		stream = append(stream, frameOf(a.xid, a.zxid, int32(0), body)...)
		left = append(left, frameOf(a.xid, int64(0), int32(0), body)...)
	}
	for range 200 {
		var a answers
		var got []answer
		var timeout time.Duration
		seen := slices.Clone(stream)
		for rest := seen; len(rest) > 0; {
			n := 1 + rand.IntN(min(len(rest), 40))
			a.feed(rest[:n], func(xid int32, zxid int64) { got = append(got, answer{xid, zxid}) }, func(d time.Duration) { timeout = d })
			rest = rest[n:]
		}
		require.Equal(t, want, got)
		require.Equal(t, 4*time.Second, timeout)
		require.Equal(t, left, seen, "the driver sees all but the zxids")
	}
}

func TestRequestsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame []byte
		key   frameKey
		ok    bool
	}{
		{"create", frameOf(int32(7), int32(opCreate), "/a/b", "data"), frameKey{opCreate, "/a/b"}, true},
		{"list", frameOf(int32(8), int32(opChildren), "/a", []byte{0}), frameKey{opChildren, "/a"}, true},
		{"multi", frameOf(int32(9), int32(opMulti), int32(13)), frameKey{opcode: opMulti}, true},
		{"ping", frameOf(int32(-2), int32(11)), frameKey{opcode: 11}, false},
		{"credentials", frameOf(int32(3), int32(100), int32(0), "digest"), frameKey{opcode: 100}, false},
		{"a path that is not all there", frameOf(int32(7), int32(opGet), int32(400), []byte("/a")), frameKey{opcode: opGet}, false},
		{"a negative length", frameOf(int32(7), int32(opGet), int32(-1)), frameKey{opcode: opGet}, false},
		{"nothing", nil, frameKey{}, false},
		{"half a head", []byte{0, 0, 0, 8, 0, 0}, frameKey{}, false},
	} {
		key, _, ok := requestKey(c.frame)
		require.Equal(t, c.ok, ok, c.name)
		require.Equal(t, c.key, key, c.name)
	}
}

func TestServersGetTheirPort(t *testing.T) {
	got, err := addresses([]string{"a", "b:1", "[::1]", "[::1]:7", "10.0.0.1"})
	require.NoError(t, err)
	require.Equal(t, []string{"a:2181", "b:1", "[::1]:2181", "[::1]:7", "10.0.0.1:2181"}, got)
}
