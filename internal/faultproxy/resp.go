package faultproxy

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// resp is the protocol of Redis, versions 2 and 3.
type resp struct {
	// subscribed: a client has asked for messages. Never unset: in RESP2 such
	// a connection takes no ordinary commands, and one that leaves that state
	// again can only be misread where it fetches a list that looks like a
	// message.
	subscribed atomic.Bool
	// stream: the server is about to send a replication stream, which has no
	// frames.
	stream atomic.Bool

	channels map[string]map[string]bool // by subscribing command
	mute     bool                       // CLIENT REPLY OFF
	skip     int                        // CLIENT REPLY SKIP: so many more without an answer
}

func newResp() protocol { return &resp{channels: map[string]map[string]bool{}} }

func (p *resp) readRequest(r *bufio.Reader) (*Request, error) {
	first, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	f := &frameReader{r: r}
	var words []string
	if first[0] == '*' {
		words, err = f.command()
	} else {
		words, err = f.inline()
	}
	if err != nil {
		return nil, err
	}
	req := &Request{Args: words, At: time.Now(), raw: f.raw}
	if len(words) > 0 {
		req.Name = strings.ToUpper(words[0])
		req.frames = 1
		p.expect(req)
	}
	return req, nil
}

// command reads an array of bulk strings.
func (f *frameReader) command() ([]string, error) {
	line, err := f.line()
	if err != nil {
		return nil, err
	}
	v := value{text: line[1:]}
	n, err := f.length(&v, 1<<20)
	if err != nil {
		return nil, err
	}
	var words []string
	for range n {
		w, err := f.read(0, 1)
		if err != nil {
			return nil, unexpected(err)
		}
		if w.kind != '$' || w.null {
			return nil, fmt.Errorf("%w: a request holds a %q", errMalformed, w.kind)
		}
		words = append(words, w.text)
	}
	return words, nil
}

// inline reads a request typed as a line. Quotes are not understood; nobody
// matches on those.
func (f *frameReader) inline() ([]string, error) {
	line, err := f.r.ReadString('\n')
	if err != nil {
		return nil, unexpected(err)
	}
	f.raw = []byte(line)
	return strings.Fields(line), nil
}

// expect finds out how many frames will answer a request. Most get one.
func (p *resp) expect(req *Request) {
	words := req.Args[1:]
	switch req.Name {
	case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE":
		p.subscribed.Store(true)
		p.join(req, words)
	case "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE":
		p.part(req, words)
	case "PSYNC", "SYNC":
		p.stream.Store(true)
	case "CLIENT":
		if len(words) == 2 && strings.EqualFold(words[0], "REPLY") {
			p.setReplies(strings.ToUpper(words[1]))
		}
	}
	switch {
	case p.stream.Load() || p.mute:
		req.frames = 0
	case p.skip > 0:
		p.skip--
		req.frames = 0
	}
}

func (p *resp) join(req *Request, channels []string) {
	set := p.channels[req.Name]
	if set == nil {
		set = map[string]bool{}
		p.channels[req.Name] = set
	}
	for _, c := range channels {
		set[c] = true
	}
	req.confirm = strings.ToLower(req.Name)
	req.frames = max(1, len(channels))
}

// part: a bare UNSUBSCRIBE is confirmed once for each channel there was, and
// once when there was none.
func (p *resp) part(req *Request, channels []string) {
	joined := strings.Replace(req.Name, "UNSUB", "SUB", 1)
	set := p.channels[joined]
	if len(channels) == 0 {
		channels = slices.Collect(maps.Keys(set))
	}
	for _, c := range channels {
		delete(set, c)
	}
	req.confirm = strings.ToLower(req.Name)
	req.frames = max(1, len(channels))
}

func (p *resp) setReplies(how string) {
	p.mute = how == "OFF"
	if how == "SKIP" {
		p.skip = 2 // this request and the next
	}
}

func (p *resp) readReply(r *bufio.Reader) (*reply, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	if p.stream.Load() {
		raw := make([]byte, r.Buffered())
		_, err := r.Read(raw)
		return &reply{raw: raw}, err
	}
	f := &frameReader{r: r}
	v, err := f.read(4, 0)
	if err != nil {
		return nil, err
	}
	rep := &reply{raw: f.raw, kind: v.kind, failed: v.kind == '-' || v.kind == '!'}
	if len(v.head) > 0 {
		rep.first = v.head[0]
	}
	if v.kind == '>' || v.kind == '*' && p.subscribed.Load() {
		rep.message = message(v.head)
	}
	return rep, nil
}

func message(head []string) *Push {
	switch {
	case len(head) == 3 && (head[0] == "message" || head[0] == "smessage"):
		return &Push{Kind: head[0], Channel: head[1], Payload: head[2]}
	case len(head) == 4 && head[0] == "pmessage":
		return &Push{Kind: head[0], Channel: head[2], Payload: head[3]}
	}
	return nil
}

// match: Redis answers in order.
func (p *resp) match(open []*entry, rep *reply) int {
	if len(open) > 0 && p.answers(open[0].req, rep) {
		return 0
	}
	return -1
}

// answers tells whether a reply belongs to the oldest open request.
func (p *resp) answers(req *Request, rep *reply) bool {
	switch {
	case rep.kind == 0: // a piece of a stream
		return false
	case req.confirm != "":
		return rep.failed || rep.first == req.confirm
	case rep.kind == '>' || rep.message != nil:
		return false
	default:
		// In RESP2 a server says of itself that a channel's slot has gone.
		return rep.kind != '*' || rep.first != "sunsubscribe"
	}
}

func (p *resp) errorReply(_ *Request, text string) []byte {
	line := strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.TrimPrefix(text, "-"))
	return []byte("-" + line + "\r\n")
}
