package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	_ "embed"
)

// ErrNoZooKeeper says that the jars of a ZooKeeper server, or a Java to run
// them, were not found.
var ErrNoZooKeeper = errors.New("install it with: sh scripts/install-stores.sh")

// debianJars is where Debian's package puts every Java library, each without
// a version in its name, with a link beside it that has one.
const debianJars = "/usr/share/java"

//go:embed zookeeper.pom.xml
var zooPOM []byte

// zooJava is the java command.
func zooJava() (string, error) {
	name := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", "java")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("find a Java to run ZooKeeper: %w; %w", err, ErrNoZooKeeper)
	}
	return path, nil
}

// zooJars is the class path of a version, "" for the distribution's. One that
// is not there is fetched by Maven, once for this user.
func zooJars(ctx context.Context, version string) (string, error) {
	if version == "" {
		version = os.Getenv("HOLDFAST_ZOOKEEPER")
	}
	server := filepath.Join(debianJars, "zookeeper.jar")
	if version != "" {
		server = filepath.Join(debianJars, "zookeeper-"+version+".jar")
	}
	if _, err := os.Stat(server); err == nil {
		return debianPath(server), nil
	}
	if version == "" {
		return "", fmt.Errorf("no %s; set HOLDFAST_ZOOKEEPER to a version, or %w", server, ErrNoZooKeeper)
	}
	return mavenJars(ctx, version)
}

// debianPath: the server's jar names others that it needs, but nothing to log
// with, and not all of Netty, which TLS needs.
func debianPath(server string) string {
	path := []string{server}
	for _, name := range []string{"slf4j-simple", "netty-codec", "netty-resolver", "netty-transport-native-unix-common"} {
		path = append(path, filepath.Join(debianJars, name+".jar"))
	}
	return strings.Join(path, ":")
}

var fetching sync.Mutex

// mavenJars keeps each version in a folder of its own. The folder is complete
// or absent: Maven fills another one, which then takes its name.
func mavenJars(ctx context.Context, version string) (string, error) {
	fetching.Lock()
	defer fetching.Unlock()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	jars := filepath.Join(cache, "holdfast", "zookeeper-"+version)
	if _, err := os.Stat(jars); err != nil {
		if err := fetchJars(ctx, version, jars); err != nil {
			return "", fmt.Errorf("fetch ZooKeeper %s: %w; %w", version, err, ErrNoZooKeeper)
		}
	}
	return filepath.Join(jars, "*"), nil
}

func fetchJars(ctx context.Context, version, jars string) error {
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(jars), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := os.WriteFile(filepath.Join(part, "pom.xml"), zooPOM, 0o600); err != nil {
		return err
	}
	filled := filepath.Join(part, "jars")
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(part, "pom.xml"),
		"-Dzookeeper.version="+version, "-DoutputDirectory="+filled, "dependency:copy-dependencies")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	err = os.Rename(filled, jars)
	if _, there := os.Stat(jars); there == nil {
		return nil // another process may have been faster
	}
	return err
}

// FetchZooKeeper has the jars of a version ready for later.
func FetchZooKeeper(ctx context.Context, version string) error {
	_, err := zooJars(ctx, version)
	return err
}
