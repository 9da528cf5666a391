// Package freeport takes a loopback TCP port for as long as the caller wants
// it.
//
// Asking the kernel for a free port and closing it again leaves a gap in which
// another process can get the same one; a server that is killed and started
// again on its old address has that gap every time. On Linux the port is
// therefore held by a socket that is bound but never listens: a server that
// sets SO_REUSEADDR (Redis, Java's and Go's listeners do) can listen on it,
// nobody is given it, and while nobody listens a connection is refused.
package freeport

import (
	"fmt"
	"net"
	"strconv"
	"sync"
)

// Port is one taken port.
type Port struct {
	n     int
	once  sync.Once // a number closed twice could be somebody else's by then
	close func() error
}

// Number is the port's number.
func (p *Port) Number() int { return p.n }

// Addr is the loopback address with the port.
func (p *Port) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.n)) }

// Close gives the port back. Only the first call does anything.
func (p *Port) Close() (err error) {
	p.once.Do(func() { err = p.close() })
	return err
}

// Take takes a free port.
func Take() (*Port, error) {
	p, err := take()
	if err != nil {
		return nil, fmt.Errorf("take a loopback port: %w", err)
	}
	return p, nil
}
