//go:build !linux

package freeport

import "net"

// take leaves the gap that the package comment speaks of: elsewhere a bound
// socket would keep the server out as well. The launcher tries another port
// when it loses the race.
func take() (*Port, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := ln.Addr().(*net.TCPAddr).Port
	return &Port{n: n, close: func() error { return nil }}, ln.Close()
}
