package claim

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// explain turns the end of the loop into the error its caller sees.
func (r *run) explain(ctx, asking context.Context, err error) error {
	f := &grant.Fault{Verb: r.Verb, Name: r.Name}
	var ready *grant.Fault
	switch {
	case ctx.Err() != nil:
		f.Kind, f.Detail = grant.ErrNotAcquired, r.why
		f.Causes = append(f.Causes, ctx.Err())
		f.Causes = append(f.Causes, grant.OwnCause(ctx)...)
		f.Causes = withTrouble(f.Causes, r.trouble)
	case errors.Is(err, errClosing):
		f.Kind = grant.ErrClosed
	case asking.Err() != nil:
		f.Kind, f.Detail = grant.ErrNotAcquired, r.whyBusy(context.Cause(asking).Error())
		if r.unheard() {
			f.Kind, f.Detail = grant.ErrUnavailable, context.Cause(asking).Error()
		}
		f.Causes = withTrouble(f.Causes, r.trouble)
	case errors.Is(err, errSilence), errors.Is(err, grant.ErrUnavailable) && r.trouble != nil:
		f.Kind = grant.ErrUnavailable
		if errors.Is(err, errSilence) {
			f.Detail = "no answer for " + r.Patience.String()
		}
		f.Causes = withTrouble(f.Causes, r.trouble)
	case errors.Is(err, grant.ErrNotAcquired):
		f.Kind, f.Detail = grant.ErrNotAcquired, r.whyBusy("")
	case errors.As(err, &ready):
		if ready.Verb == "" {
			ready.Verb, ready.Name = r.Verb, r.Name
		}
		return err
	default:
		return err
	}
	return f
}

// unheard: the store has said nothing at all to this call, and is silent.
func (r *run) unheard() bool {
	if r.Silence == nil || r.why == behindSibling { // what is in the way is here
		return false
	}
	return !r.answered && (r.trouble != nil || r.Silence() > 0)
}

func (r *run) whyBusy(more string) string {
	why := r.why
	if why == "" {
		why = "held by another owner"
	}
	if more != "" {
		why += ", " + more
	}
	return why
}

func withTrouble(causes []error, trouble error) []error {
	if trouble == nil || errors.Is(trouble, errUnvisited) {
		return causes
	}
	return append(causes, trouble)
}
