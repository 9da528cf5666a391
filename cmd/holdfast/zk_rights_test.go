package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const (
	secret   = "open-sesame"
	identity = "digest:ali:" + secret
)

func TestZKNodesBelongToWhoProvesAnIdentity(t *testing.T) {
	z := sharedZoo(t)
	r := z.run("--zk-auth", identity, "--zk-acl", "auth::cdrwa", "--", "sh", "-c", "echo ready; exec sleep 1000")
	r.says("ready")
	for _, at := range []string{z.path, z.path + "/" + z.children()[0]} {
		acl, _, err := z.raw.GetACL(at)
		require.NoError(t, err)
		require.Equal(t, zk.DigestACL(zk.PermAll, "ali", secret), acl)
	}
	for _, args := range [][]string{
		z.at("run", "--wait", "2s", "--", "echo", "ran"),
		z.at("inspect", "--zk-auth", "digest:ali:wrong"),
		z.at("force-release", "--owner", "x"),
		z.at("revoke", "--owner", "x"),
	} {
		stranger := start(t, args...)
		stranger.ends(122)
		require.Empty(t, stranger.out.String())
		require.Contains(t, stranger.err.String(), "not authenticated")
	}
	known := append([]string{"HOLDFAST_ZK_AUTH=" + identity}, z.at("inspect")...)
	start(t, known...).ends(0)
	r.endsOnTerm()
	require.Empty(t, z.children())
}

func TestZKTheSecretIsNeverShown(t *testing.T) {
	z := sharedZoo(t)
	for name, args := range map[string][]string{
		"no scheme":     z.at("inspect", "--zk-auth", ":"+secret),
		"no data":       z.at("inspect", "--zk-auth", secret),
		"on Redis":      {"inspect", "--redis", "127.0.0.1:1", "-n", "x", "--zk-auth", identity},
		"unknown":       z.at("inspect", "--zk-auth", "unheard-of:"+secret),
		"not the right": z.at("run", "--zk-auth", identity, "--zk-acl", "sasl:nobody:r", "--", "true"),
		"another flag":  z.at("inspect", "--zk-auth", identity, "--bogus"),
		"help":          {"HOLDFAST_ZK_AUTH=" + identity, "inspect", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, args...)
			code := r.code()
			require.Equal(t, name != "help", code != 0, "%s", r.err.String())
			require.NotContains(t, r.out.String()+r.err.String(), secret)
		})
	}
}

func TestZKOverTLSBothSidesShowTheirCertificate(t *testing.T) {
	s := stores.ZooKeeper(t, stores.WithTLS())
	config, err := stores.TLSConfig()
	require.NoError(t, err)
	ours := pemFile(t, config.Certificates[0])
	authority := filepath.Join(s.Dir(), "authority.pem")
	with := func(flags ...string) *running {
		return start(t, append(append([]string{"run", "--zk", s.TLSAddr(), "-n", "/" + lockName(t), "--wait", "3s"}, flags...), "--", "echo", "ran")...)
	}
	right := with("--tls", "--tls-ca", authority, "--tls-cert", ours)
	right.ends(0)
	require.Equal(t, "ran\n", right.out.String())
	for name, c := range map[string]struct {
		flags []string
		says  string
	}{
		"not TLS":                    {nil, "unavailable"},
		"an authority we don't know": {[]string{"--tls", "--tls-cert", ours}, "unknown authority"},
		"no certificate of ours":     {[]string{"--tls", "--tls-ca", authority}, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			r := with(c.flags...)
			r.ends(122)
			require.Empty(t, r.out.String())
			require.Contains(t, r.err.String(), c.says)
		})
	}
}

// pemFile has a certificate and its key.
func pemFile(t *testing.T, pair tls.Certificate) string {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	data := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	data = append(data, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})...)
	name := filepath.Join(t.TempDir(), "ours.pem")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	return name
}
