package faultproxy

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var wellFormed = []struct {
	name string
	body []byte
	want ZooRequest
}{
	{
		"create", body(1, 1, "/a", "data", 2, 31, "world", "anyone", 1, "auth", "", 3),
		ZooRequest{Xid: 1, Opcode: 1, ZooOp: ZooOp{Name: "create", Path: "/a", Flags: 3}},
	},
	{
		"create2 with null data and no list", body(2, 15, "/a", -1, -1, 1),
		ZooRequest{Xid: 2, Opcode: 15, ZooOp: ZooOp{Name: "create2", Path: "/a", Flags: 1}},
	},
	{
		"createTTL", body(2, 21, "/a", "", 0, 6, int64(1000)),
		ZooRequest{Xid: 2, Opcode: 21, ZooOp: ZooOp{Name: "createTTL", Path: "/a", Flags: 6}},
	},
	{
		"getChildren", body(3, 8, "/a", true),
		ZooRequest{Xid: 3, Opcode: 8, ZooOp: ZooOp{Name: "getChildren", Path: "/a", Watch: true}},
	},
	{
		"removeWatches", body(4, 18, "/a", 2),
		ZooRequest{Xid: 4, Opcode: 18, ZooOp: ZooOp{Name: "removeWatches", Path: "/a"}},
	},
	{
		"checkWatches", body(4, 17, "/a", 2),
		ZooRequest{Xid: 4, Opcode: 17, ZooOp: ZooOp{Name: "checkWatches", Path: "/a"}},
	},
	{
		"addWatch", body(4, 106, "/a", 1),
		ZooRequest{Xid: 4, Opcode: 106, ZooOp: ZooOp{Name: "addWatch", Path: "/a", Flags: 1, Watch: true}},
	},
	{
		"multi", body(5, 14, 13, false, -1, "/a", -1, 1, false, -1, "/b", "", 0, 2, 2, false, -1, "/c", 4, -1, true, -1),
		ZooRequest{Xid: 5, Opcode: 14, ZooOp: ZooOp{Name: "multi"}, Ops: []ZooOp{
			{Name: "check", Path: "/a", Version: -1},
			{Name: "create", Path: "/b", Flags: 2},
			{Name: "delete", Path: "/c", Version: 4},
		}},
	},
	{
		"setWatches", body(-8, 101, int64(9), 1, "/a", 0, 2, "/b", "/c"),
		ZooRequest{Xid: -8, Opcode: 101, ZooOp: ZooOp{Name: "setWatches"}, Watches: []string{"/a", "/b", "/c"}},
	},
	{
		"setWatches2", body(-8, 105, int64(9), 1, "/a", -1, 0, 1, "/d", 1, "/e"),
		ZooRequest{Xid: -8, Opcode: 105, ZooOp: ZooOp{Name: "setWatches2"}, Watches: []string{"/a", "/d", "/e"}},
	},
	{
		"auth, of which no word is kept", body(-4, 100, 0, "digest", "user:password"),
		ZooRequest{Xid: -4, Opcode: 100, ZooOp: ZooOp{Name: "auth"}},
	},
	{"ping", body(-2, 11), ZooRequest{Xid: -2, Opcode: 11, ZooOp: ZooOp{Name: "ping"}}},
	{"goodbye", body(6, -11), ZooRequest{Xid: 6, Opcode: -11, ZooOp: ZooOp{Name: "closeSession"}}},
	{"unknown", body(7, 999, "/a"), ZooRequest{Xid: 7, Opcode: 999, ZooOp: ZooOp{Name: "op999", Path: "/a"}}},
}

func TestZooRequestsAreReadFromTheirBytes(t *testing.T) {
	for _, c := range wellFormed {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, *parseZooRequest(c.body))
		})
	}
}

func TestZooRequestCutShortIsReadAsFarAsItGoes(t *testing.T) {
	for _, c := range wellFormed {
		for n := range c.body {
			q := parseZooRequest(c.body[:n])
			if n < 8 {
				require.Equal(t, "malformed", q.Name)
				continue
			}
			require.Equal(t, c.want.Name, q.Name)
			require.LessOrEqual(t, len(q.Ops), len(c.want.Ops))
		}
	}
}

// zooTalk is a connection of which the client has sent a handshake and
// requests.
func zooTalk(t *testing.T, bodies ...[]byte) (*zoo, []*entry) {
	t.Helper()
	z := newZoo(&zooState{}, 1).(*zoo)
	hello := body(0, int64(0), 9000, int64(0), "0123456789abcdef", false)
	var open []*entry
	for _, b := range append([][]byte{hello}, bodies...) {
		req, err := z.readRequest(bufio.NewReader(bytes.NewReader(zooFrame(b))))
		require.NoError(t, err)
		open = append(open, &entry{req: req})
	}
	return z, open
}

func TestZooRepliesFindTheirRequestsByNumber(t *testing.T) {
	z, open := zooTalk(t, body(1, 4, "/a", false), body(-2, 11), body(-4, 100, 0, "digest", "u:p"), body(2, 2, "/a", -1))
	require.Equal(t, 9*time.Second, open[0].req.Zoo.Timeout)
	for _, c := range []struct {
		raw  []byte
		want int
	}{
		{helloFrame(4*time.Second, 77, make([]byte, 16)), 0},
		{zooFrame(body(-4, int64(5), 0)), 3}, // overtakes
		{zooFrame(body(-1, int64(-1), 0, 2, 3, "/a")), -1},
		{zooFrame(body(1, int64(5), -101)), 1},
		{zooFrame(body(-2, int64(5), 0)), 2},
		{zooFrame(body(2, int64(6), 0)), 4},
		{zooFrame(body(3, int64(6), 0)), -1},
		{zooFrame([]byte{0}), -1},
	} {
		rep, err := z.readReply(bufio.NewReader(bytes.NewReader(c.raw)))
		require.NoError(t, err)
		require.Equal(t, c.want, z.match(open, rep))
		require.Equal(t, c.raw, rep.raw)
		require.Equal(t, c.want == 2, rep.beat)
	}
	require.EqualValues(t, 77, z.session.Load())
	require.Equal(t, zooFrame(body(2, int64(6), -118)), z.errorReply(open[4].req, "-118"))
}
