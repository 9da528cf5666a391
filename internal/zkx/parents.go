package zkx

import (
	"context"

	"github.com/holdfast-go/holdfast/zkcore"
)

// makeDirs makes the missing levels of path, as containers, which the server
// takes away again when they have become empty. It starts at the bottom and goes
// up only as far as it must: a client may have no rights above.
func (e *epoch) makeDirs(ctx context.Context, path string) error {
	for again := false; ; again = true {
		_, err := e.one(ctx, zkcore.Op{
			Kind: zkcore.Create, Path: path, Data: []byte{}, Mode: e.core.dirMode(), ACL: e.core.set.ACL,
		})
		switch {
		case err == nil, zkcore.NodeExists.Is(err):
			return nil
		case tooOld(err) && !e.core.noContainers.Load():
			e.core.noContainers.Store(true)
			continue
		case !zkcore.NoNode.Is(err), again, parent(path) == "":
			return err
		}
		if err := e.makeDirs(ctx, parent(path)); err != nil {
			return err
		}
	}
}

func (c *Core) dirMode() zkcore.Mode {
	if c.noContainers.Load() {
		return zkcore.Persistent
	}
	return zkcore.Container
}

// tooOld is how servers before 3.5 answer to what they do not know.
func tooOld(err error) bool { return zkcore.Unimplemented.Is(err) }
