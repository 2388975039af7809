package fetchtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// authority signs the certificates of a web's https hosts.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate

	mu    sync.Mutex
	hosts map[string]*tls.Certificate
}

// RootCAs returns the certificate that clients of a served web must trust.
func (w *Web) RootCAs() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(w.authority().cert)
	return pool
}

// authority returns the web's authority, made when it is first asked for.
func (w *Web) authority() *authority {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ca == nil {
		w.ca = newAuthority()
	}
	return w.ca
}

func newAuthority() *authority {
	a := &authority{hosts: map[string]*tls.Certificate{}}
	template := certificateFor("fetchtest")
	template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	template.BasicConstraintsValid = true
	signed := a.sign(template)
	a.cert = signed.Leaf
	return a
}

// config returns a server's configuration, with certificates that fit the host
// asked for, or that never do.
func (a *authority) config(wrong bool) *tls.Config {
	return &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if wrong {
			return a.host("wrong.invalid"), nil
		}
		return a.host(hello.ServerName), nil
	}}
}

// host returns the certificate of one host, made once.
func (a *authority) host(name string) *tls.Certificate {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hosts[name] == nil {
		a.hosts[name] = a.sign(certificateFor(name))
	}
	return a.hosts[name]
}

// sign returns template signed by the authority: by itself as long as it has no
// certificate of its own.
func (a *authority) sign(template *x509.Certificate) *tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer, a.key = template, key, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	must(err)
	leaf, err := x509.ParseCertificate(der)
	must(err)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func certificateFor(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	must(err)
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		DNSNames:     []string{name},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	}
	return template
}

// must ends the program on an error of making keys and certificates from values
// that are all our own: a broken invariant.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("fetchtest: certificate: %v", err))
	}
}
