package zkx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// revokeMessage is Curator's request to let go: the node's whole data.
const revokeMessage = "__REVOKE__"

// settled is how old a hold is when its own node is watched. Most holds are
// shorter, and then the watch would cost a third more requests.
const settled = 250 * time.Millisecond

// watchOwn tells the holder when its node is deleted by hand, and when it is
// asked to let go.
func (h *holding) watchOwn(p *place) {
	if h.lock.OnRevoke != nil {
		go h.lookAtOwn(p)
		return
	}
	h.lookAgain(p)
}

func (h *holding) lookAgain(p *place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	if h.timers == nil {
		h.timers = make(map[*place]*time.Timer, 1)
	}
	h.timers[p] = time.AfterFunc(settled, func() { h.lookAtOwn(p) })
}

func (h *holding) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}

// lookAtOwn reads the own node and watches it. It is called again after every
// change of its data.
func (h *holding) lookAtOwn(p *place) {
	if h.isOver() || p.isParting() {
		return
	}
	got, err := p.epoch.one(context.Background(), zkcore.Op{
		Kind: zkcore.Get, Path: p.path,
		OnEvent: func(ev zkcore.Event) {
			switch ev {
			case zkcore.Deleted: // our own release, or somebody
				if !p.isParting() {
					go h.loseTaken()
				}
			case zkcore.Changed:
				go h.lookAtOwn(p)
			case zkcore.SessionOver: // the epoch tells it
			}
		},
	})
	switch {
	case zkcore.NoNode.Is(err):
		if !p.isParting() {
			h.loseTaken()
		}
	case err != nil && answered(err):
		// Somebody has changed its access list; it is ours all the same.
		h.lock.Core.log.Warn("own node cannot be read", "lock", grant.Brief(h.lock.Path), "err", err)
	case err != nil:
		h.lookAgain(p)
	case h.lock.Recipe.anonymous() && string(got.Data) != p.guid:
		h.loseTaken()
	case string(got.Data) == revokeMessage:
		h.revoke(got.Stat.Version)
	}
}

// revoke tells the holder once of each request.
func (h *holding) revoke(version int32) {
	h.mu.Lock()
	fresh := !h.over && h.told != version+1
	h.told = version + 1
	h.mu.Unlock()
	if fresh && h.lock.OnRevoke != nil {
		h.lock.OnRevoke(h.lock.show(h.level))
	}
}
