package freeport_test

import (
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores/freeport"
)

func TestATakenPortRefusesUntilSomebodyListensAndAgainAfterwards(t *testing.T) {
	p, err := freeport.Take()
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()

	for range 3 {
		_, err = net.Dial("tcp", p.Addr())
		require.Error(t, err)

		ln, err := net.Listen("tcp", p.Addr())
		require.NoError(t, err)
		c, err := net.Dial("tcp", p.Addr())
		require.NoError(t, err)
		require.NoError(t, c.Close())
		require.NoError(t, ln.Close())
	}
}

func TestATakenPortIsGivenToNobodyElse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("ports are held on Linux only")
		return
	}
	p, err := freeport.Take()
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()

	for range 2000 {
		q, err := freeport.Take()
		require.NoError(t, err)
		require.NotEqual(t, p.Number(), q.Number())
		defer func() { require.NoError(t, q.Close()) }()
	}
}
