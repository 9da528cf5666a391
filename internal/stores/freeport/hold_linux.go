package freeport

import (
	"fmt"
	"syscall"
)

// take binds and does not listen. SO_REUSEADDR on both sides is what lets a
// server bind beside us; for a port chosen by the kernel, or the near end of
// an outgoing connection, a bound port is never picked.
func take() (*Port, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	n, err := bind(fd)
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return &Port{n: n, close: func() error { return syscall.Close(fd) }}, nil
}

func bind(fd int) (int, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	v4, ok := at.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("bound to %T", at)
	}
	return v4.Port, nil
}
