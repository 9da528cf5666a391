package links

import (
	"encoding/binary"
	"errors"
	"io"
)

// The part of SOCKS 5 (RFC 1928) that a Java socket speaks: no
// authentication, the command CONNECT.

var errNotSocks = errors.New("not a SOCKS 5 CONNECT")

const (
	succeeded  = 0
	notAllowed = 2
	refused    = 5
)

// readRequest is the port that the caller wants. The address is always a
// loopback one.
func readRequest(c io.ReadWriter) (int, error) {
	head := make([]byte, 2) // version, number of methods
	if _, err := io.ReadFull(c, head); err != nil {
		return 0, err
	}
	if head[0] != 5 {
		return 0, errNotSocks
	}
	if _, err := io.CopyN(io.Discard, c, int64(head[1])); err != nil {
		return 0, err
	}
	if _, err := c.Write([]byte{5, 0}); err != nil { // no authentication
		return 0, err
	}
	request := make([]byte, 4) // version, command, 0, kind of address
	if _, err := io.ReadFull(c, request); err != nil {
		return 0, err
	}
	if request[0] != 5 || request[1] != 1 {
		return 0, errNotSocks
	}
	size, err := addressSize(c, request[3])
	if err != nil {
		return 0, err
	}
	rest := make([]byte, size+2)
	if _, err := io.ReadFull(c, rest); err != nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint16(rest[size:])), nil
}

func addressSize(c io.Reader, kind byte) (int, error) {
	switch kind {
	case 1: // IPv4
		return 4, nil
	case 4: // IPv6
		return 16, nil
	case 3: // a name, after its length
		size := make([]byte, 1)
		_, err := io.ReadFull(c, size)
		return int(size[0]), err
	}
	return 0, errNotSocks
}

// reply answers a request; the address in it means nothing to the caller.
func reply(c io.Writer, code byte) error {
	_, err := c.Write([]byte{5, code, 0, 1, 0, 0, 0, 0, 0, 0})
	return err
}
