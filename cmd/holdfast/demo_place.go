package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// demoClients is how many processes the buyers seem to sit in: each client is a
// stranger to the others, as clients of other processes are.
const demoClients = 4

// place is where the sale takes place.
type place struct {
	where   string
	system  string
	clients []store
	inside  *miniredis.Miniredis
	lock    string // its name
	stock   string // where the stock is counted
}

// place opens the server that the flags name, or one inside this process: a
// real listener on a free loopback port, whose keys expire by the clock.
func (d *demoCmd) place() (*place, error) {
	t, err := oneOf(d.Redis, d.ZK)
	if err != nil {
		return nil, err
	}
	p := &place{system: t.system}
	if len(t.addrs) == 0 {
		if given(d.connection) {
			return nil, &exit{exitUsage, errors.New("the demo needs --redis or --zk for the other flags")}
		}
		if p.inside, err = miniredis.Run(); err != nil {
			return nil, fmt.Errorf("start miniredis: %w", err)
		}
		p.inside.ClockTTL(true)
		t.addrs = []string{p.inside.Addr()}
	}
	for range demoClients {
		s, err := d.store(t, survival{})
		if err != nil {
			p.close()
			return nil, err
		}
		p.clients = append(p.clients, s)
	}
	p.where = p.clients[0].String()
	if p.inside != nil {
		p.where = "miniredis, a Redis inside this process; --redis ADDR or --zk ADDR takes a real one"
	}
	p.lock, p.stock = p.clients[0].names("holdfast-demo-" + grant.NewUUID())
	return p, nil
}

// open waits, not for long, for a store that answers.
func (p *place) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for _, s := range p.clients {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	return p.clients[0].reach(ctx)
}

// clean deletes what a sale leaves behind. It works although ctx has ended.
func (p *place) clean(ctx context.Context, k *kind) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	return p.clients[0].clean(ctx, p.stock, p.lock, k)
}

// close is best effort: what it cannot clean up goes with its lease, or with
// its session.
func (p *place) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, s := range p.clients {
		_ = s.close(ctx)
	}
	if p.inside != nil {
		p.inside.Close()
	}
}
