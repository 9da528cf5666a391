package faultproxy

import "time"

// Action is what happens to a chosen request.
type Action struct {
	kind  actionKind
	delay time.Duration
	text  string
	code  int32
}

type actionKind int

const (
	actSwallowReply actionKind = iota
	actSwallowReplyReset
	actHoldReply
	actSwallowRequest
	actSwallowRequestReset
	actDelay
	actHold
	actHoldReset
	actRefuse
	actDelayReply
	actDropReply
	actDropRequest
	actResetBehind
	actCut // of a frame, see CutAt
)

// SwallowReply lets the server carry the request out, and keeps its reply and
// everything after it from the client. The connection stays open and silent;
// later requests still reach the server.
func SwallowReply() Action { return Action{kind: actSwallowReply} }

// SwallowReplyAndReset lets the server carry the request out, and resets the
// connection in place of the reply.
func SwallowReplyAndReset() Action { return Action{kind: actSwallowReplyReset} }

// HoldReply lets the server carry the request out, and keeps the reply and
// everything after it back until Release.
func HoldReply() Action { return Action{kind: actHoldReply} }

// SwallowRequest keeps the request, and every later one of its connection,
// from the server. The connection stays open and silent.
func SwallowRequest() Action { return Action{kind: actSwallowRequest} }

// SwallowRequestAndReset keeps the request from the server, and resets the
// connection when the requests before it have been answered.
func SwallowRequestAndReset() Action { return Action{kind: actSwallowRequestReset} }

// DelayRequest forwards the request, and what is behind it, after d.
func DelayRequest(d time.Duration) Action { return Action{kind: actDelay, delay: d} }

// Hold forwards the request, and what is behind it, at Release: also when the
// client has closed the connection by then, as a network may.
func Hold() Action { return Action{kind: actHold} }

// HoldAndReset resets the client's connection at once, and forwards the
// request at Release: a request that arrives late, from a client that has
// long given it up.
func HoldAndReset() Action { return Action{kind: actHoldReset} }

// DelayReply lets the server carry the request out, and passes the reply, and
// what is behind it, on after d.
func DelayReply(d time.Duration) Action { return Action{kind: actDelayReply, delay: d} }

// DropReply lets the server carry the request out, and loses its reply alone:
// what comes later passes. It is for ZooKeeper, whose replies carry the number
// of their request; a client of Redis would take the next reply for it.
func DropReply() Action { return Action{kind: actDropReply} }

// DropRequest keeps the request alone from the server: later ones pass. It is
// for ZooKeeper, like DropReply.
func DropRequest() Action { return Action{kind: actDropRequest} }

// ResetBehind forwards the request and resets the client's connection at once,
// without waiting for the server. The request arrives; whether its answer was
// under way by then is open.
func ResetBehind() Action { return Action{kind: actResetBehind} }

// ReplyError keeps the request from the server and answers it with an error
// line, for example "BUSY Redis is busy running a script".
func ReplyError(line string) Action { return Action{kind: actRefuse, text: line} }
