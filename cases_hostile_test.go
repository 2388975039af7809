package weir

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// Input that means harm: redirects without end, names that change their address,
// pages without end. Each has a bound, and an end with a name.

// lookup is a dialer to a served web that claims, dial for dial of a host, the
// addresses which a name server would give; the last one repeats.
type lookup struct {
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	addresses map[string][]string
	public    atomic.Int64 // bytes written to public addresses
	private   atomic.Int64 // and to others
}

func (l *lookup) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address)
	known := l.addresses[host]
	if len(known) > 1 {
		l.addresses[host] = known[1:]
	}
	at := netip.MustParseAddr(known[0])
	counter := &l.public
	if at.IsPrivate() || at.IsLoopback() || at.IsLinkLocalUnicast() {
		counter = &l.private
	}
	return claimed{conn, net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 80)), counter}, nil
}

// claimed is a connection that claims to lead to another address.
type claimed struct {
	net.Conn
	remote  net.Addr
	written *atomic.Int64
}

func (c claimed) RemoteAddr() net.Addr { return c.remote }

func (c claimed) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p)))
	return c.Conn.Write(p)
}

const publicAddress = "93.184.216.34"

// resolved crawls a web on sockets, where names have these addresses.
func resolved(t *testing.T, archive string, addresses map[string][]string, seed string) (crawled, *lookup) {
	t.Helper()
	w := web(t, archive)
	var l *lookup
	c := crawlWeb(t, w, func(cfg *Config) {
		onSockets(t, w)(cfg)
		l = &lookup{dial: cfg.Fetch.Dial, addresses: addresses}
		cfg.Workers, cfg.Budget.Attempts, cfg.Fetch.Dial, cfg.Fetch.Allow = 1, 1, l.Dial, nil
		cfg.Scope.Hosts = []string{"a.test", "b.test", "int.test", "127.0.0.1", "[::ffff:127.0.0.1]", "169.254.169.254"}
	}, seed)
	assert.Zero(t, l.private.Load(), "not a byte goes to a private address")
	return c, l
}

func TestSE12ARedirectDoesNotLeadToAPrivateAddress(t *testing.T) {
	const site = "-- http://a.test/ --\nHTTP 302\nLocation: http://int.test/\n-- http://int.test/* --\nsecret"
	for _, private := range []string{"127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"} {
		c, l := resolved(t, site, map[string][]string{"a.test": {publicAddress}, "int.test": {private}}, "http://a.test/")
		assert.Equal(t, []string{"done {redirected} http://a.test/", "refused {private_address} http://int.test/"}, c.ends(), private)
		assert.Empty(t, c.web.Log().Origin("http://int.test"))
		assert.NotZero(t, l.public.Load())
	}
}

func TestSE12ASeedDoesNotLeadToAPrivateAddress(t *testing.T) {
	for seed, addresses := range map[string][]string{
		"http://int.test/":                 {"127.0.0.1"},
		"http://127.0.0.1/":                {publicAddress},
		"http://[::ffff:127.0.0.1]/":       {publicAddress},
		"http://169.254.169.254/meta-data": {publicAddress},
		"http://0x7f.1/":                   {publicAddress},
		"http://2130706433/":               {publicAddress},
	} {
		t.Run(seed, func(t *testing.T) {
			all := map[string][]string{"int.test": addresses, "127.0.0.1": addresses, "169.254.169.254": addresses, "::ffff:7f00:1": addresses}
			w := web(t, "-- http://int.test/* --\nsecret\n-- http://127.0.0.1/* --\nsecret\n-- http://169.254.169.254/* --\nsecret")
			var l *lookup
			c := crawlWeb(t, w, func(cfg *Config) {
				onSockets(t, w)(cfg)
				l = &lookup{dial: cfg.Fetch.Dial, addresses: all}
				cfg.Fetch.Dial, cfg.Fetch.Allow = l.Dial, nil
			}, seed)
			require.Len(t, c.ends(), 1)
			assert.Contains(t, c.ends()[0], "refused {private_address}")
			assert.Empty(t, w.Log())
			assert.Zero(t, l.private.Load()+l.public.Load())
		})
	}
}

