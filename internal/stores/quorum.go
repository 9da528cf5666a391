package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Leader is the server that leads now. While there is none, or an old leader
// that has not noticed yet beside a new one, it waits.
func (e *ZooEnsemble) Leader(ctx context.Context) (*ZooServer, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var leader *ZooServer
	err := poll(ctx, func() error {
		leaders, followers := e.roles(ctx)
		if len(leaders) != 1 || len(followers) == 0 {
			return fmt.Errorf("%d servers lead and %d follow", len(leaders), len(followers))
		}
		leader = leaders[0]
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the leader: %w", err)
	}
	return leader, nil
}

// Followers are the servers that follow now, at least one.
func (e *ZooEnsemble) Followers(ctx context.Context) ([]*ZooServer, error) {
	if _, err := e.Leader(ctx); err != nil {
		return nil, err
	}
	_, followers := e.roles(ctx)
	if len(followers) == 0 {
		return nil, errors.New("find the followers: there are none any more")
	}
	return followers, nil
}

func (e *ZooEnsemble) roles(ctx context.Context) (leaders, followers []*ZooServer) {
	modes := make([]string, len(e.servers))
	_ = e.together(func(s *ZooServer) (err error) {
		modes[s.id-1], err = s.Mode(ctx) // "" of one that does not answer
		return err
	})
	for i, s := range e.servers {
		switch modes[i] {
		case "leader":
			leaders = append(leaders, s)
		case "follower":
			followers = append(followers, s)
		}
	}
	return leaders, followers
}

// RollingRestart restarts the servers one after the other, the leader last,
// each when the ensemble is complete again.
func (e *ZooEnsemble) RollingRestart(ctx context.Context) error {
	leader, err := e.Leader(ctx)
	if err != nil {
		return err
	}
	order := slices.DeleteFunc(slices.Clone(e.servers), func(s *ZooServer) bool { return s == leader })
	for _, s := range append(order, leader) {
		if err := s.Restart(ctx); err != nil {
			return err
		}
		if err := e.together(func(s *ZooServer) error { return s.WaitServing(ctx) }); err != nil {
			return err
		}
	}
	return nil
}

// WaitServing returns when the server serves clients: after a link was mended,
// a paused server ran on, or a leader was lost.
func (s *ZooServer) WaitServing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := poll(ctx, func() error {
		if !s.serves(ctx) {
			return errors.New("it does not serve")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("wait for zookeeper server %s: %w", s.Addr(), err)
	}
	return nil
}

// WaitNotServing returns when the server has left its quorum: it runs and refuses
// clients, or it is down.
func (s *ZooServer) WaitNotServing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := poll(ctx, func() error {
		if s.serves(ctx) {
			return errors.New("it serves")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("wait for zookeeper server %s to be cut off: %w", s.Addr(), err)
	}
	return nil
}

// Isolate cuts a server off from the other two; clients still reach all
// three. Nobody is told: the server takes itself for a part of the ensemble,
// answers reads and pings, until it has missed its peers for two seconds
// (syncLimit). WaitNotServing waits for that.
func (e *ZooEnsemble) Isolate(s *ZooServer) {
	e.eachOther(s, func(other *ZooServer) { e.Cut(s, other) })
}

// Heal mends the links that Isolate or Cut cut. WaitServing waits until the
// server is back.
func (e *ZooEnsemble) Heal(s *ZooServer) {
	e.eachOther(s, func(other *ZooServer) { e.Mend(s, other) })
}

// Cut cuts the link between two servers, as silently as Isolate.
func (e *ZooEnsemble) Cut(a, b *ZooServer) { e.links.Cut(a.id, b.id) }

// Mend mends the link between two servers.
func (e *ZooEnsemble) Mend(a, b *ZooServer) { e.links.Mend(a.id, b.id) }

func (e *ZooEnsemble) eachOther(s *ZooServer, do func(*ZooServer)) {
	for _, other := range e.servers {
		if other != s {
			do(other)
		}
	}
}
