package rwlock_test

import (
	"flag"
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// Most tests here wait for a lease or a signal, not for a processor.
const sideBySide = "16"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
	os.Exit(stores.Main(m))
}
