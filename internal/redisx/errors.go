package redisx

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/limit"
	"github.com/holdfast-go/holdfast/rediscore"
)

var errUnscripted = errors.New("the server forgets scripts between two requests")

// passing are the codes of errors that get better by themselves; the command
// was not carried out.
var passing = map[string]bool{
	"LOADING": true, "MASTERDOWN": true, "CLUSTERDOWN": true, "TRYAGAIN": true,
	"READONLY": true, "NOREPLICAS": true, "BUSY": true, "MOVED": true, "ASK": true, "UNBLOCKED": true,
}

// refusal is an error the server answered with: worth asking again, or not.
func (c *Core) refusal(e *rediscore.ServerError) error {
	if passing[e.Code()] || strings.HasPrefix(e.Text, "ERR max number of clients") {
		return &claim.Trouble{Err: e}
	}
	f := &grant.Fault{Kind: grant.ErrUnavailable, Causes: []error{e}}
	switch e.Code() {
	case "WRONGTYPE":
		f.Kind = grant.ErrConflict
	case "CROSSSLOT":
		f.Kind, f.Detail = grant.ErrInvalid, "the keys of this name fall into different slots"
	}
	return f
}

var errNoAnswer = errors.New("no answer in time")

// ownLimit names a limit of ours by its own error: a caller would take a
// context's for the end of its own.
func ownLimit(ctx context.Context, err error) error {
	l, ok := ctx.(*limit.Context)
	var s *rediscore.SendError
	if !ok || l.Context.Err() != nil || !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &s) {
		return err
	}
	return &rediscore.SendError{Sent: s.Sent, Err: errNoAnswer}
}

// maybeDone reports whether the request behind err may have been carried out,
// or may still be.
func maybeDone(err error) bool {
	var s *rediscore.SendError
	return errors.As(err, &s) && s.Sent
}

// silent reports whether err means that there was no answer.
func silent(err error) bool {
	var s *rediscore.SendError
	return errors.As(err, &s)
}

// number reads an integer out of what a script may reply with. What is none is
// 0: stored data is not ours to trust.
func number(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case string:
		i, _ := strconv.ParseInt(n, 10, 64)
		return i
	}
	return 0
}

func crossSlot(err error) bool {
	var f *grant.Fault
	return errors.As(err, &f) && errors.Is(f, grant.ErrInvalid)
}
