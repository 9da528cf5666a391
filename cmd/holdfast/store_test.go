package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAddressWithoutAPortGetsTheUsualOne(t *testing.T) {
	for given, want := range map[string]string{
		"redis.example":      "redis.example:6379",
		"redis.example:7000": "redis.example:7000",
		"[::1]:6379":         "[::1]:6379",
		"/run/redis.sock":    "/run/redis.sock",
	} {
		got, err := (&connection{}).address(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := (&connection{SentinelMaster: "x"}).address("a")
	require.NoError(t, err)
	require.Equal(t, "a:26379", got)
	for _, bad := range []string{"", ":6379", "a:", "::1", "a:b:c"} {
		_, err := (&connection{}).address(bad)
		require.Error(t, err, "%q", bad)
	}
}

func TestTLSIsAskedForAndChecked(t *testing.T) {
	o, err := (&connection{TLS: true}).options([]string{"redis.example"})
	require.NoError(t, err)
	require.NotNil(t, o.TLSConfig)
	require.False(t, o.TLSConfig.InsecureSkipVerify)
	o, err = (&connection{}).options([]string{"redis.example"})
	require.NoError(t, err)
	require.Nil(t, o.TLSConfig)
}

func TestADatabaseIsOneOfASingleServer(t *testing.T) {
	_, err := (&connection{Cluster: true, DB: 1}).options([]string{"a"})
	require.Error(t, err)
	o, err := (&connection{DB: 3}).options([]string{"a"})
	require.NoError(t, err)
	require.Equal(t, 3, o.DB)
}
