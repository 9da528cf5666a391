package peer

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// versions lists what an environment variable asks for, commas between.
func versions(variable, otherwise string) []string {
	var all []string
	for v := range strings.SplitSeq(os.Getenv(variable), ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	if all == nil {
		all = []string{otherwise}
	}
	return all
}

// jvm is how every peer is started.
func jvm() []string {
	return []string{
		// Quick to start and small, since several run beside each other.
		"-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
	}
}

// runFor is a peer for one test: it is closed at the test's end unless the test
// has done so.
func runFor(t testing.TB, start func(context.Context) (*Peer, error)) *Peer {
	t.Helper()
	// Long enough for a first build that fetches everything.
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	p, err := start(ctx)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}
