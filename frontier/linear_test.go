package frontier

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
)

// A leaseOp is one grant, or one report, of one URL as a worker saw it.
type leaseOp struct {
	url   string
	grant bool
	gen   uint64
	final bool // of a report: it ends the URL
}

// owned is a URL's register: its generation, whether somebody owns it, whether it
// has ended, and which generations were accepted.
type owned struct {
	gen      uint64
	taken    bool
	ended    bool
	accepted uint64 // a bit for each generation
}

// ownership says what a register may answer. A lease may expire at any moment
// after its grant, and nobody calls that.
var ownership = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[string][]porcupine.Operation{}
		for _, op := range history {
			u := op.Input.(leaseOp).url
			by[u] = append(by[u], op)
		}
		for _, part := range by {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return owned{} },
	Step: func(state, input, output any) (bool, any) {
		s, op, kind := state.(owned), input.(leaseOp), output.(AnswerKind)
		if op.grant {
			return !s.ended && op.gen == s.gen+1, owned{gen: op.gen, taken: true, accepted: s.accepted}
		}
		bit := uint64(1) << (op.gen % 64)
		switch kind {
		case Accepted:
			return s.gen == op.gen && s.taken, owned{gen: s.gen, ended: op.final, accepted: s.accepted | bit}
		case Redelivered:
			return s.accepted&bit != 0, s
		case Stale:
			if s.gen == op.gen {
				s.taken = false // it has expired
			}
			return s.accepted&bit == 0, s
		}
		return false, s
	},
}

// recorder numbers the beginnings and ends of operations.
type recorder struct {
	clock   atomic.Int64
	mu      sync.Mutex
	history []porcupine.Operation
}

func (r *recorder) begin() int64 { return r.clock.Add(1) }

func (r *recorder) end(worker int, began int64, op leaseOp, kind AnswerKind) {
	ended := r.clock.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{ClientId: worker, Input: op, Call: began, Output: kind, Return: ended})
}

// TestGrantsAndReportsAreLinear lets workers that are often too late share a few
// URLs: what each of them saw must fit one order of grants and reports.
func TestGrantsAndReportsAreLinear(t *testing.T) {
	rng, kinds := seeded(t), map[AnswerKind]int{}
	for range soak(200) {
		synctest.Test(t, func(t *testing.T) {
			s := memory.New()
			f := open(t, s, func(c *Config) {
				c.TTL, c.Deadline = 10*time.Millisecond, time.Millisecond
				c.Budget.Attempts = 1000
			})
			seed(t, f, numbered(6)...)
			var r recorder
			var workers sync.WaitGroup
			for w := range 8 {
				chance := rand.New(rand.NewPCG(rng.Uint64(), 0))
				workers.Go(func() { work(t, f, &r, w, chance) })
			}
			workers.Wait()
			require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(ownership, r.history, 0))
			for _, op := range r.history {
				kinds[op.Output.(AnswerKind)]++
			}
		})
	}
	for _, kind := range []AnswerKind{Accepted, Redelivered, Stale} {
		assert.Positive(t, kinds[kind], "no report was %s", kind)
	}
}

// work leases, dawdles and reports until the run is over.
func work(t *testing.T, f *Frontier, r *recorder, w int, chance *rand.Rand) {
	for {
		began := r.begin()
		leases, err := f.Lease(t.Context(), 1+chance.IntN(2))
		if errors.Is(err, ErrDone) {
			return
		}
		require.NoError(t, err)
		for _, l := range leases {
			r.end(w, began, leaseOp{url: l.URL, grant: true, gen: l.ID.Generation}, 0)
		}
		for _, l := range leases {
			time.Sleep(time.Duration(chance.IntN(16)) * time.Millisecond)
			c := page(l)
			switch chance.IntN(3) {
			case 0:
				c = l.Retry("timeout", time.Millisecond, Evidence{})
			case 1:
				c = l.Release("given back")
			}
			for range 1 + chance.IntN(2) { // perhaps twice
				began := r.begin()
				a, err := f.Complete(t.Context(), c)
				assert.NoError(t, err)
				r.end(w, began, leaseOp{url: l.URL, gen: l.ID.Generation, final: c.Outcome == OutcomeFetched}, a.Kind)
			}
		}
	}
}

// TestCarelessFrontierIsNotLinear lets the same model judge the frontier that
// reads the generation first and commits later.
func TestCarelessFrontierIsNotLinear(t *testing.T) {
	for _, lax := range []bool{true, false} {
		c := newCareless(t, lax)
		var r recorder
		grant := func() uint64 {
			began := r.begin()
			gen := c.Lease()
			r.end(0, began, leaseOp{url: "u", grant: true, gen: gen}, 0)
			return gen
		}
		gen := grant()
		c.pause = func() { grant() }
		began := r.begin()
		kind := Stale
		if c.Complete(gen) {
			kind = Accepted
		}
		r.end(1, began, leaseOp{url: "u", gen: gen, final: true}, kind)
		want := porcupine.Ok
		if lax {
			want = porcupine.Illegal
		}
		assert.Equal(t, want, porcupine.CheckOperationsTimeout(ownership, r.history, 0), "lax: %v", lax)
	}
}
