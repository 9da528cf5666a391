package interop_test

import (
	"flag"
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// The tests that run in parallel wait for leases, not for a processor.
const sideBySide = "12"

func TestMain(m *testing.M) {
	if addr := os.Getenv(holderAddr); addr != "" {
		os.Exit(holder(addr, os.Getenv(holderName), os.Getenv(holderLayout)))
	}
	if server := os.Getenv(lineServer); server != "" {
		os.Exit(lineHolder(server, os.Getenv(linePath)))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
	os.Exit(stores.Main(m))
}
