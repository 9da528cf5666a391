package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

var zkTitles = []string{"mutex", "mutex, single"}

func TestZKTheDemoOnAServerCleansUp(t *testing.T) {
	s := stores.ZooKeeper(t)
	r := start(t, "demo", "--zk", s.Addr(), "--namespace", "mine")
	soldRight(t, r, zkTitles...)
	require.Contains(t, r.out.String(), "Store: ZooKeeper at "+s.Addr())
	require.Equal(t, []string{"/", "/mine"}, s.Tree(t, "/").Paths(), "a container, which the server takes away")
}

func TestZKTheDemoOnAnEnsemble(t *testing.T) {
	e := stores.Ensemble(t)
	r := start(t, "demo", "--zk", strings.Join(e.Addrs(), ","))
	soldRight(t, r, zkTitles...)
	require.Equal(t, []string{"/"}, e.Servers()[0].Tree(t, "/").Paths())
}
