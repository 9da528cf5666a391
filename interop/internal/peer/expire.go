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
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("expire session %#x: %w", session, err)
	}
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(end)
	}
	// Both in one write: between two, the client could come back and take its
	// session over from us, and the server would not hear the second.
	if _, err := conn.Write(append(takeOver(session), closeSession()...)); err != nil {
		return fmt.Errorf("expire session %#x: %w", session, err)
	}
	answers, err := io.ReadAll(conn) // the server hangs up when it is done
	if err != nil {
		return fmt.Errorf("expire session %#x: %w", session, err)
	}
	// Length, protocol version, time-out: 0 when there is no such session.
	if len(answers) < 12 || binary.BigEndian.Uint32(answers[8:]) == 0 {
		return fmt.Errorf("expire session %#x: %w", session, errNoSession)
	}
	return nil
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
