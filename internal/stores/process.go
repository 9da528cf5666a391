package stores

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is one running child.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and was waited for
}

// spawn starts a child that dies with this process. The kernel ties that
// promise to the thread that forked, not to the process: were the thread to
// end first, the child would be killed early. So one goroutine keeps its
// thread from the fork to the child's end, and lives no longer than that.
func spawn(path string, args []string, dir string, log *os.File) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttr()

	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
		}
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *process) signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// kill ends the child and whatever it forked (a snapshot being written), so
// that nothing writes into its folder afterwards.
func (p *process) kill() error {
	if p.ended() {
		return nil
	}
	err := syscall.Kill(-p.pid(), syscall.SIGKILL) // its own group, see childAttr
	<-p.done
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// stop asks the child to end, and kills it when it has not after a while.
func (p *process) stop(patience time.Duration) error {
	// A stopped process sees no SIGTERM before it runs again. Either signal
	// may come too late; kill below makes sure.
	_ = p.signal(syscall.SIGTERM)
	_ = p.signal(syscall.SIGCONT)
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return p.kill()
	}
}