func TestSE12ANameThatMovesToAPrivateAddressIsRefused(t *testing.T) {
	const closing = "HTTP 200\nConnection: close\n\n"
	c, _ := resolved(t, "-- http://a.test/robots.txt --\n"+closing+"-- http://a.test/ --\n"+closing+"<a href=/admin>x</a>\n-- http://a.test/admin --\nsecret",
		map[string][]string{"a.test": {publicAddress, publicAddress, "127.0.0.1"}}, "http://a.test/")
	assert.Equal(t, []string{"done {fetched} http://a.test/", "refused {private_address} http://a.test/admin"}, c.ends())
	assert.Zero(t, c.hits("http://a.test/admin"))
}

func TestSE12ARobotsFileDoesNotLeadToAPrivateAddress(t *testing.T) {
	c, _ := resolved(t, "-- http://a.test/robots.txt --\nHTTP 302\nLocation: http://int.test/robots.txt\n-- http://a.test/ --\nhere\n-- http://int.test/* --\nsecret",
		map[string][]string{"a.test": {publicAddress}, "int.test": {"10.0.0.1"}}, "http://a.test/")
	assert.Empty(t, c.requested(), "nobody knows the rules of a.test")
	assert.Equal(t, []string{"refused {robots: unreachable} http://a.test/"}, c.ends())
	assert.Empty(t, c.web.Log().Origin("http://int.test"))
}

// The dialer of the standard library is stopped before it connects.
func TestSE12NoConnectionIsMadeToAnAddressThatIsRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	accepted := make(chan net.Conn, 16)
	go func() {
		defer close(accepted)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	w := web(t, "")
	c := crawlWeb(t, w, func(cfg *Config) { cfg.Fetch = fetch.Config{} }, "http://"+listener.Addr().String()+"/")
	require.Len(t, c.ends(), 1)
	assert.Contains(t, c.ends()[0], "refused {private_address}")
	require.NoError(t, listener.Close())
	for conn := range accepted {
		t.Errorf("a connection from %s", conn.RemoteAddr())
	}
}

// turns answers with a redirect to the other host, each time with another query.
func turns(other string) http.Handler {
	var turn atomic.Int64
	return http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", fmt.Sprintf("http://%s/?n=%d", other, turn.Add(1)))
		rw.WriteHeader(http.StatusFound)
	})
}

func TestRedirectsWithoutEndAreCut(t *testing.T) {
	for name, site := range map[string]func(w handler){
		"between two hosts": func(h handler) {
			h("http://a.test/", http.RedirectHandler("http://b.test/", http.StatusFound))
			h("http://b.test/", http.RedirectHandler("http://a.test/", http.StatusFound))
		},
		"between two hosts, never the same": func(h handler) {
			h("http://a.test/*", turns("b.test"))
			h("http://b.test/*", turns("a.test"))
		},
		"ever deeper": func(h handler) {
			h("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Location", r.URL.Path+"x/")
				rw.WriteHeader(http.StatusMovedPermanently)
			}))
		},
		"over tracking parameters": func(h handler) {
			var turn atomic.Int64
			h("http://a.test/*", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Location", fmt.Sprintf("/?utm_source=%d", turn.Add(1)))
				rw.WriteHeader(http.StatusFound)
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := web(t, "-- http://a.test/robots.txt --\n-- http://b.test/robots.txt --\n")
				site(func(pattern string, h http.Handler) { require.NoError(t, w.Handle(pattern, h)) })
				c := crawlWeb(t, w, hosts("a.test", "b.test"), "http://a.test/")
				assert.Len(t, c.requested(), 1+Budget{}.WithDefaults().Redirects)
				assert.EqualValues(t, 1, c.receipt.Counts[frontier.Failed])
				assert.Contains(t, strings.Join(c.ends(), "\n"), "failed {too_many_redirects} ")
				assert.Equal(t, ledger.CompleteWithFailures, c.receipt.Verdict, c.receipt.Why)
			})
		})
	}
}

