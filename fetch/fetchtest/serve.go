package fetchtest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Dial is the signature of a dialer, as net and net/http have it.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Serve puts the web on loopback listeners, over HTTP/1.1, until closing is
// called. It returns a dialer that finds every host there. A fetch.Client refuses
// loopback addresses unless its Config.Allow has 127.0.0.0/8. https hosts have
// certificates of [Web.RootCAs]. Connections that fail are no exchanges: the Log
// does not show them. closing ends all connections, and returns when nothing
// that Serve started is left.
func (w *Web) Serve() (dial Dial, closing func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{web: w, ctx: ctx, cancel: cancel, conns: map[net.Conn]bool{}}
	addresses := map[string]string{}
	for _, kind := range []string{"http", "https", failTLS} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.close()
			return nil, nil, fmt.Errorf("fetchtest: serve: %w", err)
		}
		addresses[kind] = listener.Addr().String()
		s.serve(listener, kind)
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		kind, err := w.listenerFor(ctx, address)
		if err != nil {
			return nil, err
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addresses[kind])
	}, s.close, nil
}

// listenerFor returns the kind of listener that has address, "a.test:80".
func (w *Web) listenerFor(ctx context.Context, address string) (string, error) {
	scheme := w.schemeAt(strings.ToLower(address))
	origin := originOf(scheme + "://" + address)
	switch fail := w.connect(origin); {
	case fail == failTLS:
		return failTLS, nil
	case fail != "":
		return "", failure(ctx, fail, hostOf(origin))
	}
	return scheme, nil
}

// schemeAt tells which scheme address speaks: https where the web says so.
func (w *Web) schemeAt(address string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.origins[originOf("https://"+address)] && !w.origins[originOf("http://"+address)] {
		return "https"
	}
	return "http"
}

// server is the web on sockets.
type server struct {
	web    *Web
	ctx    context.Context // of all connections
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu        sync.Mutex
	listeners []net.Listener
	conns     map[net.Conn]bool
	closed    bool
}

// serve accepts connections of one kind.
func (s *server) serve(listener net.Listener, kind string) {
	s.mu.Lock()
	s.listeners = append(s.listeners, listener)
	s.mu.Unlock()
	s.tasks.Go(func() {
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil && s.track(conn) {
				s.tasks.Go(func() {
					defer s.untrack(conn)
					s.talk(conn, kind)
				})
			}
		}
	})
}

// talk serves one connection, after its handshake.
func (s *server) talk(conn net.Conn, kind string) {
	scheme := "http"
	if kind != "http" {
		secure := tls.Server(conn, s.web.authority().config(kind == failTLS))
		if secure.HandshakeContext(s.ctx) != nil {
			return
		}
		conn, scheme = secure, "https"
	}
	newConversation(s, conn, scheme).run()
}

// track remembers an open connection, or closes it if the server is closing.
func (s *server) track(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close() // nobody waits for it
		return false
	}
	s.conns[conn] = true
	return true
}

func (s *server) untrack(conn net.Conn) {
	_ = conn.Close() // all that mattered was written
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

func (s *server) close() {
	s.cancel()
	s.mu.Lock()
	s.closed = true
	for _, l := range s.listeners {
		_ = l.Close() // ends its Accept
	}
	for c := range s.conns {
		_ = c.Close() // ends its reads and writes
	}
	s.mu.Unlock()
	s.tasks.Wait()
}
