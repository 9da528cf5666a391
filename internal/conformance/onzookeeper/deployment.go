// Package onzookeeper brings recipes on ZooKeeper to the conformance suite:
// places, which are ZooKeeper deployments, and the clients of a trial there.
package onzookeeper

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

// MakeLocker makes the lock at that path at a client.
type MakeLocker func(c *zkcore.Client, path string) recipes.Locker

// deployment is a conformance.Store.
type deployment struct {
	place   *Place
	clients []*client
	make    MakeLocker

	mu    sync.Mutex
	waits map[string]int
}

var _ conformance.Store = (*deployment)(nil)

func (d *deployment) Locker(client int, name string) recipes.Locker {
	return d.make(d.clients[client].Client, name)
}

func (d *deployment) Close(ctx context.Context, client int) error {
	err := d.clients[client].Close(ctx)
	d.clients[client].ended(err == nil)
	return err
}

// Observe counts the Lock calls that had to wait: from its event on, a call is
// in line.
func (d *deployment) Observe(e recipes.Event) {
	if e.Kind == recipes.EventWaiting {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waits[e.Name]++
	}
}

func (d *deployment) Waiting(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waits[name]
}

// Delete deletes every node of the lock, but not its directory.
func (d *deployment) Delete(t *testing.T, name string) {
	t.Helper()
	_, err := d.place.look.Sync(name)
	require.NoError(t, err)
	names, _, err := d.place.look.Children(name)
	require.NoError(t, err)
	require.NotEmpty(t, names, "there is nothing to delete")
	for _, child := range names {
		require.NoError(t, d.place.look.Delete(name+"/"+child, -1))
	}
}

func (d *deployment) Left(tag string) (stored, listeners []string, err error) {
	if _, err := d.place.look.Sync("/"); err != nil {
		return nil, nil, err
	}
	stored, err = d.place.below(dir(tag), directories)
	watched, failed := d.place.watched(dir(tag))
	alive, broken := d.place.alive(d.gone())
	return stored, append(watched, alive...), errors.Join(err, failed, broken)
}

// directories is how many levels of a trial's nodes may stay until the server
// finds them empty: its own directory, and those of its locks.
const directories = 2

// below are the nodes from path on. Of the uppermost levels only those count that
// the server must have taken away: where it looks for empty containers all the
// time, and then not those that have never had a child, which it keeps.
func (p *Place) below(path string, levels int) (found []string, err error) {
	names, stat, err := p.look.Children(path)
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return nil, nil
	case err != nil:
		return nil, err
	case levels <= 0, p.tidy && stat.NumChildren == 0 && stat.Cversion > 0:
		found = append(found, path)
	}
	for _, name := range names {
		more, err := p.below(path+"/"+name, levels-1)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// gone are the sessions of clients that were closed in order.
func (d *deployment) gone() (ids []int64) {
	for _, c := range d.clients {
		if id := c.closedSession(); id != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// closeAll is for what a failed trial left open.
func (d *deployment) closeAll() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range d.clients {
		_ = c.Close(ctx)
	}
}
