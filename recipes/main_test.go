package recipes_test

import (
	"os"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// Main looks for goroutines that are left over.
func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }
