package faultproxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// body puts the values of a frame one behind the other.
func body(values ...any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(int32(v)))
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(v))
		case bool:
			bit := byte(0)
			if v {
				bit = 1
			}
			b = append(b, bit)
		case string:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
		case []byte:
			b = append(b, v...)
		}
	}
	return b
}

func TestZooFrameIsReadWithItsLength(t *testing.T) {
	big := make([]byte, 300_000)
	for _, payload := range [][]byte{{}, {1}, big} {
		raw := zooFrame(payload)
		got, err := readZooFrame(bufio.NewReaderSize(bytes.NewReader(append(raw, 9)), 16))
		require.NoError(t, err)
		require.Equal(t, raw, got)
	}
}

func TestZooFrameCutShortIsNoFrame(t *testing.T) {
	raw := zooFrame([]byte("abcdef"))
	for n := range raw {
		_, err := readZooFrame(bufio.NewReader(bytes.NewReader(raw[:n])))
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		require.ErrorIs(t, err, want, "%d bytes", n)
	}
}

func TestZooFrameOfAnImpossibleLengthIsRefused(t *testing.T) {
	for _, size := range []int{-1, -1 << 31, maxZooFrame + 1, 1<<31 - 1} {
		_, err := readZooFrame(bufio.NewReader(bytes.NewReader(body(size, "abc"))))
		require.ErrorIs(t, err, errMalformed)
	}
}

// FuzzZooFrames: whatever comes, the frames are the stream, cut up, and no
// payload makes the parsers read past its end.
func FuzzZooFrames(f *testing.F) {
	for _, b := range wellFormed {
		f.Add(zooFrame(b.body))
		f.Add(append(zooFrame(body(0, int64(1), 4000, int64(0), "0123456789abcdef", false)), zooFrame(b.body)...))
	}
	f.Add(zooFrame(body(-1, int64(-1), 0, 2, 3, "/a")))
	f.Add([]byte("ruok and more"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzStream(t, data, func(r *bufio.Reader) ([]byte, error) {
			raw, err := readZooFrame(r)
			if err == nil {
				require.NotEmpty(t, parseZooRequest(raw[4:]).Name)
				_ = parseConnect(raw[4:]).paths()
			}
			return raw, err
		})
		checkBothWays(t, data)
	})
}

// checkBothWays reads data as what a client sends, and as what a server does.
func checkBothWays(t *testing.T, data []byte) {
	t.Helper()
	z := newZoo(&zooState{}, 1)
	var sent, came []byte
	var open []*entry
	for r := bufio.NewReaderSize(bytes.NewReader(data), 16); ; {
		req, err := z.readRequest(r)
		if err != nil {
			break
		}
		sent = append(sent, req.raw...)
		open = append(open, &entry{req: req})
		_, err = readZooFrame(bufio.NewReader(bytes.NewReader(z.errorReply(req, "-101"))))
		require.NoError(t, err)
	}
	require.True(t, bytes.HasPrefix(data, sent))
	for r := bufio.NewReaderSize(bytes.NewReader(data), 16); ; {
		rep, err := z.readReply(r)
		if err != nil {
			break
		}
		came = append(came, rep.raw...)
		require.Less(t, z.match(open, rep), len(open))
	}
	require.True(t, bytes.HasPrefix(data, came))
}
