package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }

func TestCommandPrintsAddressesAndStopsTheServersWhenInterrupted(t *testing.T) {
	redis, zoo := []string{"maxmemory 10mb"}, []string{"maxClientCnxns=20"}
	for kind, want := range map[string]struct {
		roles  []string
		config []string
	}{
		"single":      {[]string{"primary"}, redis},
		"replica":     {[]string{"primary", "replica"}, redis},
		"sentinel":    {[]string{"primary", "replica", "sentinel", "sentinel", "sentinel"}, redis},
		"cluster":     {[]string{"primary", "primary", "primary"}, redis},
		"independent": {[]string{"primary", "primary"}, redis},
		"zookeeper":   {[]string{"standalone"}, zoo},
		"ensemble":    {[]string{"follower", "follower", "leader"}, zoo},
	} {
		t.Run(kind, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			in, out := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				c := cli{Kind: kind, Count: 2, Config: want.config}
				ended <- c.run(ctx, out)
				_ = out.Close()
			}()
			var roles, addrs []string
			lines := bufio.NewScanner(in)
			for lines.Scan() && lines.Text() != "ready" {
				words := strings.Fields(lines.Text())
				require.Len(t, words, 2)
				roles, addrs = append(roles, words[0]), append(addrs, words[1])
			}
			require.ElementsMatch(t, want.roles, roles)
			for _, a := range addrs {
				c, err := net.Dial("tcp", a)
				require.NoError(t, err)
				require.NoError(t, c.Close())
			}
			interrupt()
			require.NoError(t, <-ended)
			for _, a := range addrs {
				_, err := net.Dial("tcp", a)
				require.Error(t, err)
			}
		})
	}
}
