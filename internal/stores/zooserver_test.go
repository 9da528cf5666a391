package stores_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestZooKeeperServerAnswersAlone(t *testing.T) {
	s := stores.ZooKeeper(t)
	mode, err := s.Mode(t.Context())
	require.NoError(t, err)
	require.Equal(t, "standalone", mode)
	require.Zero(t, s.Watches(t))
	require.Empty(t, s.Sessions(t))
	pid := s.Pid()
	require.NoError(t, s.Restart(t.Context()))
	require.NotEqual(t, pid, s.Pid())
}
