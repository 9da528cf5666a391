// Package settings has what the options of the two cores set. It is apart from
// them so that an option is a plain function and the mechanisms can read what
// it set.
package settings

import (
	"context"
	"sync"
	"time"
)

// Signals is how releases are published and heard; its values are those of
// rediscore.Signals.
type Signals int

const (
	Auto Signals = iota
	Plain
	Sharded
	Both
	Off
)

// Redis is what the options of rediscore set.
type Redis struct {
	Common
	WatchdogLease time.Duration
	Replicas      int
	ReplicaWait   time.Duration
	Signals       Signals
	FairWait      time.Duration
}

// DefaultRedis are Redisson's defaults where it has one.
func DefaultRedis() Redis {
	return Redis{
		Common:        defaultCommon(),
		WatchdogLease: 30 * time.Second,
		ReplicaWait:   time.Second,
		FairWait:      300 * time.Second,
	}
}

// Mechanism is a core's inside.
type Mechanism interface {
	Close(ctx context.Context) error
}

// Slot holds the mechanism of one client, made when a recipe first asks for it.
type Slot struct {
	mu     sync.Mutex
	made   Mechanism
	closed bool
}

// Get returns the mechanism, made by build the first time. closed says that the
// client was closed before there was one.
func (s *Slot) Get(build func(closed bool) Mechanism) Mechanism {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = build(s.closed)
	}
	return s.made
}

// Close closes the mechanism if there is one.
func (s *Slot) Close(ctx context.Context) error {
	s.mu.Lock()
	made := s.made
	s.closed = true
	s.mu.Unlock()
	if made == nil {
		return nil
	}
	return made.Close(ctx)
}
