package stores

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Slot is the slot that a key falls in.
func (n *Nodes) Slot(ctx context.Context, key string) (int, error) {
	var slot int64
	err := n.Primaries()[0].do(func(c *redis.Client) (err error) {
		slot, err = c.ClusterKeySlot(ctx, key).Result()
		return err
	})
	return int(slot), err
}

// Owner is the primary that serves a slot.
func (n *Nodes) Owner(ctx context.Context, slot int) (*Server, error) {
	for _, s := range n.Servers() {
		if !alive(ctx, s) {
			continue
		}
		return n.ownerSeenBy(ctx, s, slot)
	}
	return nil, fmt.Errorf("find the owner of slot %d: no node answers", slot)
}

func (n *Nodes) ownerSeenBy(ctx context.Context, s *Server, slot int) (*Server, error) {
	ranges, err := s.slotRanges(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the owner of slot %d: %w", slot, err)
	}
	for _, r := range ranges {
		if slot < r.start || slot > r.end {
			continue
		}
		for _, owner := range n.Servers() {
			if owner.Addr() == r.primary {
				return owner, nil
			}
		}
	}
	return nil, fmt.Errorf("find the owner of slot %d: %s knows none of ours", slot, s.Addr())
}

// SlotMove is a slot on its way from one primary to another. Until Finish the
// old owner answers ASK for keys it no longer has.
type SlotMove struct {
	nodes    *Nodes
	slot     int
	from, to *Server
}

// StartMove opens a slot for its move.
func (n *Nodes) StartMove(ctx context.Context, slot int, to *Server) (*SlotMove, error) {
	from, err := n.Owner(ctx, slot)
	if err != nil {
		return nil, err
	}
	m := &SlotMove{nodes: n, slot: slot, from: from, to: to}
	// The taker first: a client sent there by an ASK must be let in.
	if err := m.set(ctx, to, "IMPORTING", from); err != nil {
		return nil, err
	}
	return m, m.set(ctx, from, "MIGRATING", to)
}

// MoveKeys moves every key that the old owner still has.
func (m *SlotMove) MoveKeys(ctx context.Context) error {
	err := m.from.do(func(c *redis.Client) error {
		for {
			keys, err := c.ClusterGetKeysInSlot(ctx, m.slot, 100).Result()
			if err != nil || len(keys) == 0 {
				return err
			}
			move := []any{"MIGRATE", "127.0.0.1", strconv.Itoa(m.to.Port()), "", 0, 5000, "KEYS"}
			for _, k := range keys {
				move = append(move, k)
			}
			if err := c.Do(ctx, move...).Err(); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("move the keys of slot %d: %w", m.slot, err)
	}
	return nil
}

// Finish makes the new owner known, and returns when every node that answers
// knows it.
func (m *SlotMove) Finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	// The taker first again: in the other order the slot would have no owner
	// for a moment.
	for _, s := range []*Server{m.to, m.from} {
		if err := m.set(ctx, s, "NODE", m.to); err != nil {
			return err
		}
	}
	return poll(ctx, func() error {
		for _, s := range m.nodes.Servers() {
			if !alive(ctx, s) {
				continue
			}
			owner, err := m.nodes.ownerSeenBy(ctx, s, m.slot)
			if err != nil {
				return err
			}
			if owner != m.to {
				return fmt.Errorf("%s still sends slot %d to %s", s.Addr(), m.slot, owner.Addr())
			}
		}
		return nil
	})
}

// MoveSlot moves a slot with its keys.
func (n *Nodes) MoveSlot(ctx context.Context, slot int, to *Server) error {
	m, err := n.StartMove(ctx, slot, to)
	if err != nil {
		return err
	}
	if err := m.MoveKeys(ctx); err != nil {
		return err
	}
	return m.Finish(ctx)
}

func (m *SlotMove) set(ctx context.Context, at *Server, state string, other *Server) error {
	id, err := other.nodeID(ctx)
	if err == nil {
		err = at.do(func(c *redis.Client) error {
			return c.Do(ctx, "CLUSTER", "SETSLOT", m.slot, state, id).Err()
		})
	}
	if err != nil {
		return fmt.Errorf("set slot %d %s at %s: %w", m.slot, state, at.Addr(), err)
	}
	return nil
}