// handler is Web.Handle.
type handler func(pattern string, h http.Handler)

func TestALongChainEndsWhereItsBoundDoes(t *testing.T) {
	var site strings.Builder
	for i := range 200 {
		fmt.Fprintf(&site, "-- http://a.test/%d --\nHTTP 302\nLocation: /%d\n", i, i+1)
	}
	site.WriteString("-- http://a.test/200 --\nthe end")
	for bound, want := range map[int]string{
		200: "done {fetched} http://a.test/200",
		199: "failed {too_many_redirects} http://a.test/199",
		10:  "failed {too_many_redirects} http://a.test/10",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := crawl(t, site.String(), func(cfg *Config) { cfg.Budget.Redirects = bound }, "http://a.test/0")
			assert.Contains(t, c.ends(), want)
			assert.Len(t, c.requested(), bound+1)
		})
	}
}

func TestAPageOfAMillionLinksCostsWhatItsBoundCosts(t *testing.T) {
	const links = 1_000_000
	var some strings.Builder
	for i := range links / 100 {
		fmt.Fprintf(&some, "<a href=/%d>x</a>\n", i)
	}
	page := strings.Repeat(some.String(), 100)
	w := web(t, "-- http://a.test/robots.txt --\nUser-agent: *\nDisallow: /\nAllow: /$\n-- http://a.test/ --\n"+page)
	size := int64(len(page))
	before := allocated()
	synctest.Test(t, func(t *testing.T) {
		c := crawlWeb(t, w, func(cfg *Config) {
			cfg.Budget = Budget{Response: 32 << 20, URLs: 100}
			cfg.Policy = frontier.Policy{Delay: -1}
		}, "http://a.test/")
		assert.Contains(t, c.receipt.Decided, frontier.Tally{Decision: frontier.LimitReached, Reason: frontier.ReasonReferences, Count: links - 5000, Example: "/5000"})
		assert.EqualValues(t, links+1, c.receipt.Observed, "every reference is accounted for")
		assert.EqualValues(t, 100, c.receipt.Used.URLs)
	})
	assert.Less(t, allocated()-before, 8*size, "the page's bytes, and no more for a million links than for 5,000")
}

func TestAPageOfNothingButAttributesCostsItsBytes(t *testing.T) {
	const size = 10<<20 - 64
	for name, c := range map[string]struct {
		page string
		held frontier.Tally // what is not followed of it
	}{
		"many attributes":       {"<a href=/in " + strings.Repeat("a=b ", size/4) + ">x</a>", frontier.Tally{}},
		"one attribute":         {"<a href=/in title=\"" + strings.Repeat("x", size) + "\">x</a>", frontier.Tally{}},
		"a tag that never ends": {"<a href=/in>x</a><a " + strings.Repeat("a=b ", size/4), frontier.Tally{}},
		"one reference": {"<a href=/in>x</a><a href=\"/" + strings.Repeat("x", size) + "\">x</a>",
			frontier.Tally{Decision: frontier.PolicyStop, Reason: "too_long", Count: 1, Example: "/" + strings.Repeat("x", 95)}},
		"one attribute of many references": {"<a href=/in>x</a><img srcset=\"" + strings.Repeat("y 2x, ", size/6) + "\">",
			frontier.Tally{Decision: frontier.LimitReached, Reason: frontier.ReasonReferences, Count: size/6 - 4999, Example: "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/in --\nin\n-- http://a.test/ --\n"+c.page)
			before := allocated()
			synctest.Test(t, func(t *testing.T) {
				crawl := crawlWeb(t, w, nil, "http://a.test/")
				assert.Equal(t, []string{"done {fetched} http://a.test/", "done {fetched} http://a.test/in"}, crawl.ends())
				assert.Equal(t, []string{"http://a.test/", "http://a.test/in"}, crawl.requested())
				if c.held.Count > 0 {
					assert.Contains(t, crawl.receipt.Decided, c.held)
				}
			})
			assert.Less(t, allocated()-before, int64(6*size))
		})
	}
}
