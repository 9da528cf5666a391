// Command holdfast shows what the locks of this module do, runs a command under
// one, and looks at one from outside.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9"
)

// commands is the command line.
type commands struct {
	Demo         demoCmd    `cmd:"" help:"Sell more than there is, then do not: the same sale without a lock and under each lock."`
	Run          runCmd     `cmd:"" help:"Run a command while holding a lock."`
	Inspect      inspectCmd `cmd:"" help:"Show who holds a lock."`
	Revoke       revokeCmd  `cmd:"" help:"Ask the holder of a lock on ZooKeeper to let go."`
	ForceRelease forceCmd   `cmd:"" help:"Take a lock from a holder that will not give it back."`

	Version kong.VersionFlag `help:"Print the version."`
}

// output is where a command writes.
type output struct{ out, err io.Writer }

// say reports to the user what is not the command's result.
func (o *output) say(format string, args ...any) {
	fmt.Fprintf(o.err, "holdfast: "+format+"\n", args...)
}

func main() { os.Exit(execute(os.Args[1:], &output{os.Stdout, os.Stderr})) }

func execute(args []string, o *output) int {
	// The driver reports every failed dial to standard error by itself.
	redis.SetLogger(silence{})
	var c commands
	parser := kong.Must(
		&c,
		kong.Name("holdfast"),
		kong.Description("Locks across processes, on Redis or ZooKeeper."),
		kong.Writers(o.out, o.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 96}),
		kong.ExplicitGroups([]kong.Group{{Key: "redis", Title: "On Redis:"}, {Key: "zk", Title: "On ZooKeeper:"}}),
		kong.Vars{"version": version(), "recipes": recipeNames(), "layouts": layoutNames()},
	)
	if len(args) == 0 {
		args = []string{"--help"}
	}
	call, err := parser.Parse(args)
	if err == nil {
		err = call.Run(o)
	} else {
		err = &exit{exitUsage, fmt.Errorf("%w; holdfast --help says more", err)}
	}
	code, err := exitCode(err)
	if err != nil {
		o.say("%v", err)
	}
	return code
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
