package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/zkcore"
)

// shelf is what the demo needs of a store beside its locks: a number that
// anybody may overwrite, and to be rid of it.
type shelf interface {
	// names are those of the lock and of the number, made from one of the demo's
	// own.
	names(own string) (lock, number string)
	put(ctx context.Context, number string, n int) error
	read(ctx context.Context, number string) (int, error)
	write(ctx context.Context, number string, n int) error
	// clean deletes the number and what a lock of that kind leaves; nil: none.
	clean(ctx context.Context, number, lock string, k *kind) error
}

func (s *redisStore) names(own string) (lock, number string) {
	return own, s.namespace + own + "-stock"
}

func (s *redisStore) put(ctx context.Context, key string, n int) error { return s.write(ctx, key, n) }

func (s *redisStore) read(ctx context.Context, key string) (int, error) {
	return s.db.Get(ctx, key).Int()
}

func (s *redisStore) write(ctx context.Context, key string, n int) error {
	return s.db.Set(ctx, key, n, 0).Err()
}

func (s *redisStore) clean(ctx context.Context, key, lock string, k *kind) error {
	keys := []string{key}
	if k != nil && k.stays != nil {
		keys = append(keys, k.stays(s.namespace+lock)...)
	}
	var err error
	for _, key := range keys { // one by one: in a cluster they live apart
		err = errors.Join(err, s.db.Del(ctx, key).Err())
	}
	return err
}

func (z *zkStore) names(own string) (lock, number string) {
	return "/" + own + "/till", z.namespace + "/" + own + "/stock"
}

// put makes a node of this session, which goes also when the demo is killed.
func (z *zkStore) put(ctx context.Context, path string, n int) error {
	if err := z.directory(ctx, path[:strings.LastIndexByte(path, '/')]); err != nil {
		return err
	}
	return z.create(ctx, path, zkcore.Ephemeral, []byte(strconv.Itoa(n)))
}

// read brings its server up to date first. The lock is in another session, at
// another server perhaps: a buyer may be let in before this one has heard of
// what the buyer before him wrote.
func (z *zkStore) read(ctx context.Context, path string) (int, error) {
	got, err := z.do(ctx, zkcore.Op{Kind: zkcore.Sync, Path: path}, zkcore.Op{Kind: zkcore.Get, Path: path})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(got.Data))
}

func (z *zkStore) write(ctx context.Context, path string, n int) error {
	_, err := z.do(ctx, zkcore.Op{
		Kind: zkcore.Set, Path: path, Data: []byte(strconv.Itoa(n)), Version: zkcore.AnyVersion,
	})
	return err
}

// clean leaves the namespace alone: its levels are containers, which the server
// takes away when they have become empty.
func (z *zkStore) clean(ctx context.Context, path, lock string, _ *kind) error {
	var err error
	for _, p := range []string{path, z.namespace + lock, path[:strings.LastIndexByte(path, '/')]} {
		_, e := z.do(ctx, zkcore.Op{Kind: zkcore.Delete, Path: p, Version: zkcore.AnyVersion})
		// Who was cut short deletes his node behind; its directory is a container too.
		if e != nil && !zkcore.NoNode.Is(e) && !zkcore.NotEmpty.Is(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

func (z *zkStore) create(ctx context.Context, path string, mode zkcore.Mode, data []byte) error {
	_, set, _ := z.client.Load().Internals()
	_, err := z.do(ctx, zkcore.Op{Kind: zkcore.Create, Path: path, Mode: mode, Data: data, ACL: set.ACL})
	return err
}

// directory makes the levels of path that are missing, from the bottom up: there
// may be no right to make those above.
func (z *zkStore) directory(ctx context.Context, path string) error {
	err := z.create(ctx, path, zkcore.Container, nil)
	if above := path[:strings.LastIndexByte(path, '/')]; zkcore.NoNode.Is(err) && above != "" {
		if err := z.directory(ctx, above); err != nil {
			return err
		}
		err = z.create(ctx, path, zkcore.Container, nil)
	}
	if zkcore.NodeExists.Is(err) {
		return nil
	}
	return err
}
