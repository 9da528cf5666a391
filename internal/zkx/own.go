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
func (h *holding) watchOwn() {
	if h.lock.OnRevoke != nil {
		go h.lookAtOwn()
		return
	}
	h.lookAgain()
}

func (h *holding) lookAgain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.timer = time.AfterFunc(settled, h.lookAtOwn)
	}
}

func (h *holding) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over
}

// lookAtOwn reads the own node and watches it. It is called again after every
// change of its data.
func (h *holding) lookAtOwn() {
	if h.isOver() {
		return
	}
	got, err := h.place.epoch.one(context.Background(), zkcore.Op{
		Kind: zkcore.Get, Path: h.place.path,
		OnEvent: func(ev zkcore.Event) {
			switch ev {
			case zkcore.Deleted: // our own release, or somebody
				go h.loseTaken()
			case zkcore.Changed:
				go h.lookAtOwn()
			case zkcore.SessionOver: // the epoch tells it
			}
		},
	})
	switch {
	case zkcore.NoNode.Is(err):
		h.loseTaken()
	case err != nil && answered(err):
		// Somebody has changed its access list; it is ours all the same.
		h.lock.Core.log.Warn("own node cannot be read", "lock", grant.Quote(h.lock.Path), "err", err)
	case err != nil:
		h.lookAgain()
	case h.lock.Recipe.Single != "" && string(got.Data) != h.place.guid:
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
