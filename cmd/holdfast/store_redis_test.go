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
		got, err := (&connection{}).redisAddress(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := (&connection{redisFlags: redisFlags{SentinelMaster: "x"}}).redisAddress("a")
	require.NoError(t, err)
	require.Equal(t, "a:26379", got)
	for _, bad := range []string{"", ":6379", "a:", "::1", "a:b:c"} {
		_, err := (&connection{}).redisAddress(bad)
		require.Error(t, err, "%q", bad)
	}
}

func TestTLSIsAskedForAndChecked(t *testing.T) {
	o, err := (&connection{tlsFlags: tlsFlags{TLS: true}}).redisOptions([]string{"redis.example"})
	require.NoError(t, err)
	require.NotNil(t, o.TLSConfig)
	require.False(t, o.TLSConfig.InsecureSkipVerify)
	o, err = (&connection{}).redisOptions([]string{"redis.example"})
	require.NoError(t, err)
	require.Nil(t, o.TLSConfig)
}

func TestADatabaseIsOneOfASingleServer(t *testing.T) {
	_, err := (&connection{redisFlags: redisFlags{Cluster: true, DB: 1}}).redisOptions([]string{"a"})
	require.Error(t, err)
	o, err := (&connection{redisFlags: redisFlags{DB: 3}}).redisOptions([]string{"a"})
	require.NoError(t, err)
	require.Equal(t, 3, o.DB)
}
