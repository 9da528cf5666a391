package peer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// A Maven that notes how it was called, and builds whatever is there when
// asked a second time, as the real one does with an empty local repository.
const fakeMaven = `#!/bin/sh
echo "$*" >> "$MAVEN_CALLS"
case "$*" in *" -o") exit 1;; esac
mkdir -p "$MAVEN_TARGET/classes"
`

var toy = project{dir: "toy", shared: []string{"shared"}, version: "toy.version", main: "Toy"}

// toyTree is an interop/ with the toy project; the test runs inside it.
func toyTree(t *testing.T, maven string) (root string, calls func() []string) {
	dir := t.TempDir()
	root = filepath.Join(dir, "interop")
	write(t, filepath.Join(root, "toy", "pom.xml"), "<project/>")
	write(t, filepath.Join(root, "toy", "src", "Toy.java"), "class Toy {}")
	write(t, filepath.Join(root, "shared", "Shared.java"), "class Shared {}")
	write(t, filepath.Join(dir, "bin", "mvn"), maven)
	t.Setenv("PATH", filepath.Join(dir, "bin")+":/usr/bin:/bin")
	t.Setenv("MAVEN_CALLS", filepath.Join(dir, "calls"))
	t.Setenv("MAVEN_TARGET", filepath.Join(root, "toy", "target", "1.0"))
	t.Chdir(filepath.Join(root, "toy"))
	return root, func() []string {
		text, err := os.ReadFile(filepath.Join(dir, "calls"))
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func write(t *testing.T, path, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

func TestParallelTestsBuildOnceOfflineFirst(t *testing.T) {
	root, calls := toyTree(t, fakeMaven)
	var all errgroup.Group
	for range 8 {
		all.Go(func() error {
			classpath, err := toy.build(t.Context(), "1.0")
			if err == nil && !strings.HasPrefix(classpath, filepath.Join(root, "toy", "target", "1.0")) {
				err = errors.New("class path " + classpath)
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Len(t, calls(), 2)
	require.Contains(t, calls()[0], "-Dtoy.version=1.0 process-classes -o")
	require.NotContains(t, calls()[1], " -o")
}

func TestChangedSourcesAreBuiltAgainFromNothing(t *testing.T) {
	root, calls := toyTree(t, fakeMaven)
	for i, changed := range []string{"toy/pom.xml", "toy/src/Toy.java", "shared/Shared.java", "toy/src/New.java"} {
		stale := filepath.Join(root, "toy", "target", "1.0", "classes", "Gone.class")
		write(t, stale, "")
		write(t, filepath.Join(root, changed), "changed")
		_, err := toy.build(t.Context(), "1.0")
		require.NoError(t, err)
		require.Len(t, calls(), 2*(i+1), changed)
		require.NoFileExists(t, stale)
	}
	_, err := toy.build(t.Context(), "1.0")
	require.NoError(t, err)
	require.Len(t, calls(), 8)
}

func TestMissingMavenIsNamed(t *testing.T) {
	_, _ = toyTree(t, fakeMaven)
	t.Setenv("PATH", t.TempDir())
	_, err := toy.build(t.Context(), "1.0")
	require.ErrorContains(t, err, "mvn not found")
	require.ErrorContains(t, err, "scripts/install-stores.sh")
}

func TestMissingJavaIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	_, err := java()
	require.ErrorContains(t, err, "java not found")
	require.ErrorContains(t, err, "scripts/install-stores.sh")
}

func TestFailedBuildTellsWhyAndIsTriedAgain(t *testing.T) {
	_, calls := toyTree(t, "#!/bin/sh\necho \"$*\" >> \"$MAVEN_CALLS\"\necho no such artefact\nexit 1\n")
	for range 2 {
		_, err := toy.build(t.Context(), "1.0")
		require.ErrorContains(t, err, "interop/toy for version 1.0")
		require.ErrorContains(t, err, "no such artefact")
	}
	require.Len(t, calls(), 4)
}

func TestVersionsComeFromTheEnvironment(t *testing.T) {
	t.Setenv("HOLDFAST_REDISSON", "")
	require.Equal(t, []string{DefaultRedisson}, RedissonVersions())
	t.Setenv("HOLDFAST_REDISSON", "3.16.8, 4.7.0,")
	require.Equal(t, []string{"3.16.8", "4.7.0"}, RedissonVersions())
	t.Setenv("HOLDFAST_CURATOR", "")
	require.Equal(t, []string{DefaultCurator}, CuratorVersions())
	t.Setenv("HOLDFAST_CURATOR", "2.13.0")
	require.Equal(t, []string{"2.13.0"}, CuratorVersions())
}
