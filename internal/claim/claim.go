// Package claim has the one acquire loop of this module and the places its
// claims stand in: the line of one process for a name, and the queue below one
// hold. It knows no store; a store is a Claim.
package claim

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Claim is one Lock call's entry at a lock, as a step machine.
type Claim interface {
	// Ask takes one step and asks the store only when it is this claim's turn.
	// It returns the level when the claim was granted, Busy when there is
	// reason to wait, a *Trouble when it is worth asking again, and any other
	// error when it is not.
	Ask(ctx context.Context) (*grant.Level, Busy, error)
	// Leave lets whatever is in flight or stored go, in the background, and
	// passes the claim's turn on. It is called once, unless Ask granted.
	Leave()
}

// Busy says what to wait for: a signal or a time, whichever is first.
type Busy struct {
	Wake  <-chan struct{}
	After time.Duration
	// Why is empty for the usual reason, another owner.
	Why string
	// Local: the store was not asked, because nothing it could say would help.
	Local bool
}

// Trouble is a failed request that says nothing about the lock.
type Trouble struct {
	Err error
	// Final: a try does not ask again after it.
	Final bool
}

func (t *Trouble) Error() string { return t.Err.Error() }

func (t *Trouble) Unwrap() error { return t.Err }

// Env is what the loop needs to know of the core around a claim.
type Env struct {
	Verb, Name string
	Emit       func(grant.Event)
	Closing    <-chan struct{}
	// Silence is how long the store has left this client without any answer,
	// counted from the request that was not answered; 0 when it answers. Nil:
	// there is no store.
	Silence func() time.Duration
	// Patience is the longest silence a waiter puts up with.
	Patience time.Duration
	// TryFor is how long a try gives a silent store.
	TryFor time.Duration
	// Tries is how many failed requests in a row one call puts up with; 0: no
	// count.
	Tries int
	// Pause is how long to wait after the n-th failure in a row; nil: the usual.
	Pause func(n int) time.Duration
}

var (
	errWaitOver  = errors.New("wait is over")
	errClosing   = errors.New("client is closing")
	errTryOver   = errors.New("no answer in the time a try gives the store")
	errSilence   = errors.New("the store answers nothing")
	errUnvisited = errors.New("the store was not asked yet")
)

const (
	firstPause   = 10 * time.Millisecond
	longestPause = 250 * time.Millisecond
	tryAttempts  = 3
)

// run is one pass through the loop.
type run struct {
	Env
	claim    Claim
	once     bool
	start    time.Time
	failures int
	answered bool
	trouble  error
	why      string
	told     bool
}

// Run asks until the claim is granted, cannot be, or its time is over. Every
// way out but the grant leaves the claim.
func Run(ctx context.Context, env Env, c Claim, o grant.Options, try bool) (*grant.Level, error) {
	r := &run{Env: env, claim: c, once: try || o.HasWait && o.Wait <= 0, start: time.Now()}
	asking, stop := r.bound(ctx, o)
	defer stop()
	l, err := r.loop(asking)
	if err == nil && ctx.Err() != nil {
		l, err = nil, asking.Err()
	}
	waited := time.Since(r.start)
	if err != nil {
		c.Leave()
		err = r.explain(ctx, asking, err)
		r.say(grant.Event{Kind: grant.EventGaveUp, Wait: waited, Err: err})
		return nil, err
	}
	if r.Emit != nil {
		r.say(grant.Event{Kind: grant.EventAcquired, Wait: waited, Until: l.ValidUntil()})
	}
	return l, nil
}

// bound is the context of the asking: ctx, the wait, and for a try the time a
// silent store gets; closing ends it too.
func (r *run) bound(ctx context.Context, o grant.Options) (context.Context, func()) {
	if ctx.Done() == nil && !r.once && !o.HasWait {
		// Nothing ends this call but closing, which the waits look at.
		return ctx, func() {}
	}
	limit, over := o.Wait, errWaitOver
	if r.once {
		limit, over = r.TryFor, errTryOver
	} else if !o.HasWait {
		return ctx, func() {}
	}
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, over)
}

func (r *run) loop(ctx context.Context) (*grant.Level, error) {
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		select {
		case <-r.Closing:
			return nil, errClosing
		default:
		}
		l, busy, err := r.claim.Ask(ctx)
		var trouble *Trouble
		switch {
		case err == nil && l != nil:
			return l, nil
		case err == nil:
			r.note(busy)
			if r.once {
				return nil, grant.ErrNotAcquired
			}
		case errors.As(err, &trouble):
			if busy, err = r.stumble(ctx, trouble); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
		if err := r.wait(ctx, busy); err != nil {
			return nil, err
		}
	}
}

func (r *run) note(busy Busy) {
	if !busy.Local {
		r.answered, r.failures, r.trouble = true, 0, nil
	}
	if r.why = busy.Why; !r.told && !r.once {
		r.told = true
		var err error
		if r.why != "" {
			err = errors.New(r.why)
		}
		r.say(grant.Event{Kind: grant.EventWaiting, Err: err})
	}
}

// stumble decides what a failed request means: outages are waited through, but
// not for ever, and a try does not wait at all.
func (r *run) stumble(ctx context.Context, t *Trouble) (Busy, error) {
	err := t.Err
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		if r.trouble == nil {
			r.trouble = errUnvisited
		}
		return Busy{}, ctx.Err()
	}
	r.trouble = err
	r.failures++
	if r.once && (t.Final || r.failures >= tryAttempts) || r.Tries > 0 && r.failures > r.Tries {
		return Busy{}, grant.ErrUnavailable
	}
	if r.Pause != nil {
		return Busy{After: r.Pause(r.failures)}, nil
	}
	pause := min(firstPause<<min(r.failures-1, 8), longestPause)
	return Busy{After: pause/2 + time.Duration(rand.Int64N(int64(pause)))}, nil
}

func (r *run) wait(ctx context.Context, busy Busy) error {
	after := busy.After
	if r.Silence != nil {
		if left := r.Patience - r.Silence(); left <= 0 {
			return errSilence
		} else if after <= 0 || after > left {
			after = left
		}
	}
	var expired <-chan time.Time
	if after > 0 {
		t := time.NewTimer(after)
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-busy.Wake:
	case <-expired:
	case <-r.Closing:
		return errClosing
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (r *run) say(e grant.Event) {
	if r.Emit != nil {
		e.Name = r.Name
		r.Emit(e)
	}
}
