package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weircrawl/weir"
)

// demo is a site of three hosts on one loopback listener, with what makes real
// sites hard: redirects and loops, a calendar without end, missing and failing
// pages, slow ones, robots rules, and links to elsewhere.
type demo struct {
	server   http.Server
	listener net.Listener
}

func serveDemo() (*demo, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("built-in site: %w", err)
	}
	d := &demo{listener: listener, server: http.Server{Handler: demoSite(), ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = d.server.Serve(listener) }() // returns when Close is called
	return d, nil
}

// Close stops the site.
func (d *demo) Close() error { return d.server.Close() }

// configure makes a crawl find the site: its names lead to the listener, and
// loopback is allowed.
func (d *demo) configure(cfg *weir.Config, o *options) {
	address := d.listener.Addr().String()
	cfg.Fetch.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, address)
	}
	cfg.Fetch.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	o.seeds = []string{"http://www.demo.test/", "http://docs.demo.test/", "http://blog.demo.test/"}
	if o.dir == "" {
		o.dir = "quickstart"
	}
	if o.max == 0 {
		o.max = 1000
	}
	if o.delay == 0 {
		o.delay = 10 * time.Millisecond
	}
}

func demoSite() http.Handler {
	mux := http.NewServeMux()
	shop(mux, "www.demo.test")
	docs(mux, "docs.demo.test")
	blog(mux, "blog.demo.test")
	return mux
}

// shop has 200 items on 20 list pages, and a calendar that has no end.
func shop(mux *http.ServeMux, host string) {
	mux.HandleFunc(host+"/{$}", page("Shop", "/list/1", "/calendar?month=0", "/sale", "/cart", "/busy",
		"http://docs.demo.test/", "http://blog.demo.test/", "http://elsewhere.test/", "mailto:shop@demo.test"))
	mux.HandleFunc(host+"/robots.txt", text("User-agent: *\nDisallow: /cart\n"))
	mux.HandleFunc(host+"/list/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := number(r.PathValue("n"))
		var links []string
		for i := range 10 {
			links = append(links, fmt.Sprintf("/item/%d", 10*n-i), fmt.Sprintf("/item/%d#reviews", 10*n-i))
		}
		page(fmt.Sprintf("List %d", n), append(links, fmt.Sprintf("/list/%d", n%20+1), "/")...)(w, r)
	})
	mux.HandleFunc(host+"/item/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := number(r.PathValue("n"))
		page(fmt.Sprintf("Item %d", n), fmt.Sprintf("/item/%d?utm_source=related", n%200+1), "/cart?add="+r.PathValue("n"), "/gone/"+r.PathValue("n")[:1])(w, r)
	})
	mux.HandleFunc(host+"/calendar", func(w http.ResponseWriter, r *http.Request) {
		month := number(r.URL.Query().Get("month"))
		page(fmt.Sprintf("Month %d", month), fmt.Sprintf("?month=%d", month-1), fmt.Sprintf("?month=%d", month+1))(w, r)
	})
	mux.HandleFunc(host+"/sale", redirect("/list/1?from=sale"))
	mux.HandleFunc(host+"/cart", page("Nobody should see this"))
	var visits atomic.Int64
	mux.HandleFunc(host+"/busy", func(w http.ResponseWriter, r *http.Request) {
		if visits.Add(1)%2 == 1 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "come back in a second", http.StatusServiceUnavailable)
			return
		}
		page("Not busy any more", "/")(w, r)
	})
}

// docs is a tree of 120 chapters; what has moved redirects, some in circles.
func docs(mux *http.ServeMux, host string) {
	mux.HandleFunc(host+"/{$}", page("Documentation", "/chapter/1", "/old/7", "/loop/a", "/chain/1", "/slow/1", "/slow/2", "/broken"))
	mux.HandleFunc(host+"/chapter/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := number(r.PathValue("n"))
		var links []string
		for child := 3*n - 1; child <= min(3*n+1, 120); child++ {
			links = append(links, "/chapter/"+strconv.Itoa(child))
		}
		page(fmt.Sprintf("Chapter %d", n), append(links, "/old/"+r.PathValue("n"), "../")...)(w, r)
	})
	mux.HandleFunc(host+"/old/{n}", func(w http.ResponseWriter, r *http.Request) {
		redirect("/chapter/"+r.PathValue("n"))(w, r)
	})
	mux.HandleFunc(host+"/loop/a", redirect("/loop/b"))
	mux.HandleFunc(host+"/loop/b", redirect("/loop/a"))
	mux.HandleFunc(host+"/chain/{n}", func(w http.ResponseWriter, r *http.Request) {
		redirect(fmt.Sprintf("/chain/%d", number(r.PathValue("n"))+1))(w, r)
	})
	mux.HandleFunc(host+"/slow/{n}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(700 * time.Millisecond):
			page("Slow "+r.PathValue("n"), "/")(w, r)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc(host+"/broken", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "always", http.StatusInternalServerError)
	})
}

// blog has 60 posts, drafts that robots.txt forbids, and a door.
func blog(mux *http.ServeMux, host string) {
	mux.HandleFunc(host+"/{$}", page("Blog", "/post/1", "/draft/1", "/admin", "http://www.demo.test/item/3"))
	mux.HandleFunc(host+"/robots.txt", text("User-agent: *\nDisallow: /draft/\n"))
	mux.HandleFunc(host+"/post/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := number(r.PathValue("n"))
		next := "/post/" + strconv.Itoa(n%60+1)
		page(fmt.Sprintf("Post %d", n), next, fmt.Sprintf("/post/%d", n*7%60+1), "/draft/"+r.PathValue("n"), "http://elsewhere.test/"+r.PathValue("n"))(w, r)
	})
	mux.HandleFunc(host+"/draft/{n}", page("Nobody should see this"))
	mux.HandleFunc(host+"/admin", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	})
}

// page answers with a title and links.
func page(title string, links ...string) http.HandlerFunc {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title><h1>%[1]s</h1>\n", title)
	for _, link := range links {
		fmt.Fprintf(&b, "<p><a href=%q>%[1]s</a>\n", link)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, b.String())
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusMovedPermanently) }
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // anything else is page 0
	return n
}
