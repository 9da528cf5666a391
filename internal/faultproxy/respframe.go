package faultproxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	maxLine  = 1 << 20   // far above what Redis accepts or sends in one line
	maxBulk  = 512 << 20 // Redis's own limit
	maxDepth = 32
	chunk    = 64 << 10 // memory follows the bytes that came, not their announced number
)

// value is a parsed frame, as far as anybody asks.
type value struct {
	kind byte
	text string   // of a line or a bulk string
	head []string // texts of an aggregate's first elements
	null bool
}

// frameReader reads frames of RESP2 and RESP3 and keeps their bytes. The
// streamed types of RESP3 are not read: Redis sends none.
type frameReader struct {
	r   *bufio.Reader
	raw []byte
}

// read reads one frame and the texts of its first keep elements.
func (f *frameReader) read(keep, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, fmt.Errorf("%w: nested too deep", errMalformed)
	}
	line, err := f.line()
	if err != nil {
		return value{}, err
	}
	if line == "" {
		return value{}, fmt.Errorf("%w: empty line", errMalformed)
	}
	v := value{kind: line[0], text: line[1:]}
	switch v.kind {
	case '+', '-', ':', '_', ',', '#', '(':
		return v, nil
	case '$', '=', '!':
		err = f.bulk(&v)
	case '*', '~', '>':
		err = f.aggregate(&v, 1, keep, depth)
	case '%':
		err = f.aggregate(&v, 2, keep, depth)
	case '|': // attributes stand before the frame that they describe
		if err = f.aggregate(&v, 2, 0, depth); err == nil {
			return f.read(keep, depth+1)
		}
	default:
		err = fmt.Errorf("%w: type %q", errMalformed, v.kind)
	}
	return v, err
}

// bulk reads the bytes that the header announced.
func (f *frameReader) bulk(v *value) error {
	n, err := f.length(v, maxBulk)
	if err != nil || v.null {
		return err
	}
	start := len(f.raw)
	for left := n + 2; left > 0; {
		step := min(left, chunk)
		at := len(f.raw)
		f.raw = append(f.raw, make([]byte, step)...)
		if _, err := io.ReadFull(f.r, f.raw[at:]); err != nil {
			return unexpected(err)
		}
		left -= step
	}
	if !bytes.HasSuffix(f.raw, []byte("\r\n")) {
		return fmt.Errorf("%w: bulk string without its end", errMalformed)
	}
	v.text = string(f.raw[start : len(f.raw)-2])
	return nil
}

func (f *frameReader) aggregate(v *value, per, keep, depth int) error {
	n, err := f.length(v, 1<<30)
	if err != nil || v.null {
		return err
	}
	for i := range n * per {
		e, err := f.read(0, depth+1)
		if err != nil {
			return unexpected(err)
		}
		if i < keep {
			v.head = append(v.head, e.text)
		}
	}
	v.text = ""
	return nil
}

// length parses the number behind the type; -1 is null.
func (f *frameReader) length(v *value, limit int) (int, error) {
	n, err := strconv.Atoi(v.text)
	if err != nil || n < -1 || n > limit || v.text[0] == '+' {
		return 0, fmt.Errorf("%w: length %q", errMalformed, v.text)
	}
	v.null = n == -1
	return n, nil
}

// line reads up to the end of the line, which it leaves out.
func (f *frameReader) line() (string, error) {
	start := len(f.raw)
	for {
		part, err := f.r.ReadSlice('\n')
		f.raw = append(f.raw, part...)
		if len(f.raw)-start > maxLine {
			return "", fmt.Errorf("%w: line too long", errMalformed)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if len(f.raw) > 0 {
				err = unexpected(err)
			}
			return "", err
		}
	}
	line, ok := bytes.CutSuffix(f.raw[start:], []byte("\r\n"))
	if !ok {
		return "", fmt.Errorf("%w: line without its end", errMalformed)
	}
	return string(line), nil
}

// unexpected: a stream that ends inside a frame did not end well.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
