package stores

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// ErrNoSession says that the server knows no session with that number and
// password.
var ErrNoSession = errors.New("no such session")

// KillSession ends a session behind its client's back. For the client, and for
// everybody who watches its nodes, it has expired. It returns when its nodes
// are gone at this server.
func (s *ZooServer) KillSession(ctx context.Context, id int64) error {
	return EndSession(ctx, s.Addr(), id, SessionPassword(id))
}

// EndSession ends a session as its owner would, who has the password: it takes
// the session over to a connection of its own and closes it there.
func EndSession(ctx context.Context, addr string, id int64, password []byte) error {
	interrupted := false
	for {
		err := endSession(ctx, addr, id, password)
		switch {
		case err == nil, interrupted && errors.Is(err, ErrNoSession): // the earlier try has done it
			return nil
		case errors.Is(err, errTakenBack) && ctx.Err() == nil:
			interrupted = true
		default:
			return fmt.Errorf("end session 0x%x at %s: %w", uint64(id), addr, err)
		}
	}
}

// errTakenBack: the client has come back to its session while it was being
// ended, and the server has dropped us.
var errTakenBack = errors.New("the client took its session back")

func endSession(ctx context.Context, addr string, id int64, password []byte) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })()
	// Both in one write: in between, the client could take its session back,
	// and the server would not hear the second.
	if _, err := c.Write(append(connectRequest(id, password), closeRequest()...)); err != nil {
		return err
	}
	// The server answers both, the second when it is done, and hangs up.
	said, err := io.ReadAll(c)
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	if len(said) < 12 {
		return errTakenBack
	}
	// Length, protocol version, then the session's time-out: 0 is a refusal.
	if binary.BigEndian.Uint32(said[8:]) == 0 {
		return ErrNoSession
	}
	return nil
}

// SessionPassword is the password of a session: a ZooKeeper server (3.4 to
// 3.9) makes it from the number and a constant, with java.util.Random.
func SessionPassword(id int64) []byte {
	const (
		secret     = 0xB3415C00
		multiplier = 0x5DEECE66D
		mask       = 1<<48 - 1
	)
	var password []byte
	state := (id ^ secret ^ multiplier) & mask
	for len(password) < 16 {
		state = (state*multiplier + 0xB) & mask
		password = binary.LittleEndian.AppendUint32(password, uint32(state>>16))
	}
	return password
}

// connectRequest is the handshake of a client that comes back to its session.
func connectRequest(id int64, password []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0) // protocol version
	b = binary.BigEndian.AppendUint64(b, 0)    // last zxid seen: none is too new
	b = binary.BigEndian.AppendUint32(b, 4000) // time-out asked for, in ms
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	b = binary.BigEndian.AppendUint32(b, uint32(len(password)))
	b = append(b, password...)
	return frame(append(b, 0)) // not read-only
}

func closeRequest() []byte {
	const opClose = -11
	b := binary.BigEndian.AppendUint32(nil, 1) // the request's number
	return frame(binary.BigEndian.AppendUint32(b, 1<<32+opClose))
}

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}
