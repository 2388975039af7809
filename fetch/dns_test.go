package fetch_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/weircrawl/weir/fetch"
)

// A nameserver answers the resolver of this process, from a table that a test may
// change while it runs. A name that begins with "=" is an alias.
type nameserver struct {
	mu    sync.Mutex
	hosts map[string][]string
}

// serveNames lets net.DefaultResolver ask the nameserver it returns, until the
// test ends.
func serveNames(t *testing.T) *nameserver {
	s := &nameserver{hosts: map[string][]string{}}
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go s.serve(far)
		return near, nil
	}}
	return s
}

func (s *nameserver) set(host string, addresses ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts[host] = addresses
}

// serve answers one query, framed as over TCP.
func (s *nameserver) serve(conn net.Conn) {
	defer conn.Close()
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	var m dnsmessage.Message
	must(m.Unpack(query))
	s.answer(&m)
	packed := value(m.Pack())
	_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
}

func (s *nameserver) answer(m *dnsmessage.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	question := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	name := question.Name
	addresses, known := s.hosts[strings.TrimSuffix(strings.ToLower(name.String()), ".")]
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addresses {
		if alias, ok := strings.CutPrefix(a, "="); ok {
			target := dnsmessage.MustNewName(alias + ".")
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: name, Class: question.Class}, Body: &dnsmessage.CNAMEResource{CNAME: target}})
			name = target
			continue
		}
		ip := netip.MustParseAddr(a)
		header := dnsmessage.ResourceHeader{Name: name, Class: question.Class}
		switch {
		case ip.Is4() && question.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: ip.As4()}})
		case ip.Is6() && question.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
}

// twoDoors listens on one port of 127.0.0.2, which stands for the internet, and
// of 127.0.0.1, which is private. It counts who comes to which.
func twoDoors(t *testing.T) (port string, public, private *atomic.Int32) {
	public, private = new(atomic.Int32), new(atomic.Int32)
	serve := func(address string, count *atomic.Int32) net.Listener {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Skip("this system has only one loopback address: ", err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				count.Add(1)
				go func() {
					defer conn.Close()
					for buf := make([]byte, 4096); ; {
						if _, err := conn.Read(buf); err != nil {
							return
						}
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
					}
				}()
			}
		}()
		t.Cleanup(func() { listener.Close(); <-done })
		return listener
	}
	_, port, err := net.SplitHostPort(serve("127.0.0.2:0", public).Addr().String())
	require.NoError(t, err)
	serve("127.0.0.1:"+port, private)
	return port, public, private
}

var onlyTheInternet = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}

func TestSE12NoNameLeadsToAPrivateAddress(t *testing.T) {
	names := serveNames(t)
	port, public, private := twoDoors(t)
	client := open(t, fetch.Config{Allow: onlyTheInternet})
	ask := func(host string) fetch.Response {
		return client.Do(t.Context(), fetch.Request{URL: "http://" + host + ":" + port + "/"})
	}
	for _, addresses := range [][]string{
		{"127.0.0.1"}, {"0.0.0.0"}, {"10.0.0.1"}, {"169.254.169.254"}, {"100.64.0.1"}, {"255.255.255.255"},
		{"::1"}, {"::"}, {"::ffff:127.0.0.1"}, {"::ffff:169.254.169.254"}, {"64:ff9b::7f00:1"}, {"2002:7f00:1::"}, {"fd00:ec2::254"}, {"fe80::1"},
		{"=localhost", "127.0.0.1"}, {"=int.test", "=db.int.test", "127.0.0.1"}, {"127.0.0.1", "::1", "10.0.0.1"},
	} {
		names.set("trap.test", addresses...)
		got := ask("trap.test")
		assert.Equal(t, fetch.PrivateAddress, got.Class, "%v: %v", addresses, got.Err)
		assert.Error(t, got.Err)
	}
	assert.Zero(t, private.Load()+public.Load())

	names.set("both.test", "127.0.0.1", "127.0.0.2")
	for range 3 {
		assert.Equal(t, fetch.Fetched, ask("both.test").Class, "an address that may be reached serves a name with others")
	}
	assert.Zero(t, private.Load())
	assert.NotZero(t, public.Load())
}

func TestSE12AnAddressInDisguiseLeadsNowhere(t *testing.T) {
	serveNames(t)
	port, public, private := twoDoors(t)
	client := open(t, fetch.Config{Allow: onlyTheInternet})
	for _, host := range []string{"2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "127.0.0.1.", "127.0.0.01", "①②⑦.⓪.⓪.①", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::1%25lo]"} {
		got := client.Do(t.Context(), fetch.Request{URL: "http://" + host + ":" + port + "/"})
		assert.Contains(t, []fetch.Class{fetch.DNS, fetch.PrivateAddress, fetch.Malformed}, got.Class, "%s: %v", host, got.Err)
	}
	assert.Zero(t, private.Load()+public.Load())
}

func TestANameThatChangesAfterItsCheckIsRefused(t *testing.T) {
	names := serveNames(t)
	port, public, private := twoDoors(t)
	client := open(t, fetch.Config{Allow: onlyTheInternet})
	ask := func() fetch.Response {
		return client.Do(t.Context(), fetch.Request{URL: "http://rebind.test:" + port + "/"})
	}
	names.set("rebind.test", "127.0.0.2")
	require.Equal(t, fetch.Fetched, ask().Class)

	// A connection that is used again leads to where it was checked to lead.
	names.set("rebind.test", "127.0.0.1")
	require.Equal(t, fetch.Fetched, ask().Class)
	assert.EqualValues(t, 1, public.Load())

	// A new one is checked by the address that it would go to.
	client.Close()
	client = open(t, fetch.Config{Allow: onlyTheInternet})
	got := ask()
	assert.Equal(t, fetch.PrivateAddress, got.Class, "%v", got.Err)
	assert.Zero(t, got.Status)
	assert.Zero(t, private.Load())
}

func TestAMissingNameIsToldFromAServerThatFails(t *testing.T) {
	names := serveNames(t)
	client := open(t, fetch.Config{})
	names.set("empty.test")
	for _, host := range []string{"gone.test", "empty.test"} {
		got := client.Do(t.Context(), fetch.Request{URL: "http://" + host + "/"})
		assert.Equal(t, fetch.DNS, got.Class)
		assert.ErrorIs(t, got.Err, fetch.ErrNoHost)
	}
	net.DefaultResolver.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe }
	got := client.Do(t.Context(), fetch.Request{URL: "http://gone.test/"})
	assert.Equal(t, fetch.DNS, got.Class)
	assert.NotErrorIs(t, got.Err, fetch.ErrNoHost, "nobody has said that it is missing")
}
