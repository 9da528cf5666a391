package stores_test

import (
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestMain(m *testing.M) {
	// The test binary is also the launcher that TestServersDieWithTheirLauncher
	// kills.
	if os.Getenv(asLauncher) != "" {
		launchAndWait()
		return
	}
	os.Exit(stores.Main(m))
}
