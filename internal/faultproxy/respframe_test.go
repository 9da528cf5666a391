package faultproxy

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func frameOf(t *testing.T, text string, size int) (value, string, error) {
	t.Helper()
	r := bufio.NewReaderSize(strings.NewReader(text), size)
	f := &frameReader{r: r}
	v, err := f.read(4, 0)
	return v, string(f.raw), err
}

var goodFrames = []struct {
	name, text string
	want       value
}{
	{"simple", "+OK\r\n", value{kind: '+', text: "OK"}},
	{"error", "-ERR no\r\n", value{kind: '-', text: "ERR no"}},
	{"integer", ":-12\r\n", value{kind: ':', text: "-12"}},
	{"bulk", "$3\r\na\r\n\r\n", value{kind: '$', text: "a\r\n"}},
	{"empty bulk", "$0\r\n\r\n", value{kind: '$'}},
	{"null bulk", "$-1\r\n", value{kind: '$', text: "-1", null: true}},
	{"array", "*2\r\n$1\r\na\r\n:7\r\n", value{kind: '*', head: []string{"a", "7"}}},
	{"empty array", "*0\r\n", value{kind: '*'}},
	{"null array", "*-1\r\n", value{kind: '*', text: "-1", null: true}},
	{"nested", "*2\r\n*1\r\n:1\r\n+b\r\n", value{kind: '*', head: []string{"", "b"}}},
	{"long array", "*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n", value{kind: '*', head: []string{"1", "2", "3", "4"}}},
	{"push", ">3\r\n+message\r\n$1\r\nc\r\n$1\r\np\r\n", value{kind: '>', head: []string{"message", "c", "p"}}},
	{"map", "%1\r\n+k\r\n:1\r\n", value{kind: '%', head: []string{"k", "1"}}},
	{"set", "~1\r\n+k\r\n", value{kind: '~', head: []string{"k"}}},
	{"null", "_\r\n", value{kind: '_'}},
	{"double", ",1.5\r\n", value{kind: ',', text: "1.5"}},
	{"boolean", "#t\r\n", value{kind: '#', text: "t"}},
	{"big number", "(123\r\n", value{kind: '(', text: "123"}},
	{"verbatim", "=5\r\ntxt:a\r\n", value{kind: '=', text: "txt:a"}},
	{"bulk error", "!5\r\nERR x\r\n", value{kind: '!', text: "ERR x"}},
	{"attribute", "|1\r\n+k\r\n:1\r\n+OK\r\n", value{kind: '+', text: "OK"}},
}

func TestFramesAreReadWithTheirBytes(t *testing.T) {
	for _, c := range goodFrames {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{16, 4096} {
				v, raw, err := frameOf(t, c.text+"+next\r\n", size)
				require.NoError(t, err)
				require.Equal(t, c.want, v)
				require.Equal(t, c.text, raw)
			}
		})
	}
}

func TestFrameCutShortIsNoFrame(t *testing.T) {
	for _, c := range goodFrames {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; n < len(c.text); n++ {
				_, _, err := frameOf(t, c.text[:n], 4096)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%q", c.text[:n])
			}
		})
	}
}

func TestMalformedFramesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"unknown type":      "?1\r\n",
		"empty line":        "\r\n",
		"bare newline":      "+OK\n",
		"length no number":  "$x\r\n",
		"length with plus":  "$+1\r\na\r\n",
		"length empty":      "*\r\n",
		"length below null": "$-2\r\n",
		"length too large":  "$999999999999\r\n",
		"bulk too long":     "$1\r\nab\r\n",
		"too deep":          strings.Repeat("*1\r\n", maxDepth+2) + ":1\r\n",
		"line too long":     "+" + strings.Repeat("a", maxLine+10) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := frameOf(t, text, 4096)
			require.ErrorIs(t, err, errMalformed)
		})
	}
}

func TestLargeBulkIsReadWhole(t *testing.T) {
	body := strings.Repeat("0123456789", 30_000)
	text := "$300000\r\n" + body + "\r\n"
	v, raw, err := frameOf(t, text, 4096)
	require.NoError(t, err)
	require.Equal(t, body, v.text)
	require.Equal(t, text, raw)
}

// FuzzReplies: whatever a server sends, the frames are the stream, cut up.
func FuzzReplies(f *testing.F) {
	for _, c := range goodFrames {
		f.Add([]byte(c.text + c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzStream(t, data, func(r *bufio.Reader) ([]byte, error) {
			rep, err := newResp().readReply(r)
			if err != nil {
				return nil, err
			}
			return rep.raw, nil
		})
	})
}

// FuzzRequests: the same for what a client sends.
func FuzzRequests(f *testing.F) {
	for _, text := range []string{
		"*1\r\n$4\r\nPING\r\n", "PING\r\n", "\r\n", "*0\r\n", "*-1\r\n",
		"*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n*1\r\n$11\r\nUNSUBSCRIBE\r\n",
		"*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$4\r\nSKIP\r\n*1\r\n$4\r\nPING\r\n",
		"*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newResp()
		fuzzStream(t, data, func(r *bufio.Reader) ([]byte, error) {
			req, err := p.readRequest(r)
			if err != nil {
				return nil, err
			}
			_ = req.Keys()
			require.GreaterOrEqual(t, req.frames, 0)
			return req.raw, nil
		})
	})
}

func fuzzStream(t *testing.T, data []byte, next func(*bufio.Reader) ([]byte, error)) {
	r := bufio.NewReaderSize(bytes.NewReader(data), 16)
	var all []byte
	for {
		raw, err := next(r)
		if err != nil {
			break
		}
		require.NotEmpty(t, raw)
		all = append(all, raw...)

		again, err := next(bufio.NewReader(bytes.NewReader(raw)))
		require.NoError(t, err, "a frame stands alone")
		require.Equal(t, raw, again)
	}
	require.True(t, bytes.HasPrefix(data, all))
}
