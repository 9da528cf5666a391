// Package peer runs Java programs beside a test, one JVM each, and drives them
// call by call: it is how the interop tests pit Redisson and Curator against this
// library.
//
// A peer is a small Java program (interop/redisson or interop/curator, on top of
// interop/harness) that reads one JSON request a line and answers each with one line. Requests
// name a Java thread. Those of one thread run in the order sent, on that
// thread, so that the library sees one owner; threads run side by side.
//
//	p := peer.Redisson{Addrs: []string{addr}, Watchdog: 3 * time.Second}.Run(t)
//	lock := p.Thread("t1").Lock("orders")
//	require.NoError(t, lock.Lock(ctx, peer.Watchdog))
//	waiting := p.Thread("t2").Lock("orders").GoLock(peer.Watchdog) // does not wait for the answer
//	p.Kill()                                                       // crashes the JVM: nothing is released
//
// Every verb has two forms: V(ctx, ...) waits for the answer, GoV(...) has sent
// the request when it returns and gives a Call. A context ends the waiting for
// an answer only; the Java thread goes on until it is done, interrupted or
// killed with its process.
//
// The programs are built with Maven when first needed, once per version and
// state of the sources, into the target folder beside their pom.xml.
// HOLDFAST_REDISSON and HOLDFAST_CURATOR name the versions to test against,
// commas between; see RedissonVersions and CuratorVersions.
package peer
