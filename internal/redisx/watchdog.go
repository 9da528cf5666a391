package redisx

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/rediscore"
)

const (
	// batch is how many holds one renewal request is for: few enough that a
	// bystander's request does not wait behind it.
	batch = 200
	// inFlight bounds the renewal requests under way.
	inFlight = 4
)

// together is what may share a renewal request.
type together struct {
	node   string
	script *Script
	lease  time.Duration
}

// renew sends the renewals that are due, those of one node together. The
// outcome of each hold is its own: renewed, not ours, or unknown; unknown is
// tried again until the hold's validity is over.
func (c *Core) renew(due []grant.Due) {
	groups := make(map[together][]*grant.Grant)
	for _, d := range due {
		h, ok := d.Grant.Store().(*holding)
		if !ok {
			continue
		}
		key := together{c.conn.Node(h.lock.key), h.lock.Recipe.Renew, d.Lease}
		groups[key] = append(groups[key], d.Grant)
	}
	var wg errgroup.Group
	wg.SetLimit(inFlight)
	for key, grants := range groups {
		for len(grants) > 0 {
			some := grants[:min(batch, len(grants))]
			grants = grants[len(some):]
			wg.Go(func() error {
				c.renewSome(key, some)
				return nil
			})
		}
	}
	_ = wg.Wait()
}

func (c *Core) renewSome(key together, grants []*grant.Grant) {
	// Renewals go on while the client closes, so closing does not end them.
	ctx, cancel := context.WithTimeout(c.Behind, max(key.lease/6, grant.MinLease/2))
	defer cancel()
	codes, sent, err := c.renewalOf(ctx, key, grants)
	if err != nil {
		for _, g := range grants {
			g.NotRenewed(silent(err), err)
		}
		return
	}
	until := sent.Add(c.validity(key.lease))
	for i, g := range grants {
		switch codes[i] {
		case renewed:
			g.Renewed(sent, until, key.lease)
		case notOurs:
			g.Lose(grant.Taken)
		default:
			g.NotRenewed(false, errRefused)
		}
	}
}

type outcome int

const (
	notOurs outcome = iota
	renewed
	refused
)

// renewalOf asks for one batch: in one script where one may take all keys, else
// in one script a key, in one write.
func (c *Core) renewalOf(ctx context.Context, key together, grants []*grant.Grant) ([]outcome, time.Time, error) {
	s, err := c.shape(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	if len(grants) == 1 || !s.Cluster && !c.oneByOne.Load() {
		x := call{script: key.script, args: []any{key.lease.Milliseconds()}}
		for _, g := range grants {
			x.keys = append(x.keys, g.Store().(*holding).lock.key)
			x.args = append(x.args, g.Owner)
		}
		a, err := c.run(ctx, x, 0)
		if !crossSlot(err) || len(grants) == 1 {
			return outcomes(a, len(grants)), a.sent, err
		}
		// A proxy in front of a cluster: its keys do not go together.
		c.oneByOne.Store(true)
	}
	return c.renewEach(ctx, key, grants)
}

func outcomes(a answer, n int) []outcome {
	out := make([]outcome, n)
	for i := range out {
		v := a.code
		if i > 0 {
			v = a.int(i - 1)
		}
		out[i] = outcomeOf(v)
	}
	return out
}

func outcomeOf(code int64) outcome {
	switch code {
	case 1:
		return renewed
	case 0:
		return notOurs
	}
	return refused
}

func (c *Core) renewEach(ctx context.Context, key together, grants []*grant.Grant) ([]outcome, time.Time, error) {
	out := make([]outcome, len(grants))
	pending := make([]int, len(grants))
	for i := range grants {
		pending[i] = i
	}
	sent := grant.Sent()
	for _, whole := range []bool{false, true} {
		cmds := make([]rediscore.Cmd, len(pending))
		for i, n := range pending {
			h := grants[n].Store().(*holding)
			x := call{script: key.script, keys: []string{h.lock.key}, args: []any{key.lease.Milliseconds(), h.owner}}
			cmds[i] = x.command(whole)
		}
		replies, err := c.do(ctx, cmds[0][3].(string), cmds...)
		if err != nil {
			return nil, sent, err
		}
		var unknown []int
		for i, n := range pending {
			switch e := replies[i].Err; {
			case e == nil:
				out[n] = outcomeOf(parse(replies[i].Value).code)
			case e.Code() == "NOSCRIPT" && !whole:
				unknown = append(unknown, n)
			default:
				out[n] = refused
			}
		}
		if pending = unknown; len(pending) == 0 {
			break
		}
	}
	return out, sent, nil
}

var errRefused = &claim.Trouble{Err: errors.New("the server refused the renewal")}
