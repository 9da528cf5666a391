package stores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Failover makes the replica of the i-th primary take its place. A primary
// that answers hands over in an orderly way; one that was killed or paused is
// deposed without being asked. It returns when every node that answers sends
// clients to the new primary; from then on Primaries and Replicas show the two
// with their parts exchanged.
func (n *Nodes) Failover(ctx context.Context, i int) error {
	if i >= len(n.Replicas()) {
		return errors.New("fail over: the cluster has no replicas")
	}
	old, heir := n.Primaries()[i], n.Replicas()[i]
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := n.failover(ctx, old, heir); err != nil {
		return fmt.Errorf("fail over from %s to %s: %w", old.Addr(), heir.Addr(), err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.primaries[i], n.replicas[i] = heir, old
	return nil
}

func (n *Nodes) failover(ctx context.Context, old, heir *Server) error {
	how := []any{"CLUSTER", "FAILOVER"}
	if !alive(ctx, old) {
		how = append(how, "TAKEOVER")
	}
	err := heir.do(func(c *redis.Client) error { return c.Do(ctx, how...).Err() })
	if err != nil {
		return err
	}
	return poll(ctx, func() error {
		role, err := heir.Role(ctx)
		if err != nil {
			return err
		}
		if role != "master" {
			return fmt.Errorf("it is a %s", role)
		}
		return n.noSlotAt(ctx, old)
	})
}

func alive(ctx context.Context, s *Server) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.Pid() != 0 && answers(ctx, s.Addr())
}

// noSlotAt: no node that answers sends clients to the old primary.
func (n *Nodes) noSlotAt(ctx context.Context, old *Server) error {
	for _, s := range n.Servers() {
		if !alive(ctx, s) {
			continue
		}
		ranges, err := s.slotRanges(ctx)
		if err != nil {
			return err
		}
		for _, r := range ranges {
			if r.primary == old.Addr() {
				return fmt.Errorf("%s still sends slot %d to %s", s.Addr(), r.start, old.Addr())
			}
		}
	}
	return nil
}

// slotRange is one line of a node's map: the slots and their primary.
type slotRange struct {
	start, end int
	primary    string
	replicas   int
}

// slotRanges asks for the map by CLUSTER SLOTS, the command that every
// supported version has.
func (s *Server) slotRanges(ctx context.Context) (ranges []slotRange, err error) {
	err = s.do(func(c *redis.Client) error {
		lines, err := c.Do(ctx, "CLUSTER", "SLOTS").Slice()
		for _, line := range lines {
			words, _ := line.([]any) // start, end, primary, replicas...
			if len(words) < 3 {
				return fmt.Errorf("a range is %v", line)
			}
			node, _ := words[2].([]any) // host, port, id
			if len(node) < 2 {
				return fmt.Errorf("a node is %v", words[2])
			}
			start, _ := words[0].(int64)
			end, _ := words[1].(int64)
			at := fmt.Sprintf("%v:%v", node[0], node[1])
			ranges = append(ranges, slotRange{int(start), int(end), at, len(words) - 3})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask %s for its slots: %w", s.Addr(), err)
	}
	return ranges, nil
}
