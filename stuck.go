package weir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrHandlerStuck is returned by Run beside the receipt when OnPage, or another
// function of the Config, still ran for some pages 5 seconds after Run's end:
// the text names them. Their goroutines are left behind, and what they do with
// their Page has no effect. Make them return when their context ends.
var ErrHandlerStuck = errors.New("weir: a handler has not returned")

// grace is how long handlers have to return, once a run has ended.
const grace = 5 * time.Second

// handlers knows the handlers that were given up, and when a run that has ended
// stops waiting for them.
type handlers struct {
	over   context.Context // ends when the grace is over
	finish context.CancelFunc

	mu    sync.Mutex
	timer *time.Timer // of the grace; nil: it has not begun
	stuck map[*Page]<-chan struct{}
}

func newHandlers() *handlers {
	h := &handlers{stuck: map[*Page]<-chan struct{}{}}
	h.over, h.finish = context.WithCancel(context.Background())
	return h
}

// end begins the grace. A second call changes nothing.
func (h *handlers) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer == nil {
		h.timer = time.AfterFunc(grace, h.finish)
	}
}

// giveUp takes note of a handler that has not returned.
func (h *handlers) giveUp(p *Page, done <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-done: // just now
	default:
		h.stuck[p] = done
	}
}

// returned forgets a handler that has returned after all.
func (h *handlers) returned(p *Page) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.stuck, p)
}

// wait gives handlers that were given up their grace, and names those that use
// more.
func (h *handlers) wait() error {
	h.end()
	defer h.finish()
	defer h.timer.Stop()
	var urls []string
	for _, left := range h.left() {
		select {
		case <-left.done:
		case <-h.over.Done():
			urls = append(urls, left.url)
		}
	}
	if len(urls) == 0 {
		return nil
	}
	slices.Sort(urls)
	return fmt.Errorf("%w for %s", ErrHandlerStuck, strings.Join(urls, " "))
}

type left struct {
	url  string
	done <-chan struct{}
}

func (h *handlers) left() []left {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []left
	for p, done := range h.stuck {
		list = append(list, left{p.URL, done})
	}
	return list
}
