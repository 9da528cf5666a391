package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

type runCmd struct {
	server
	lockFlags
	Wait           *time.Duration `placeholder:"D" help:"Wait at most that long for the lock; 0 asks once. Without it, wait for ever."`
	Lease          *time.Duration `placeholder:"D" help:"Hold the lock for at most that long, and renew nothing. Without it, hold it until the command ends."`
	WatchdogLease  *time.Duration `group:"redis" placeholder:"D" help:"If this process dies, the lock is free after that (30s); it is renewed every third of it."`
	SessionTimeout *time.Duration `group:"zk" placeholder:"D" help:"If this process dies, the lock is free after that (10s), if the servers grant it."`
	Revocable      bool           `group:"zk" help:"When somebody asks for the lock (holdfast revoke, Curator's Revoker), the command gets TERM."`
	FenceEnv       string         `placeholder:"VAR" help:"Put the fencing token into that environment variable of the command. Implies --layout fenced on Redis."`
	Grace          time.Duration  `default:"5s" placeholder:"D" help:"When the lock is lost, the command gets TERM, and KILL after that time (${default})."`
	Command        []string       `arg:"" passthrough:"partial" help:"Command and its arguments, behind --."`
}

// Help is shown by holdfast run --help.
func (*runCmd) Help() string {
	return `
The command runs while the lock is held, as with flock(1), and the lock is released when it ends. It
runs in a process group of its own. HUP, INT, QUIT and TERM are passed on to the group, USR1, USR2, ALRM
and WINCH to the command alone. While the lock is waited for, a signal ends the wait and nothing is left
behind. Processes that the command leaves in the background run on without the lock. A run of the same
name inside the command waits for it, and so for ever.

When the lock is lost (deleted, taken by force, its lease over, or the server out of reach for too long),
the process group gets TERM, and KILL after --grace. With --revocable it also gets TERM each time that
somebody asks for the lock, but the lock stays held until the command ends, however long that takes.

The command finds the lock in its environment: HOLDFAST_NAME, HOLDFAST_OWNER (as holdfast inspect shows
it) and the fencing token (HOLDFAST_FENCE unless named otherwise) if there is one: on ZooKeeper always, on
Redis with --fence-env or --layout fenced.

Exit code: the command's own, or 128+n when signal n ended the command or the wait. Also

  120  the lock was not acquired: somebody else held it for all of --wait
  121  the lock was lost before the command ended; the command was stopped
  122  the store could not be reached, or refused
  125  usage
  126  the command cannot be run
  127  there is no such command`
}

// fenceVariable is where the token goes if there is one and no other name was
// given.
const fenceVariable = "HOLDFAST_FENCE"

// Run is called by kong.
func (r *runCmd) Run(o *output) error {
	if r.Command[0] == "--" {
		r.Command = r.Command[1:]
	}
	t, err := r.target()
	if err != nil {
		return err
	}
	k, err := r.check(t.system)
	if err != nil {
		return err
	}
	path, err := executable(r.Command)
	if err != nil {
		return err
	}
	s, err := r.store(t, survival{r.WatchdogLease, r.SessionTimeout})
	if err != nil {
		return err
	}
	signals := catch()
	defer signal.Stop(signals)
	asked := make(requests, 1)
	h, err := r.acquire(o, s, k, asked, signals)
	if err == nil {
		err = r.under(o, h, path, asked, signals)
	}
	// What is being cleaned up behind a call that has left gets a moment.
	ctx, cancel := context.WithTimeout(context.Background(), cleanUp)
	defer cancel()
	_ = s.close(ctx)
	return err
}

const cleanUp = 5 * time.Second

func (r *runCmd) check(system string) (kind, error) {
	switch {
	case len(r.Command) == 0:
		return kind{}, &exit{exitUsage, errors.New("there is no command behind --")}
	case r.Grace < 0:
		return kind{}, &exit{exitUsage, fmt.Errorf("--grace %v is negative", r.Grace)}
	case strings.ContainsAny(r.FenceEnv, "=\x00"):
		return kind{}, &exit{exitUsage, fmt.Errorf("--fence-env %q is no name of a variable", r.FenceEnv)}
	}
	fitting, err := r.fitting(system)
	if err != nil {
		return kind{}, err
	}
	for _, k := range fitting {
		switch {
		case r.FenceEnv != "" && !k.fenced:
		case r.Revocable && !k.revocable:
			return kind{}, &exit{exitUsage, fmt.Errorf("--revocable: holders of a %s of layout %s cannot be asked", r.Recipe, k.layout)}
		default:
			return k, nil
		}
	}
	return kind{}, &exit{exitUsage, fmt.Errorf("--fence-env: a %s of layout %s has no fencing token", r.Recipe, fitting[0].layout)}
}

// executable looks the command up before anything is asked of the store.
func executable(command []string) (string, error) {
	path, err := exec.LookPath(command[0])
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", &exit{exitNotFound, err}
	}
	return "", &exit{exitCannotRun, err}
}

// under runs the command and lets go of the lock.
func (r *runCmd) under(o *output, h *recipes.Hold, path string, asked requests, signals chan os.Signal) error {
	c, err := startChild(path, r.Command, r.environment(h))
	if err != nil {
		err = &exit{exitCannotRun, fmt.Errorf("run %s: %w", path, err)}
		return errors.Join(err, h.Release(context.Background()))
	}
	w := &watch{output: o, child: c, hold: h, signals: signals, asked: asked, grace: r.Grace}
	code := w.untilEnd()
	err = h.Release(context.Background())
	switch {
	case errors.Is(err, recipes.ErrLost):
		if !w.stopping {
			o.say("%v; the command had ended with %d by then", err, code)
		}
		return &exit{code: exitLost}
	case err != nil:
		// The work was done under the lock; that it is not free yet is not the
		// command's failure.
		o.say("%v", err)
	}
	return &exit{code: code}
}

// environment is ours, with the lock. Nothing of an outer lock's stays in it.
func (r *runCmd) environment(h *recipes.Hold) []string {
	set := map[string]string{"HOLDFAST_NAME": h.Name(), "HOLDFAST_OWNER": h.Owner()}
	if fence, ok := h.Fence(); ok {
		name := fenceVariable
		if r.FenceEnv != "" {
			name = r.FenceEnv
		}
		set[name] = strconv.FormatInt(fence, 10)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, ours := set[name]
		return ours || name == fenceVariable
	})
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}
