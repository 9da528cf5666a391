package faultproxy

import (
	"strconv"
	"time"
)

// ZooRequest is what the proxy understands of a request to ZooKeeper. What it
// cannot read is passed on all the same, and stays zero here.
type ZooRequest struct {
	ZooOp
	Opcode  int32
	Xid     int32
	Session int64         // of its connection; in a connect, the one to come back to
	Timeout time.Duration // that a connect asks for
	Ops     []ZooOp       // of a multi, in order
	Watches []string      // the paths of a setWatches
}

// ZooOp is one operation, alone or within a multi.
type ZooOp struct {
	Name    string // as in getChildren2
	Path    string
	Flags   int32 // of a create: the mode; of an addWatch: the mode of the watch
	Watch   bool  // a read leaves a watch
	Version int32 // that a set, delete or check expects, -1 for any
}

// Ephemeral tells whether a create makes an ephemeral node.
func (o ZooOp) Ephemeral() bool { return o.Flags == 1 || o.Flags == 3 }

// Sequential tells whether a create lets the server number the node.
func (o ZooOp) Sequential() bool { return o.Flags == 2 || o.Flags == 3 || o.Flags == 6 }

func (q *ZooRequest) paths() []string {
	var list []string
	if q.Path != "" {
		list = append(list, q.Path)
	}
	for _, o := range q.Ops {
		list = append(list, o.Path)
	}
	return append(list, q.Watches...)
}

var zooNames = map[int32]string{
	1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 6: "getACL", 7: "setACL",
	8: "getChildren", 9: "sync", 11: "ping", 12: "getChildren2", 13: "check", 14: "multi", 15: "create2",
	16: "reconfig", 17: "checkWatches", 18: "removeWatches", 19: "createContainer", 20: "deleteContainer",
	21: "createTTL", 22: "multiRead", 100: "auth", 101: "setWatches", 102: "sasl", 103: "getEphemerals",
	104: "getAllChildrenNumber", 105: "setWatches2", 106: "addWatch", 107: "whoAmI",
	-10: "createSession", -11: "closeSession",
}

func zooName(opcode int32) string {
	if name, ok := zooNames[opcode]; ok {
		return name
	}
	return "op" + strconv.Itoa(int(opcode))
}

// parseConnect reads a client's handshake. Some clients send a last byte, for
// read-only servers; nobody here asks.
func parseConnect(body []byte) *ZooRequest {
	b := jute{b: body}
	b.int32() // protocol version
	b.int64() // last zxid seen
	q := &ZooRequest{ZooOp: ZooOp{Name: "connect"}}
	q.Timeout = time.Duration(b.int32()) * time.Millisecond
	q.Session = b.int64()
	return q
}

// parseZooRequest reads a request with a header.
func parseZooRequest(body []byte) *ZooRequest {
	b := jute{b: body}
	q := &ZooRequest{Xid: b.int32(), Opcode: b.int32()}
	if b.short {
		q.Name = "malformed"
		return q
	}
	q.Name = zooName(q.Opcode)
	switch q.Name {
	case "multi", "multiRead":
		q.Ops = b.ops()
	case "setWatches", "setWatches2":
		b.int64()         // last zxid seen
		for range 3 + 2 { // setWatches has three lists, its successor five
			q.Watches = append(q.Watches, b.texts()...)
		}
	default:
		q.ZooOp = b.op(q.Name)
	}
	return q
}

// ops reads what is in a multi: an operation behind each header, and a last
// header alone.
func (j *jute) ops() (list []ZooOp) {
	for {
		opcode := j.int32()
		done := j.bool()
		j.int32() // an error, which only answers have
		if j.short || done {
			return list
		}
		o := j.op(zooName(opcode))
		if j.short {
			return list
		}
		list = append(list, o)
	}
}

// op reads the body of one operation. Of those that have no path nothing is
// read, and no credentials.
func (j *jute) op(name string) ZooOp {
	o := ZooOp{Name: name}
	switch name {
	case "ping", "auth", "sasl", "closeSession", "reconfig", "whoAmI":
		return o
	}
	o.Path = j.text()
	switch name {
	case "create", "create2", "createContainer", "createTTL":
		j.buffer() // data
		j.acl()
		o.Flags = j.int32()
		if name == "createTTL" {
			j.int64()
		}
	case "exists", "getData", "getChildren", "getChildren2":
		o.Watch = j.bool()
	case "setData":
		j.buffer()
		o.Version = j.int32()
	case "setACL":
		j.acl()
		o.Version = j.int32()
	case "delete", "check":
		o.Version = j.int32()
	case "addWatch":
		o.Flags = j.int32()
		o.Watch = true
	}
	return o
}

func (j *jute) acl() {
	j.vector(func() {
		j.int32() // permissions
		j.buffer()
		j.buffer()
	})
}
