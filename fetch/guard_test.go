package fetch_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

// hostsThatAreRefused name addresses that are not of the public internet, in the
// forms in which a page can write them.
var hostsThatAreRefused = []string{
	"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
	"224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1",
	"[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]",
	"169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "[::ffff:168.63.129.16]", // metadata: AWS ECS, Alibaba, Oracle, Azure
	"[fd00:ec2::23]", "[fd20:ce::254]", // metadata over IPv6: AWS EKS, Google
	"[64:ff9b::7f00:1]", "[64:ff9b::a83f:8110]", "[2002:7f00:1::]", "[fd00:ec2::254]", "[2001:db8::1]",
}

func TestPrivateAddressesAreNotConnectedTo(t *testing.T) {
	t.Run("by the dialer of the library", func(t *testing.T) {
		client := open(t, fetch.Config{})
		for _, host := range hostsThatAreRefused {
			got := client.Do(t.Context(), fetch.Request{URL: "http://" + host + "/"})
			assert.Equal(t, fetch.PrivateAddress, got.Class, "%s: %v", host, got.Err)
			assert.ErrorContains(t, got.Err, "fetch.Config.Allow admits it", "it says what to do")
		}
	})
	t.Run("by a dialer of the caller", func(t *testing.T) {
		client := open(t, fetch.Config{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			t.Error("dialled", address)
			return nil, io.EOF
		}})
		for _, host := range hostsThatAreRefused {
			got := client.Do(t.Context(), fetch.Request{URL: "http://" + host + "/"})
			assert.Equal(t, fetch.PrivateAddress, got.Class, "%s: %v", host, got.Err)
		}
	})
}

func TestANameThatLeadsToAPrivateAddressIsRefused(t *testing.T) {
	var hits atomic.Int32
	address := listen(t, func(conn net.Conn) {
		if n, _ := conn.Read(make([]byte, 1)); n > 0 {
			hits.Add(1)
		}
	})
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)

	got := open(t, fetch.Config{}).Do(t.Context(), fetch.Request{URL: "http://localhost:" + port + "/"})
	assert.Equal(t, fetch.PrivateAddress, got.Class, "%v", got.Err)

	// A dialer of the caller makes the connection; it is closed unused.
	mapped := fetch.Config{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}}
	for _, url := range []string{"http://int.test/", "https://int.test/"} {
		got = open(t, mapped).Do(t.Context(), fetch.Request{URL: url})
		assert.Equal(t, fetch.PrivateAddress, got.Class, "%v", got.Err)
	}
	assert.Zero(t, hits.Load(), "bytes reached a private address")
}

func TestAllowOpensWhatItNamesAndNoMore(t *testing.T) {
	address := listen(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1024))
		_, _ = io.WriteString(conn, "HTTP/1.0 204 No Content\r\n\r\n")
	})
	client := open(t, fetch.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	assert.Equal(t, fetch.Fetched, client.Do(t.Context(), fetch.Request{URL: "http://" + address}).Class)
	for _, host := range []string{"[::1]", "10.0.0.1", "169.254.169.254", "168.63.129.16"} {
		assert.Equal(t, fetch.PrivateAddress, client.Do(t.Context(), fetch.Request{URL: "http://" + host + "/"}).Class, host)
	}
}

func TestARedirectCannotLeadPastTheGuard(t *testing.T) {
	// Nothing follows by itself, so a target is a request of its own: S-E12.
	client := open(t, fetch.Config{Transport: parse(t, "-- http://a.test/ --\nHTTP 302\nLocation: http://127.0.0.1/\n")})
	got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/"})
	require.Equal(t, fetch.Redirected, got.Class)
	next := open(t, fetch.Config{}).Do(t.Context(), fetch.Request{URL: got.Header.Get("Location")})
	assert.Equal(t, fetch.PrivateAddress, next.Class)
	assert.Zero(t, next.Status)
}
