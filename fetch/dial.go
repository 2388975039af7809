package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// wireServer is the metadata service of Azure. Its address is a public one by its
// number, and leads to the machine's own host wherever it leads to anything. Source:
// learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
var wireServer = netip.PrefixFrom(netip.AddrFrom4([4]byte{168, 63, 129, 16}), 32)

// tlsSessions is how many sessions are kept for a short handshake later.
const tlsSessions = 1024

// A dialer makes connections to public addresses. net/http may dial for one
// request and give the connection to another, so a dial has a limit of its own,
// and ends with the Client rather than with a request.
type dialer struct {
	closed context.Context // of the Client
	conns  openConns       // all that were made and are not closed
	guard  *ssrf.Guardian
	limit  time.Duration
	head   int64 // bytes of one
	tls    *tls.Config
	base   func(ctx context.Context, network, address string) (net.Conn, error)
	custom bool // base is the caller's: the guard has to look before and after
}

func newDialer(cfg Config, closed context.Context) *dialer {
	d := &dialer{closed: closed, guard: newGuard(cfg.Allow), limit: cfg.Connect, head: cfg.HeaderMax, tls: secure(cfg.TLS), base: cfg.Dial, custom: cfg.Dial != nil}
	if !d.custom {
		d.base = (&net.Dialer{Control: d.guard.Safe}).DialContext
	}
	return d
}

// newGuard returns the guard of addresses: those of the public internet pass, but
// for metadata services, and those that are allowed. It does not care for ports,
// which are the caller's to choose.
func newGuard(allow []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(wireServer),
		ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}

// secure returns the configuration of handshakes.
func secure(cfg *tls.Config) *tls.Config {
	if cfg == nil {
		cfg = &tls.Config{}
	}
	cfg = cfg.Clone()
	if cfg.NextProtos == nil {
		cfg.NextProtos = []string{"h2", "http/1.1"}
	}
	if cfg.ClientSessionCache == nil {
		cfg.ClientSessionCache = tls.NewLRUClientSessionCache(tlsSessions)
	}
	return cfg
}

// dial connects to address, to speak HTTP/1.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return newMendedConn(conn, d.head), nil
}

// connect connects to address.
func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, end := d.bound(ctx)
	defer end()
	if d.custom {
		if err := d.checkText(address); err != nil {
			return nil, dialError{err}
		}
	}
	conn, err := d.base(ctx, network, address)
	if err != nil {
		return nil, dialError{err}
	}
	if d.custom {
		if err := d.checkRemote(conn); err != nil {
			_ = conn.Close() // unused
			return nil, dialError{err}
		}
	}
	return d.conns.add(conn), nil
}

// dialTLS connects to address and secures the connection.
func (d *dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	ctx, end := d.bound(ctx)
	defer end()
	cfg := d.tls
	if cfg.ServerName == "" {
		host, _, _ := net.SplitHostPort(address) // net/http made it
		cfg = cfg.Clone()
		cfg.ServerName = host
	}
	secured := tls.Client(conn, cfg)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // of no use
		return nil, handshakeError{err}
	}
	if secured.ConnectionState().NegotiatedProtocol == "h2" {
		return secured, nil // as net/http must see it
	}
	return newMendedConn(secured, d.head), nil
}

// bound limits one step of making a connection.
func (d *dialer) bound(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	stop := context.AfterFunc(d.closed, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// checkText refuses an address that is written as such; names pass.
func (d *dialer) checkText(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil
	}
	return d.guard.SafeAddr(at.Addr().Unmap())
}

// checkRemote refuses a connection by the address it leads to. One that is not
// of IP (a pipe in a test) leads nowhere that the guard could know.
func (d *dialer) checkRemote(conn net.Conn) error {
	remote, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	return d.guard.SafeAddr(remote.AddrPort().Addr().Unmap().WithZone(""))
}
