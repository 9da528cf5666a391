package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// ErrEnded is in the error of every call whose peer ended before it answered.
var ErrEnded = errors.New("the peer has ended")

// Peer is one JVM with one client of its library.
type Peer struct {
	label string
	cmd   *exec.Cmd
	id    string
	in    io.WriteCloser
	errs  *tail

	write   sync.Mutex // one request at a time on stdin
	mu      sync.Mutex // guards what follows
	next    int64
	pending map[int64]func(answer, error)
	ended   error // set once, before done is closed
	killed  bool  // by us: Close has nothing to complain about

	done chan struct{} // closed when the process is reaped and all calls are failed
}

// start runs a Java program and waits until it says hello.
func start(ctx context.Context, label string, args []string) (*Peer, error) {
	path, err := java()
	if err != nil {
		return nil, err
	}
	p := &Peer{label: label, errs: new(tail), pending: map[int64]func(answer, error){}, done: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Stderr = p.errs
	dieWithParent(p.cmd)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}

	started, hello := make(chan error, 1), make(chan answer, 1)
	go p.attend(out, started, hello)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", label, err)
	}
	select {
	case h := <-hello:
		return p.greet(h)
	case <-p.done:
		select {
		case h := <-hello:
			return p.greet(h)
		default:
			return nil, fmt.Errorf("start %s: %w", label, p.ended)
		}
	case <-ctx.Done():
		p.Kill()
		return nil, fmt.Errorf("start %s: no hello: %w\n%s", label, context.Cause(ctx), p.errs)
	}
}

// greet takes the first line, which tells why when the peer gives up.
func (p *Peer) greet(hello answer) (*Peer, error) {
	if hello.Error != "" {
		p.Kill()
		return nil, fmt.Errorf("start %s: %w\n%s", p.label, hello.err(), p.errs)
	}
	p.id = hello.Hello
	return p, nil
}

// attend is the peer's one goroutine. It stays on one thread from before the
// start until after the end of the process: see dieWithParent.
func (p *Peer) attend(out io.Reader, started chan<- error, hello chan<- answer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	lines := bufio.NewReader(out)
	for {
		// Not a Scanner: the history of a long workload is one long line.
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		p.deliver(line, hello)
	}
	_ = p.cmd.Wait() // after the last read, since it closes the pipe

	p.mu.Lock()
	p.ended = fmt.Errorf("%s: %w: %s\n%s", p.label, ErrEnded, p.cmd.ProcessState, p.errs)
	pending := p.pending
	p.pending = nil
	p.mu.Unlock()
	for _, settle := range pending {
		settle(answer{}, p.ended)
	}
	close(p.done)
}

func (p *Peer) deliver(line []byte, hello chan<- answer) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		_, _ = fmt.Fprintf(p.errs, "not a reply: %s\n", line)
		return
	}
	if a.ID == 0 {
		select {
		case hello <- a:
		default: // the peer's last words, when it gives up
			_, _ = p.errs.Write(line)
		}
		return
	}
	p.mu.Lock()
	settle := p.pending[a.ID]
	delete(p.pending, a.ID)
	p.mu.Unlock()
	if settle != nil {
		settle(a, nil)
	}
}

// send has written the request when it returns; settle is called once, with
// the answer or with what became of the peer.
func (p *Peer) send(op, thread string, args map[string]any, settle func(answer, error)) {
	p.write.Lock()
	defer p.write.Unlock()
	p.mu.Lock()
	if p.pending == nil {
		p.mu.Unlock()
		settle(answer{}, p.ended)
		return
	}
	p.next++
	id := p.next
	p.pending[id] = settle
	p.mu.Unlock()

	request := map[string]any{"id": id, "op": op, "thread": thread}
	for name, value := range args {
		request[name] = value
	}
	line, err := json.Marshal(request)
	if err != nil {
		panic(err) // arguments are numbers and texts
	}
	// A write that fails means that the process is going; attend settles then.
	_, _ = p.in.Write(append(line, '\n'))
}

// ID is the client's identity in the store: the part of Redisson's owners before
// the colon, or the session that a Curator began with.
func (p *Peer) ID() string { return p.id }

// Thread names one of the peer's Java threads; it starts with its first call.
func (p *Peer) Thread(name string) Thread { return Thread{p, name} }

// Done is closed when the process has ended.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Pause stops the process as a long garbage collection or a suspended machine
// would, Resume lets it go on.
func (p *Peer) Pause() error { return pause(p.cmd.Process) }

// Resume undoes Pause.
func (p *Peer) Resume() error { return resume(p.cmd.Process) }

// Kill ends the process at once and waits until it is gone. What it held stays
// in the store until its lease or session ends. Calls without an answer get ErrEnded.
func (p *Peer) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	_ = p.cmd.Process.Kill()
	<-p.done
	_ = p.in.Close()
}

// Close shuts the library's client down and ends the process. Redisson releases
// no lock then; Curator closes its session, and all that it held goes. An error tells that the process had
// ended by itself before, or had to be killed.
func (p *Peer) Close() error {
	select {
	case <-p.done:
	default:
		bye := send[struct{}](p, "exit", "", nil)
		select {
		case <-bye.Done():
		case <-time.After(15 * time.Second):
			p.Kill()
			return fmt.Errorf("close %s: no answer, killed\n%s", p.label, p.errs)
		}
		if bye.err == nil {
			p.mu.Lock()
			p.killed = true
			p.mu.Unlock()
		}
		<-p.done
	}
	_ = p.in.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return nil
	}
	return fmt.Errorf("close: %w", p.ended)
}

// tail keeps the last of what a peer wrote to stderr, to put it into errors.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 16 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
