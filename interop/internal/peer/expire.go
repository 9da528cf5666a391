package peer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// ExpireSession ends a ZooKeeper session on the server, behind its client's
// back, and returns when its nodes are gone: for the client and for everybody
// else it looks like an expiry. Whose session it is does not matter, since the
// password of a session follows from its number.
func ExpireSession(ctx context.Context, addr string, session int64) error {
	for try := 0; ; try++ {
		there, closed, err := endSession(ctx, addr, session)
		switch {
		case err != nil:
			return fmt.Errorf("expire session %#x: %w", session, err)
		case closed, !there && try > 0:
			return nil
		case !there:
			return fmt.Errorf("expire session %#x: %w", session, errNoSession)
		}
		// Its client was quick to come back, and has taken the session over from
		// us. Perhaps what we had sent was heard all the same.
	}
}

// endSession tells whether the server had the session, as far as it has said
// so, and whether it has closed it.
func endSession(ctx context.Context, addr string, session int64) (there, closed bool, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false, false, err
	}
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end)
	}
	if _, err := conn.Write(append(takeOver(session), closeSession()...)); err != nil {
		return false, false, err
	}
	// The server hangs up when it is done, or when another takes over.
	answers, err := io.ReadAll(conn)
	if ctx.Err() != nil {
		return false, false, errors.Join(err, ctx.Err())
	}
	if len(answers) < 12 {
		return true, false, nil
	}
	// Length, protocol version, time-out: 0 when there is no such session.
	length := binary.BigEndian.Uint32(answers)
	there = binary.BigEndian.Uint32(answers[8:]) != 0
	return there, there && len(answers) > 4+int(length), nil
}

var errNoSession = errors.New("the server knows no such session")

// takeOver is the handshake of a client that comes back to its session.
func takeOver(session int64) []byte {
	body := binary.BigEndian.AppendUint32(nil, 0)    // protocol version
	body = binary.BigEndian.AppendUint64(body, 0)    // last zxid seen
	body = binary.BigEndian.AppendUint32(body, 4000) // time-out asked for
	body = binary.BigEndian.AppendUint64(body, uint64(session))
	body = append(binary.BigEndian.AppendUint32(body, 16), password(session)...)
	return frame(append(body, 0)) // not read-only
}

func closeSession() []byte {
	const opCloseSession = -11
	body := binary.BigEndian.AppendUint32(nil, 1) // the request's number
	return frame(binary.BigEndian.AppendUint32(body, uint32(0xffffffff&int64(opCloseSession))))
}

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// password is what the server makes from a session's number: sixteen bytes of
// java.util.Random, seeded with the number and a constant of the server's.
func password(session int64) []byte {
	const serverConstant, multiplier, mask = 0xB3415C00, 0x5DEECE66D, 1<<48 - 1
	seed := (session ^ serverConstant ^ multiplier) & mask
	var b []byte
	for len(b) < 16 {
		seed = (seed*multiplier + 0xB) & mask
		b = binary.LittleEndian.AppendUint32(b, uint32(seed>>16))
	}
	return b
}

// ExpireSession ends the session that a Curator peer has now.
func (t Thread) ExpireSession(ctx context.Context, addr string) error {
	id, err := t.Session(ctx)
	if err != nil {
		return err
	}
	return ExpireSession(ctx, addr, id)
}
