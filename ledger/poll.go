package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// A Poll is what one look at a job has cost, and what it saw.
type Poll struct {
	Time       time.Time      `json:"time"`
	Latency    time.Duration  `json:"latency_ns"`
	Bytes      int64          `json:"bytes"`    // read for it
	Answer     int64          `json:"answer"`   // bytes of the answer, as JSON
	Reads      int64          `json:"reads"`    // of a store
	Requests   int64          `json:"requests"` // over HTTP
	Rows       int64          `json:"rows"`     // of results and records, read
	Cursors    int64          `json:"cursors"`  // followed
	Explicit   bool           `json:"explicit"` // results were asked for
	Before     frontier.Phase `json:"before,omitzero"`
	After      frontier.Phase `json:"after,omitzero"`
	Generation string         `json:"generation,omitempty"` // generation of results that the answer names
	Breaches   []Breach       `json:"breaches,omitempty"`
	Error      string         `json:"error,omitempty"` // the poll has failed; at most 256 bytes
}

// Breach names a bound of observation that a poll has broken.
type Breach string

const (
	BreachRequests   Breach = "requests"   // more than one store read or request
	BreachCursor     Breach = "cursor"     // it followed a cursor
	BreachResults    Breach = "results"    // it read results that nobody asked for
	BreachBytes      Breach = "bytes"      // its answer, or what was read for it, is too large
	BreachGeneration Breach = "generation" // it returned results without naming their generation
)

// breaches lists the bounds that p breaks, the gravest first: a poll that walks a
// moving view comes before one that is merely dear.
func (p Poll) breaches(answered Observation) []Breach {
	var list []Breach
	add := func(broken bool, b Breach) {
		if broken {
			list = append(list, b)
		}
	}
	add(p.Cursors > 0 && !p.Explicit, BreachCursor)
	add((p.Rows > 0 || answered.Results > 0) && !p.Explicit, BreachResults)
	add(answered.Results > 0 && answered.Generation == "", BreachGeneration)
	add(p.Reads+p.Requests > 1, BreachRequests)
	add(p.Answer > MaxStatus || p.Bytes > maxPollBytes, BreachBytes)
	return list
}

// MaxStatus is how many bytes the answer to a poll may have, as JSON.
const MaxStatus = 4 << 10

// maxPollBytes is how much may be read for one poll. A run's head keeps 64 reasons of
// a kind.
const maxPollBytes = 64 << 10

// An Observation is what a poll has answered.
type Observation struct {
	Phase      frontier.Phase
	Generation string // of the results; empty where none is named
	Results    int    // that it returned
	Explicit   bool   // they were asked for
	Size       int    // bytes of the answer, as JSON
}

// An Observer makes polls, measures each, and calls Trace with those that break a
// bound, or with all if All is set. Poll makes one, by whatever means: a store
// under [Metered], an HTTP client over [MeteredTransport], under the context that it
// is given. An Observer is safe for concurrent use; its fields are set before that.
type Observer struct {
	Poll  func(ctx context.Context) (Observation, error)
	Trace func(Poll) // the alert
	All   bool

	mu    sync.Mutex
	polls Polls
	phase frontier.Phase
}

// Polls is what the polls of one Observer have cost.
type Polls struct {
	Count    int64            `json:"count"`
	Failed   int64            `json:"failed,omitempty"`
	Latency  time.Duration    `json:"latency_ns"` // of the last
	Slowest  time.Duration    `json:"slowest_ns"`
	Bytes    int64            `json:"bytes"` // read, in all
	Reads    int64            `json:"reads"`
	Requests int64            `json:"requests,omitempty"`
	Rows     int64            `json:"rows"`
	Cursors  int64            `json:"cursors"`
	Breaches map[Breach]int64 `json:"breaches,omitempty"`
}

// Observe makes one poll.
func (o *Observer) Observe(ctx context.Context) (Poll, error) { return o.observe(ctx, o.Poll) }

// observe measures a poll that is made by poll.
func (o *Observer) observe(ctx context.Context, poll func(context.Context) (Observation, error)) (Poll, error) {
	var m meter
	p := Poll{Time: time.Now(), Before: o.seen()}
	answered, err := poll(metered(ctx, &m))
	p.Latency = time.Since(p.Time)
	p.Bytes, p.Reads, p.Requests = m.bytes.Load(), m.reads.Load(), m.requests.Load()
	p.Rows, p.Cursors = m.rows.Load(), m.cursors.Load()
	p.Answer, p.Explicit, p.After = int64(answered.Size), answered.Explicit, answered.Phase
	p.Generation = answered.Generation
	if err != nil {
		p.Error, p.After = clip(err.Error()), p.Before
	}
	p.Breaches = p.breaches(answered)
	o.note(p)
	if o.Trace != nil && (o.All || len(p.Breaches) > 0) {
		o.Trace(p)
	}
	return p, err
}

func (o *Observer) seen() frontier.Phase {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase
}

// note adds a poll to the totals.
func (o *Observer) note(p Poll) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := &o.polls
	if p.Error != "" {
		t.Failed++
	}
	o.phase = p.After
	t.Count++
	t.Latency, t.Slowest = p.Latency, max(t.Slowest, p.Latency)
	t.Bytes, t.Reads, t.Requests = t.Bytes+p.Bytes, t.Reads+p.Reads, t.Requests+p.Requests
	t.Rows, t.Cursors = t.Rows+p.Rows, t.Cursors+p.Cursors
	for _, b := range p.Breaches {
		if t.Breaches == nil {
			t.Breaches = map[Breach]int64{}
		}
		t.Breaches[b]++
	}
}

// Polls returns the totals so far.
func (o *Observer) Polls() Polls {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.polls
	if p.Breaches != nil {
		p.Breaches = map[Breach]int64{}
		for b, n := range o.polls.Breaches {
			p.Breaches[b] = n
		}
	}
	return p
}

// Faults lists the bounds of observation that were broken, the gravest first, as a
// receipt has them.
func (p Polls) Faults() []string {
	var faults []string
	for _, b := range []struct {
		breach Breach
		text   string
	}{
		{BreachCursor, "followed a cursor of results"},
		{BreachResults, "read results that nobody asked for"},
		{BreachGeneration, "returned results of no named generation"},
		{BreachRequests, "made more than one request"},
		{BreachBytes, "passed their byte bound"},
	} {
		if n := p.Breaches[b.breach]; n > 0 {
			faults = append(faults, fmt.Sprintf("%d of %d polls %s", n, p.Count, b.text))
		}
	}
	return faults
}
