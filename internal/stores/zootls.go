package stores

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// WithTLS gives a ZooKeeper server a second port for clients, which speaks TLS
// and wants a certificate of theirs. ZooServer.TLSAddr has its address and
// TLSConfig what a client needs.
func WithTLS() Option {
	return func(o *options) { o.tls = true }
}

// TLSAddr is the address for TLS of a server that was started WithTLS.
func (s *ZooServer) TLSAddr() string { return s.ports[securePort].Addr() }

// TLSConfig is for clients of every server that was started WithTLS. The
// client's name in the scheme x509 is "CN=holdfast".
func TLSConfig() (*tls.Config, error) {
	k, err := zooKeys()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(k.client, k.client)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(k.authority)
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, ServerName: "127.0.0.1"}, nil
}

func (s *ZooServer) shakesHands(ctx context.Context) bool {
	conf, err := TLSConfig()
	if err != nil {
		return false
	}
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: 5 * time.Second}, Config: conf}
	c, err := d.DialContext(ctx, "tcp", s.TLSAddr())
	return err == nil && c.Close() == nil
}

// tlsConfig is what zoo.cfg needs beside the other lines. TLS is for the
// Netty transport alone; the plain port uses it as well then.
func (s *ZooServer) tlsConfig() ([]string, error) {
	k, err := zooKeys()
	if err != nil {
		return nil, err
	}
	store, trust := filepath.Join(s.dir, "server.pem"), filepath.Join(s.dir, "authority.pem")
	if err := os.WriteFile(store, k.server, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(trust, k.authority, 0o600); err != nil {
		return nil, err
	}
	return []string{
		"serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
		"secureClientPortAddress=127.0.0.1",
		fmt.Sprintf("secureClientPort=%d", s.ports[securePort].Number()),
		"ssl.keyStore.location=" + store,
		"ssl.trustStore.location=" + trust,
	}, nil
}

// keys are PEM files: the authority's certificate; and of each side, the key
// and the certificate.
type keys struct{ authority, server, client []byte }

// zooKeys are made once in a process and never outlive it.
var zooKeys = sync.OnceValues(func() (keys, error) {
	signer, err := newKey("holdfast test authority", nil)
	if err != nil {
		return keys{}, err
	}
	server, err := newKey("127.0.0.1", signer)
	if err != nil {
		return keys{}, err
	}
	client, err := newKey("holdfast", signer)
	if err != nil {
		return keys{}, err
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signer.cert.Raw})
	return keys{authority: cert, server: server.pem, client: client.pem}, nil
})

type key struct {
	private *ecdsa.PrivateKey
	cert    *x509.Certificate
	pem     []byte
}

// newKey makes a key with a certificate for either side of a connection, or
// the authority's own when there is nobody to sign it.
func newKey(name string, signer *key) (*key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	wanted := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(48 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:     []string{"localhost"},
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	k := &key{private: private, cert: wanted}
	if signer == nil {
		wanted.IsCA, wanted.BasicConstraintsValid = true, true
		wanted.KeyUsage |= x509.KeyUsageCertSign
		signer = k
	}
	der, err := x509.CreateCertificate(rand.Reader, wanted, signer.cert, &private.PublicKey, signer.private)
	if err != nil {
		return nil, err
	}
	if k.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	k.pem = bytes.Join([][]byte{
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}, nil)
	return k, nil
}
