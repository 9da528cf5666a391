package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

// kind is a recipe in one of its layouts.
type kind struct {
	recipe, layout string
	title          string // in the demo's table
	fenced         bool
	redis          func(c *rediscore.Client, name string) recipes.Locker
	// stays are the keys that outlive the last hold by design.
	stays func(name string) []string
}

// kinds are all there are; a line here is all that a command needs to know a
// recipe. The first of a recipe is its default.
var kinds = []kind{
	{recipe: "mutex", layout: "redisson", title: "mutex", redis: redisMutex()},
	{recipe: "mutex", layout: "fenced", title: "mutex, fenced", fenced: true, redis: redisMutex(mutex.Fenced()), stays: fenceCounter},
	{recipe: "mutex", layout: "plain", title: "mutex, plain", redis: redisMutex(mutex.Plain())},
}

func redisMutex(opts ...mutex.RedisOption) func(*rediscore.Client, string) recipes.Locker {
	return func(c *rediscore.Client, name string) recipes.Locker { return mutex.NewRedis(c, name, opts...) }
}

// fenceCounter is Redisson's key for the tokens of a name without braces.
func fenceCounter(name string) []string { return []string{"redisson_lock_token:{" + name + "}"} }

// lockFlags say which lock.
type lockFlags struct {
	Recipe string `default:"mutex" enum:"${recipes}" help:"Kind of lock: ${enum}."`
	Layout string `placeholder:"LAYOUT" help:"How the lock is stored: ${layouts}."`
	Name   string `required:"" short:"n" placeholder:"NAME" help:"Name of the lock."`
}

// fitting are the kinds that the flags leave to choose from.
func (f *lockFlags) fitting() ([]kind, error) {
	var all []kind
	for _, k := range kinds {
		if k.recipe == f.Recipe && (f.Layout == "" || f.Layout == k.layout) {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil, &exit{exitUsage, fmt.Errorf("a %s has no layout %q", f.Recipe, f.Layout)}
	}
	return all, nil
}

func recipeNames() string {
	return names(",", func(k kind) string { return k.recipe })
}

func layoutNames() string {
	return names(", ", func(k kind) string { return k.layout })
}

func names(sep string, of func(kind) string) string {
	var all []string
	for _, k := range kinds {
		if n := of(k); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, sep)
}
