package stores

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
)

// ErrMissing says that no server program was found.
var ErrMissing = errors.New("no redis-server or valkey-server in PATH; install it with: sh scripts/install-stores.sh")

// program is a server program and what its version knows.
type program struct {
	path  string
	major int
}

var versions sync.Map // path -> major version

// findBinary looks at the option, the environment, then PATH. A name that was
// given and is not there is an error: a matrix of versions that silently ran
// another one would prove nothing.
func findBinary(given string) (program, error) {
	if given == "" {
		given = os.Getenv("HOLDFAST_REDIS_SERVER")
	}
	names := []string{given}
	if given == "" {
		names = []string{"redis-server", "valkey-server"}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			major, err := majorVersion(path)
			return program{path: path, major: major}, err
		}
		if given != "" {
			return program{}, fmt.Errorf("server program %q: %w (%w)", given, err, ErrMissing)
		}
	}
	return program{}, ErrMissing
}

// "Redis server v=7.0.15 sha=..." or "Valkey server v=8.1.1 sha=...".
var versionText = regexp.MustCompile(`v=(\d+)\.`)

func majorVersion(path string) (int, error) {
	if v, ok := versions.Load(path); ok {
		return v.(int), nil
	}
	out, err := exec.Command(path, "--version").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("ask %s for its version: it says %q", path, out)
	}
	major, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	versions.Store(path, major)
	return major, nil
}
