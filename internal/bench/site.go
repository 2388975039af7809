package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	linksOnPage = 42
	digits      = 10 // of a page's number in its URL, so that all pages are equally long
	paragraph   = "Whoever keeps a weir reads the river: what came down, what was let through, what is held back " +
		"and for how long. A gate that forgets is no gate. The keeper writes down each evening what the water " +
		"brought, and whoever comes after him can read it, and need not ask the river again, which has gone on. "
)

// A Site serves endless pages of 15 KB on loopback. Page n links to its two
// children, 2n+1 and 2n+2, and 40 times to pages before it: to a crawler that
// goes by breadth, 95 of 100 references are known.
type Site struct {
	Served atomic.Int64 // pages

	server   *http.Server
	address  string
	template []byte
	numbers  []int // where in template each link's number stands
	bodies   sync.Pool
}

// Open puts a new Site on a port of loopback.
func Open() (*Site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	s := &Site{address: listener.Addr().String()}
	s.compose()
	s.bodies.New = func() any { body := bytes.Clone(s.template); return &body }
	s.server = &http.Server{Handler: s}
	go func() { _ = s.server.Serve(listener) }() // returns when the server is closed
	return s, nil
}

// Close ends the site and its connections.
func (s *Site) Close() error { return s.server.Close() }

// Root is the URL of page 0.
func (s *Site) Root() string { return "http://" + s.address + path(0) }

func path(n uint64) string { return fmt.Sprintf("/page/%0*d", digits, n) }

// compose makes the one page of which all are copies but for their numbers.
func (s *Site) compose() {
	var page bytes.Buffer
	page.WriteString("<!doctype html><html><head><title>A page</title></head><body>")
	for range linksOnPage {
		fmt.Fprintf(&page, "<p class=\"text\">%s<a href=\"%s", paragraph, path(0))
		s.numbers = append(s.numbers, page.Len()-digits)
		page.WriteString("\">another page</a></p>\n")
	}
	page.WriteString("</body></html>\n")
	s.template = page.Bytes()
}

// ServeHTTP answers with the page whose number stands in the path.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, found := strings.CutPrefix(r.URL.Path, "/page/")
	n, err := strconv.ParseUint(number, 10, 64)
	if !found || err != nil {
		http.NotFound(w, r)
		return
	}
	s.Served.Add(1)
	body := s.bodies.Get().(*[]byte)
	defer s.bodies.Put(body)
	for i, at := range s.numbers {
		write((*body)[at:at+digits], link(n, i))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(*body)))
	_, _ = io.Copy(w, bytes.NewReader(*body)) // a crawler that has gone needs no page
}

// link is the page to which link i of page n leads.
func link(n uint64, i int) uint64 {
	if i < 2 {
		return 2*n + 1 + uint64(i)
	}
	return scatter(n*linksOnPage+uint64(i)) % max(n, 1)
}

// scatter is the finalizer of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func write(digits []byte, n uint64) {
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
}
