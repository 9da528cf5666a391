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
	where     string
	clients   []*store
	inside    *miniredis.Miniredis
	key       string // of the stock
	lock      string // name of the lock, other than the name of any key or lock there
	namespace string
}

// place opens the server that the flags name, or one inside this process: a
// real listener on a free loopback port, whose keys expire by the clock.
func (d *demoCmd) place() (*place, error) {
	p := &place{}
	addrs := d.Redis
	if len(addrs) == 0 {
		if d.connection != (connection{}) {
			return nil, &exit{exitUsage, errors.New("the demo needs --redis for the other flags")}
		}
		m, err := miniredis.Run()
		if err != nil {
			return nil, fmt.Errorf("start miniredis: %w", err)
		}
		m.ClockTTL(true)
		p.inside = m
		addrs = []string{m.Addr()}
	}
	for range demoClients {
		s, err := d.open(addrs)
		if err != nil {
			p.close()
			return nil, err
		}
		p.where = s.where
		p.clients = append(p.clients, s)
	}
	if p.inside != nil {
		p.where = "miniredis, a Redis inside this process; --redis ADDR takes a real one"
	}
	p.lock = "holdfast-demo-" + grant.NewUUID()
	p.namespace = d.Namespace
	p.key = d.Namespace + p.lock + "-stock"
	return p, nil
}

func (p *place) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return p.clients[0].db.Ping(ctx).Err()
}

// clean deletes what a sale leaves behind. It works although ctx has ended.
func (p *place) clean(ctx context.Context, k *kind) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	keys := []string{p.key}
	if k != nil && k.stays != nil {
		keys = append(keys, k.stays(p.namespace+p.lock)...)
	}
	var err error
	for _, key := range keys { // one by one: in a cluster they live apart
		err = errors.Join(err, p.clients[0].db.Del(ctx, key).Err())
	}
	return err
}

// close is best effort: what it cannot clean up goes with its lease.
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
