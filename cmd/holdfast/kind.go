package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/zkcore"
)

// kind is a recipe in one of its layouts, in one system: redis or zk is set.
type kind struct {
	recipe, layout string
	title          string // in the demo's table
	fenced         bool
	redis          func(c *rediscore.Client, name string) recipes.Locker
	// stays are the keys that outlive the last hold by design.
	stays func(name string) []string

	zk        func(c *zkcore.Client, path string, heard func(*recipes.Hold)) recipes.Locker
	revocable bool // holders can be asked to let go
	// node is the node of an owner, below the lock's path.
	node func(owner string) string
}

// kinds are all there are; a line here is all that a command needs to know a
// recipe. The first of a recipe in a system is its default there.
var kinds = []kind{
	{recipe: "mutex", layout: "redisson", title: "mutex", redis: redisMutex()},
	{recipe: "mutex", layout: "fenced", title: "mutex, fenced", fenced: true, redis: redisMutex(mutex.Fenced()), stays: fenceCounter},
	{recipe: "mutex", layout: "plain", title: "mutex, plain", redis: redisMutex(mutex.Plain())},
	{recipe: "mutex", layout: "curator", title: "mutex", fenced: true, revocable: true, zk: zkMutex(), node: ownName},
	{recipe: "mutex", layout: "single-node", title: "mutex, single", fenced: true, zk: zkMutex(mutex.SingleNode()), node: always("lock")},
}

func redisMutex(opts ...mutex.RedisOption) func(*rediscore.Client, string) recipes.Locker {
	return func(c *rediscore.Client, name string) recipes.Locker { return mutex.NewRedis(c, name, opts...) }
}

func zkMutex(opts ...mutex.ZooKeeperOption) func(*zkcore.Client, string, func(*recipes.Hold)) recipes.Locker {
	return func(c *zkcore.Client, path string, heard func(*recipes.Hold)) recipes.Locker {
		return mutex.NewZooKeeper(c, path, append(slices.Clip(opts), mutex.OnRevoke(heard))...)
	}
}

// fenceCounter is Redisson's key for the tokens of a name without braces.
func fenceCounter(name string) []string { return []string{"redisson_lock_token:{" + name + "}"} }

func ownName(owner string) string { return owner }

func always(name string) func(string) string { return func(string) string { return name } }

func (k kind) system() string {
	if k.zk != nil {
		return onZooKeeper
	}
	return onRedis
}

// kindsOn are those of one system.
func kindsOn(system string) []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.system() != system })
}

// lockFlags say which lock.
type lockFlags struct {
	Recipe string `default:"mutex" enum:"${recipes}" help:"Kind of lock: ${enum}."`
	Layout string `placeholder:"LAYOUT" help:"How the lock is stored: ${layouts}."`
	Name   string `required:"" short:"n" placeholder:"NAME" help:"Name of the lock; on ZooKeeper a path, as /locks/orders."`
}

// fitting are the kinds that the flags leave to choose from.
func (f *lockFlags) fitting(system string) ([]kind, error) {
	var all []kind
	for _, k := range kindsOn(system) {
		if k.recipe == f.Recipe && (f.Layout == "" || f.Layout == k.layout) {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil, &exit{exitUsage, fmt.Errorf("a %s on %s has no layout %q", f.Recipe, system, f.Layout)}
	}
	return all, nil
}

func recipeNames() string {
	return names(kinds, ",", func(k kind) string { return k.recipe })
}

func layoutNames() string {
	layout := func(k kind) string { return k.layout }
	return names(kindsOn(onRedis), ", ", layout) + "; on ZooKeeper " + names(kindsOn(onZooKeeper), ", ", layout)
}

func names(kinds []kind, sep string, of func(kind) string) string {
	var all []string
	for _, k := range kinds {
		if n := of(k); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, sep)
}
