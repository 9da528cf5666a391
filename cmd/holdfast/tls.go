package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// tlsFlags are the same for every store: both like to see a certificate of the
// client's.
type tlsFlags struct {
	TLS     bool   `name:"tls" help:"Encrypt the connection, and check the server's certificate."`
	TLSCA   string `name:"tls-ca" placeholder:"FILE" help:"Trust the authorities in this PEM file, and no others."`
	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"Certificate to show to the server (PEM)."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Its key (PEM); may be in the same file."`
}

// tlsConfig is nil without --tls.
func (f *tlsFlags) tlsConfig() (*tls.Config, error) {
	if !f.TLS {
		if given(*f) {
			return nil, errors.New("--tls-ca, --tls-cert and --tls-key need --tls")
		}
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.TLSCA != "" {
		pem, err := os.ReadFile(f.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--tls-ca: %s has no certificate", f.TLSCA)
		}
	}
	switch {
	case f.TLSCert == "" && f.TLSKey == "":
		return config, nil
	case f.TLSCert == "":
		return nil, errors.New("--tls-key needs --tls-cert")
	}
	key := f.TLSKey
	if key == "" {
		key = f.TLSCert
	}
	pair, err := tls.LoadX509KeyPair(f.TLSCert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}
