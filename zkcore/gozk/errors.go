package gozk

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdfast-go/holdfast/zkcore"
)

var codes = []struct {
	err  error
	code zkcore.Code
}{
	{zk.ErrNoNode, zkcore.NoNode},
	{zk.ErrNoAuth, zkcore.NoAuth},
	{zk.ErrBadVersion, zkcore.BadVersion},
	{zk.ErrNoChildrenForEphemerals, zkcore.NoChildren},
	{zk.ErrNodeExists, zkcore.NodeExists},
	{zk.ErrNotEmpty, zkcore.NotEmpty},
	{zk.ErrInvalidACL, zkcore.InvalidACL},
	{zk.ErrSessionMoved, zkcore.SessionMoved},
	{zk.ErrBadArguments, zkcore.BadArguments},
}

// others are answers without a code of interest.
var others = []error{zk.ErrAPIError, zk.ErrUnknown, zk.ErrAuthFailed, zk.ErrNothing, zk.ErrReconfigDisabled, zk.ErrInvalidFlags}

// classed sorts an error of the driver: an answer of the server, or none. A
// request that was written and not answered may have been carried out.
func classed(err error, written bool) error {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return &zkcore.ServerError{Code: c.code, Text: err.Error()}
		}
	}
	for _, o := range others {
		if errors.Is(err, o) {
			return &zkcore.ServerError{Text: err.Error()}
		}
	}
	// The driver has no value for the codes that it does not know.
	var code int32
	if n, _ := fmt.Sscanf(err.Error(), "unknown error: %d", &code); n == 1 {
		return &zkcore.ServerError{Code: zkcore.Code(code), Text: fmt.Sprintf("the server answered with error %d", code)}
	}
	return &zkcore.SendError{Sent: written, Err: err}
}

func acls(list []zkcore.ACL) []zk.ACL {
	out := make([]zk.ACL, 0, len(list))
	for _, a := range list {
		out = append(out, zk.ACL{Perms: a.Perms, Scheme: a.Scheme, ID: a.ID})
	}
	return out
}

func statOf(s *zk.Stat) zkcore.Stat {
	return zkcore.Stat{
		Czxid: s.Czxid, Owner: s.EphemeralOwner, Version: s.Version,
		Created: time.UnixMilli(s.Ctime),
	}
}
