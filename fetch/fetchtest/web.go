package fetchtest

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Web is a set of hosts that answer as a file or a handler says. It is safe for
// concurrent use.
type Web struct {
	opened time.Time
	want   map[string]string

	mu       sync.Mutex
	exact    map[string]*script // by URL
	prefixes []*prefix          // longest first
	origins  map[string]bool    // that have an answer, by scheme, host and port
	hosts    map[string]bool    // that have an origin
	log      []*Exchange
	inFlight map[string]int // exchanges by origin
	ca       *authority     // made when the first https host is served
}

// script is what one URL answers: the answers of a file in order, or a handler.
type script struct {
	answers []answer // the first is next; the last one repeats
	handler http.Handler
}

// prefix is a script for all URLs that begin with text.
type prefix struct {
	text string
	*script
}

// Open reads the web in the txtar file at path, as Parse does.
func Open(path string) (*Web, error) {
	archive, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fetchtest: %w", err)
	}
	return Parse(path, archive)
}

// Parse reads the web in archive, or reports the first fault of every section, as
// "name:line: why". The times of its Log count from here: inside a bubble of
// testing/synctest it must be called there. An empty archive is a web without hosts, to
// be filled by Handle.
func Parse(name string, archive []byte) (*Web, error) {
	w := &Web{
		opened:   time.Now(),
		want:     map[string]string{},
		exact:    map[string]*script{},
		origins:  map[string]bool{},
		hosts:    map[string]bool{},
		inFlight: map[string]int{},
	}
	if err := w.read(name, archive); err != nil {
		return nil, fmt.Errorf("fetchtest: %w", err)
	}
	return w, nil
}

// Handle answers by h the URL pattern or, if it ends in "*", all URLs that begin
// so. It replaces what the file says of that very pattern. h sees the URL as it
// was requested; its whole answer is sent when it returns.
func (w *Web) Handle(pattern string, h http.Handler) error {
	url, err := cleanPattern(pattern)
	if err != nil {
		return fmt.Errorf("fetchtest: handle %s: %w", pattern, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.script(url)
	s.answers, s.handler = nil, h
	return nil
}

// Want returns the section "want name", and whether there is one.
func (w *Web) Want(name string) (string, bool) {
	text, ok := w.want[name]
	return text, ok
}

// script returns the script of a clean pattern, made if it is new.
func (w *Web) script(pattern string) *script {
	origin := originOf(pattern)
	w.origins[origin], w.hosts[hostOf(origin)] = true, true
	text, isPrefix := strings.CutSuffix(pattern, "*")
	if !isPrefix {
		if w.exact[pattern] == nil {
			w.exact[pattern] = &script{}
		}
		return w.exact[pattern]
	}
	at := 0
	for ; at < len(w.prefixes); at++ {
		p := w.prefixes[at]
		if p.text == text {
			return p.script
		}
		if len(p.text) < len(text) {
			break
		}
	}
	p := &prefix{text: text, script: &script{}}
	w.prefixes = append(w.prefixes, nil)
	copy(w.prefixes[at+1:], w.prefixes[at:])
	w.prefixes[at] = p
	return p.script
}

// answerTo takes the next answer to r, which asked for url. A handler runs
// here, without the lock.
func (w *Web) answerTo(r *http.Request, url string) answer {
	w.mu.Lock()
	s := w.find(url)
	if s == nil {
		w.mu.Unlock()
		return notFound
	}
	if s.handler == nil {
		a := s.take()
		w.mu.Unlock()
		return a
	}
	h := s.handler
	w.mu.Unlock()
	return handle(h, r)
}

// connect answers whether a connection to origin can be made: the empty string,
// or the name of the failure, which counts as the answer to a request.
func (w *Web) connect(origin string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.hosts[hostOf(origin)]:
		return failDNS
	case !w.origins[origin]:
		return failRefused
	}
	for _, p := range w.prefixes {
		if p.text == origin+"/" && len(p.answers) > 0 && ofHost(p.answers[0].fail) {
			return p.take().fail
		}
	}
	return ""
}

// find returns the script that answers url, or nil.
func (w *Web) find(url string) *script {
	if s := w.exact[url]; s != nil {
		return s
	}
	for _, p := range w.prefixes {
		if strings.HasPrefix(url, p.text) {
			return p.script
		}
	}
	return nil
}

// take returns the next answer, and keeps the last one for ever.
func (s *script) take() answer {
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return a
}
