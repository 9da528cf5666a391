package gozk_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

var servers = []string{"zk1:2181", "zk2:2181", "zk3:2181"}

// One client a process, made once and closed when the program ends.
func ExampleConnect() {
	serve := func(ctx context.Context, run func(context.Context, *zkcore.Client) error) error {
		connecting, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		zc, err := gozk.Connect(connecting, servers, zkcore.WithLogger(slog.Default()))
		if err != nil {
			return err
		}
		defer func() {
			// Contexts of live holds end, waiters leave; then it waits for the
			// Releases, ten seconds at most.
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := zc.Close(ctx); err != nil {
				slog.Warn("locks were still held", "err", err)
			}
		}()
		return run(ctx, zc)
	}
	_ = serve
}

// Over TLS. The dialer is given the servers' names, so their certificates are
// checked against them.
func ExampleConnect_tls() {
	connect := func(ctx context.Context, roots *x509.CertPool, client tls.Certificate) (*zkcore.Client, error) {
		d := &tls.Dialer{Config: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{client}}}
		return gozk.Connect(ctx, []string{"zk1:2182", "zk2:2182", "zk3:2182"}, zkcore.WithDialer(d.DialContext))
	}
	_ = connect
}

// Nodes that only this application and its peers may touch.
func ExampleConnect_acl() {
	connect := func(ctx context.Context, password string) (*zkcore.Client, error) {
		const read, write, create, remove = 1, 2, 4, 8
		return gozk.Connect(ctx, servers,
			zkcore.WithAuth("digest", []byte("orders:"+password)),
			// The scheme "auth" stands for the identities of this session.
			zkcore.WithACL(zkcore.ACL{Perms: read | write | create | remove, Scheme: "auth"}))
	}
	_ = connect
}

// Below a path of its own, with a shorter time-out than the default 10 s.
func ExampleConnect_options() {
	connect := func(ctx context.Context) (*zkcore.Client, error) {
		return gozk.Connect(ctx, servers,
			zkcore.WithNamespace("/shop"),
			zkcore.WithSessionTimeout(8*time.Second))
	}
	_ = connect
}

// metrics counts what an alarm should be set on.
type metrics struct{ lost, atRisk, unknown, gaveUp atomic.Int64 }

// Observe runs inside the library: it counts and returns.
func (m *metrics) Observe(e recipes.Event) {
	switch e.Kind {
	case recipes.EventLost:
		m.lost.Add(1)
	case recipes.EventAtRisk:
		m.atRisk.Add(1)
	case recipes.EventReleaseUnknown:
		m.unknown.Add(1)
	case recipes.EventGaveUp:
		m.gaveUp.Add(1)
	}
}

func ExampleConnect_observer() {
	connect := func(ctx context.Context) (*zkcore.Client, error) {
		return gozk.Connect(ctx, servers, zkcore.WithObserver(&metrics{}))
	}
	_ = connect
}
