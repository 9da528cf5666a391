package peer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// project is a Maven project below interop/ that builds one version of a
// library at a time, each into target/<version>.
type project struct {
	dir     string   // below interop/, with pom.xml and src
	shared  []string // sources outside dir, below interop/
	version string   // Maven property that picks the library's version
	main    string   // class to start
}

const install = "the interop tests need Maven (3.8 or newer) and a JDK (17 or newer); install both with: sh scripts/install-stores.sh"

// build returns the class path of one version, built from the sources as they
// are now. Test binaries run in parallel, so one builds and the others wait.
func (p project) build(ctx context.Context, version string) (classpath string, err error) {
	root, err := interopDir(p.dir)
	if err != nil {
		return "", err
	}
	key, err := p.key(root)
	if err != nil {
		return "", err
	}
	target := filepath.Join(root, p.dir, "target", version)
	classpath = filepath.Join(target, "classes") + string(os.PathListSeparator) + filepath.Join(target, "lib", "*")
	// Written last and removed first: a build that was cut short has none.
	mark := filepath.Join(target, "built.sha256")
	if built(mark, key) {
		return classpath, nil
	}

	// One lock for all projects: they fill one local repository, which Maven
	// does not guard against a second Maven.
	unlock, err := lockFile(ctx, filepath.Join(root, "target", "build.lock"))
	if err != nil {
		return "", fmt.Errorf("wait for another build of the Java peers: %w", err)
	}
	defer unlock()
	if built(mark, key) {
		return classpath, nil
	}
	// Afresh: a class whose source is gone must not linger on the class path.
	if err := os.RemoveAll(target); err != nil {
		return "", err
	}
	if err := p.maven(ctx, root, version); err != nil {
		return "", err
	}
	return classpath, os.WriteFile(mark, []byte(key), 0o644)
}

func built(mark, key string) bool {
	have, err := os.ReadFile(mark)
	return err == nil && string(have) == key
}

// maven builds without the network first: a developer's second build must not
// depend on it, and Maven would ask it about plugins even when all is at hand.
func (p project) maven(ctx context.Context, root, version string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("mvn not found: %s", install)
	}
	run := func(more ...string) (string, error) {
		args := append([]string{
			"-B", "-q", "-Dstyle.color=never", "-f", filepath.Join(root, p.dir, "pom.xml"),
			"-D" + p.version + "=" + version, "process-classes",
		}, more...)
		cmd := exec.CommandContext(ctx, mvn, args...)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if _, err := run("-o"); err == nil {
		return nil
	}
	out, err := run()
	if err != nil {
		return fmt.Errorf("build interop/%s for version %s: %w\n%s\n%s", p.dir, version, err, last(out, 4000), install)
	}
	return nil
}

// key tells one state of the sources from another.
func (p project) key(root string) (string, error) {
	sum := sha256.New()
	add := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", filepath.Base(path), len(text))
		sum.Write(text)
		return nil
	}
	// WalkDir goes in lexical order, so equal trees have equal keys.
	for _, part := range append([]string{p.dir + "/pom.xml", p.dir + "/src"}, p.shared...) {
		if err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(part)), add); err != nil {
			return "", fmt.Errorf("read sources of interop/%s: %w", p.dir, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// interopDir finds interop/ from the folder of whichever test is running.
func interopDir(project string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		root := filepath.Join(dir, "interop")
		if _, err := os.Stat(filepath.Join(root, project, "pom.xml")); err == nil {
			return root, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no interop/" + project + "/pom.xml above the working directory")
		}
		dir = up
	}
}

// java prefers the JDK that Maven would use, too.
func java() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if path, err := exec.LookPath(filepath.Join(home, "bin", "java")); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath("java")
	if err != nil {
		return "", fmt.Errorf("java not found: %s", install)
	}
	return path, nil
}

func last(text string, n int) string {
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-n):]
}
