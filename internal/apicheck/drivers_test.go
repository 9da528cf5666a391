package apicheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	redisDrivers     = []string{"github.com/redis/go-redis", "github.com/redis/rueidis"}
	zookeeperDrivers = []string{"github.com/go-zookeeper/zk", "github.com/samuel/go-zookeeper"}
	// What only our tests and our command need must not reach a user's program.
	ours = []string{"github.com/stretchr/testify", "github.com/alicebob/miniredis", "github.com/alecthomas/kong"}
)

// rules: what each part of the library compiles, tests aside, must not contain.
// The store that is built first is not optional; the other's rules wait for its folder.
var rules = []struct {
	pattern  string
	optional bool
	never    [][]string
	driver   []string // must be there: shows that the names above are spelt as go list spells them
}{
	{pattern: "./recipes/...", never: [][]string{redisDrivers, zookeeperDrivers, ours}},
	{pattern: "./rediscore", never: [][]string{redisDrivers, zookeeperDrivers, ours}},
	{pattern: "./rediscore/goredis", never: [][]string{zookeeperDrivers, ours}, driver: redisDrivers},
	{pattern: "./zkcore", optional: true, never: [][]string{redisDrivers, zookeeperDrivers, ours}},
	{pattern: "./zkcore/gozk", optional: true, never: [][]string{redisDrivers, ours}, driver: zookeeperDrivers},
}

func TestNobodyCompilesADriverHeDidNotChoose(t *testing.T) {
	for _, rule := range rules {
		folder := filepath.Join(root, strings.TrimSuffix(rule.pattern, "/..."))
		if _, err := os.Stat(folder); rule.optional && os.IsNotExist(err) {
			continue
		}
		t.Run(rule.pattern, func(t *testing.T) {
			paths, err := deps(root, rule.pattern)
			require.NoError(t, err)
			for _, modules := range rule.never {
				require.Empty(t, matching(paths, modules), "%s compiles what it must not", rule.pattern)
			}
			if rule.driver != nil {
				require.NotEmpty(t, matching(paths, rule.driver), "%s no longer compiles its driver: is the rule still right?", rule.pattern)
			}
		})
	}
}

func TestAPatternWithoutPackagesIsAnError(t *testing.T) {
	_, err := deps(root, "./nowhere/...")
	require.Error(t, err)
}
