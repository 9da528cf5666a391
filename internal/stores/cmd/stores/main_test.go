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
	for kind, want := range map[string]string{
		"single":      "primary",
		"replica":     "primary replica",
		"sentinel":    "primary replica sentinel sentinel sentinel",
		"cluster":     "primary primary primary",
		"independent": "primary primary",
	} {
		t.Run(kind, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			in, out := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				c := cli{Kind: kind, Count: 2, Config: []string{"maxmemory 10mb"}}
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
			require.Equal(t, want, strings.Join(roles, " "))
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
