package faultproxy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// maxZooFrame is far above what servers and clients accept, 1 MiB by default.
const maxZooFrame = 64 << 20

// readZooFrame reads one frame and returns it with the length in front.
func readZooFrame(r *bufio.Reader) ([]byte, error) {
	raw := make([]byte, 4, 256)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, err
	}
	size := int32(binary.BigEndian.Uint32(raw))
	if size < 0 || size > maxZooFrame {
		return nil, fmt.Errorf("%w: length %d", errMalformed, size)
	}
	for left := int(size); left > 0; {
		step := min(left, chunk)
		at := len(raw)
		raw = append(raw, make([]byte, step)...)
		if _, err := io.ReadFull(r, raw[at:]); err != nil {
			return nil, unexpected(err)
		}
		left -= step
	}
	return raw, nil
}

func zooFrame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// jute reads the values of a frame's body one behind the other. Behind the end
// everything is zero, and short is set: what the proxy cannot read it passes on
// all the same.
type jute struct {
	b     []byte
	short bool
}

func (j *jute) next(n int) []byte {
	if j.short || n < 0 || n > len(j.b) {
		j.short = true
		return nil
	}
	part := j.b[:n]
	j.b = j.b[n:]
	return part
}

func (j *jute) int32() int32 {
	if b := j.next(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (j *jute) int64() int64 {
	if b := j.next(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (j *jute) bool() bool {
	b := j.next(1)
	return b != nil && b[0] != 0
}

// buffer reads a string or bytes; -1 stands for null.
func (j *jute) buffer() []byte {
	n := j.int32()
	if n == -1 {
		return nil
	}
	return j.next(int(n))
}

func (j *jute) text() string { return string(j.buffer()) }

// vector calls f for each element; -1 stands for null.
func (j *jute) vector(f func()) {
	for n := j.int32(); n > 0 && !j.short; n-- {
		f()
	}
}

func (j *jute) texts() (list []string) {
	j.vector(func() { list = append(list, j.text()) })
	return list
}
