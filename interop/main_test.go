package interop_test

import (
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }
