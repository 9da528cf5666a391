package stores

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"path/filepath"
)

// ZooSuper is an identity of the digest scheme that may do anything on a
// server of ours, whatever a node's access list says.
const ZooSuper = "super:holdfast"

// zooConfig is zoo.cfg without the lines about an ensemble. A name that the
// server does not know becomes a system property "zookeeper.<name>".
func zooConfig(s *ZooServer, o options) []string {
	digest := sha1.Sum([]byte(ZooSuper))
	return []string{
		fmt.Sprintf("tickTime=%d", o.tick.Milliseconds()),
		fmt.Sprintf("minSessionTimeout=%d", 2*o.tick.Milliseconds()),
		"maxSessionTimeout=60000",
		"dataDir=" + filepath.Join(s.dir, "data"),
		"clientPortAddress=127.0.0.1",
		fmt.Sprintf("clientPort=%d", s.Port()),
		"maxClientCnxns=0",
		"admin.enableServer=false",
		"4lw.commands.whitelist=*",
		// What was written outlives a killed process without this, only not a
		// crash of the machine, and tests need not wait for a busy disk.
		"forceSync=no",
		"preAllocSize=64",
		"DigestAuthenticationProvider.superDigest=super:" + base64.StdEncoding.EncodeToString(digest[:]),
	}
}

// zooCommand is what follows "java": a small heap, and a quick start before
// speed later on.
func zooCommand(jars, conf string, o options) []string {
	args := []string{
		"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto",
		"-Djava.net.preferIPv4Stack=true",
		"-Dzookeeper.jmx.log4j.disable=true",
		"-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxn=warn", // a line for every Ask
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
	}
	if o.containers > 0 {
		args = append(args, fmt.Sprintf("-Dznode.container.checkIntervalMs=%d", o.containers.Milliseconds()))
	}
	args = append(args, o.jvm...)
	return append(args, "-cp", jars, "org.apache.zookeeper.server.quorum.QuorumPeerMain", conf)
}
