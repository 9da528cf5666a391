package goredis

import (
	"fmt"
	"net"
	"time"
)

// deadConn stands for a connection that could not be made: its first use fails
// with the error of the dial. Told of failed dials, the driver's pool answers
// calls with the old error for up to a second after the server is back, and
// prints each; a connection that fails is simply given up.
type deadConn struct{ err error }

// failedDial marks that nothing was sent. The driver unwraps the error of a new
// connection once, so it is handed over in a wrapper.
type failedDial struct{ error }

func (f failedDial) Unwrap() error { return f.error }

func (c deadConn) failed() error { return fmt.Errorf("connect: %w", failedDial{c.err}) }

func (c deadConn) Read([]byte) (int, error)  { return 0, c.failed() }
func (c deadConn) Write([]byte) (int, error) { return 0, c.failed() }

func (deadConn) Close() error                     { return nil }
func (deadConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (deadConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (deadConn) SetDeadline(time.Time) error      { return nil }
func (deadConn) SetReadDeadline(time.Time) error  { return nil }
func (deadConn) SetWriteDeadline(time.Time) error { return nil }
