//go:build linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// onTerminal starts cmd as the first process of a terminal, and copies what
// shows there.
func onTerminal(t *testing.T, cmd *exec.Cmd) (*running, *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	r := launch(t, cmd)
	require.NoError(t, screen.Close())
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 1024)
		for {
			n, err := keyboard.Read(buf)
			if err != nil { // when the last process has closed the terminal
				return
			}
			_, _ = r.out.Write(buf[:n])
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-r.ended
		<-read
		_ = keyboard.Close()
	})
	return r, keyboard
}

func TestTheCommandCanUseTheTerminal(t *testing.T) {
	s := stores.Shared(t)
	r, keyboard := onTerminal(t, exec.Command(program, under(t, s, "--", "sh", "-c",
		`read line; echo "got $line"; exec sleep 1000`)...))
	_, err := keyboard.WriteString("hello\n")
	require.NoError(t, err)
	r.says("got hello")
	_, err = keyboard.WriteString("\x03") // Ctrl-C
	require.NoError(t, err)
	r.ends(128 + int(syscall.SIGINT))
	nothingLeft(t, s, lockName(t))
}

// The shell must see the job stop, and get its terminal back at once and for
// good at the end.
func TestAShellCanStopAndContinueIt(t *testing.T) {
	s := stores.Shared(t)
	_, err := exec.LookPath("bash")
	require.NoError(t, err, "needs a shell with job control: install bash")
	shell := exec.Command("bash", "--norc", "--noprofile", "-i")
	shell.Env = append(os.Environ(), "PS1=", "HISTFILE=", "HOLDFAST="+program, "S="+s.Addr(), "N="+lockName(t))
	r, keyboard := onTerminal(t, shell)
	enter := func(text string) {
		t.Helper()
		_, err := keyboard.WriteString(text)
		require.NoError(t, err)
	}
	enter("stty -echo\n")
	enter("$HOLDFAST run --redis $S -n $N -- sh -c 'read a; echo 1st $a; read b; echo 2nd $b; exit 5'\n")
	enter("one\n")
	r.says("1st one")
	enter("\x1a") // Ctrl-Z
	r.says("Stopped")
	require.NotEmpty(t, keysOf(t, s, lockName(t)))
	enter("fg\n")
	enter("two\n")
	r.says("2nd two")
	enter("echo the code is $?\n")
	r.says("the code is 5")
	require.Empty(t, keysOf(t, s, lockName(t)))
	enter("exit\n")
	r.ends(0)
}
