package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	stockSize = 100
	buyers    = 50
	wanted    = 4 // by each buyer: twice what there is
)

// sale is one run: the same stock and the same buyers, under one lock or none.
type sale struct {
	*place
	kind  *kind // nil: no lock
	think time.Duration
	asked atomic.Int64 // purchases tried so far

	mu      sync.Mutex
	outcome outcome
	fence   int64 // of the last purchase
}

// sell holds one sale and cleans up behind it.
func (p *place) sell(ctx context.Context, k *kind, think time.Duration, watch func(asked func() int64) (stop func())) (got outcome, err error) {
	s := &sale{place: p, kind: k, think: think}
	s.outcome = outcome{title: "no lock", stock: stockSize, demand: buyers * wanted}
	if k != nil {
		s.outcome.title, s.outcome.locked = k.title, true
	}
	defer func() { err = errors.Join(err, p.clean(ctx, k)) }()
	if err := p.clients[0].put(ctx, p.stock, stockSize); err != nil {
		return outcome{}, err
	}
	start := time.Now()
	stop := watch(s.asked.Load)
	err = s.everybody(ctx)
	stop()
	if err != nil {
		return outcome{}, err
	}
	s.outcome.took = time.Since(start)
	s.outcome.left, err = p.clients[0].read(ctx, p.stock)
	return s.outcome, err
}

// everybody lets all buyers in at once; the first error ends the sale.
func (s *sale) everybody(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i := range buyers {
		client := s.clients[i%len(s.clients)]
		all.Go(func() {
			for range wanted {
				if err := s.buy(ctx, client); err != nil {
					cancel(err)
					return
				}
				s.asked.Add(1)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

func (s *sale) buy(ctx context.Context, client store) error {
	if s.kind == nil {
		sold, err := s.take(ctx, client)
		s.book(sold, 0, false)
		return err
	}
	asked := time.Now()
	h, err := client.lock(*s.kind, s.lock, nil).Lock(ctx)
	if err != nil {
		return err
	}
	s.waited(time.Since(asked))
	held := h.Context(ctx)
	sold, err := s.take(held, client)
	if err == nil {
		fence, has := h.Fence()
		s.book(sold, fence, has)
	}
	released := h.Release(ctx)
	// A hold that was lost is a result, not a breakdown: the table counts it.
	if lost(held, err) || lost(held, released) {
		s.lose()
		return nil
	}
	return errors.Join(err, released)
}

// take sells one item if there is one. Between its read and its write anything
// can happen, which is all that the demonstration is about.
func (s *sale) take(ctx context.Context, client store) (bool, error) {
	stock, err := client.read(ctx, s.stock)
	if err != nil || stock <= 0 {
		return false, err
	}
	select {
	case <-time.After(s.think):
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return true, client.write(ctx, s.stock, stock-1)
}

// book is what the till knows, whatever the stock says.
func (s *sale) book(sold bool, fence int64, fenced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sold {
		s.outcome.sold++
	}
	if fenced {
		if fence <= s.fence {
			s.outcome.backwards++
		}
		s.fence = fence
	}
}

func (s *sale) waited(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome.waits = append(s.outcome.waits, d)
}

func (s *sale) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome.losses++
}
