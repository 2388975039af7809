package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

var historyChecks = []Check{
	{"a random history gives what storage/memory gives", sameHistory},
}

// sameHistory makes the same random calls to the store and to a memory store.
// What they answer and what they hold must be the same at every step.
func sameHistory(t *trial) {
	seed := rand.Uint64()
	h := &history{
		trial: t, Rand: rand.New(rand.NewPCG(seed, 1)),
		store: t.open(), reference: memory.New(),
	}
	for step := range 600 {
		h.step()
		if t.failure != "" {
			t.Errorf("at step %d of the history with seed %d", step, seed)
			t.FailNow()
		}
	}
	h.reopen()
	require.Equal(t, h.fencesOf(h.reference), h.fencesOf(h.store), "fences at the end, seed %d", seed)
}

// A history is one random sequence of calls.
type history struct {
	*trial
	*rand.Rand

	store     storage.Store
	reference *memory.Store
}

func (h *history) step() {
	switch n := h.IntN(100); {
	case n < 15:
		h.claim()
	case n < 60:
		h.commit()
	case n < 90:
		h.read()
	case n < 98:
		h.same(h.fencesOf(h.reference), h.fencesOf(h.store), "fences")
	default:
		h.reopen()
	}
}

// same records a difference, and lets step go on to name the step.
func (h *history) same(want, got any, format string, args ...any) {
	if w, g := fmt.Sprintf("%q", want), fmt.Sprintf("%q", got); w != g {
		h.Errorf("%s: want %s, got %s; ", fmt.Sprintf(format, args...), w, g)
	}
}

func (h *history) name() string { return fmt.Sprintf("p/%d", h.IntN(3)) }

func (h *history) claim() {
	want := storage.Fence{Name: h.name(), Owner: fmt.Sprintf("owner %d", h.IntN(2))}
	if h.IntN(4) > 0 {
		want.TTL = long
	}
	wf, werr := h.reference.Claim(h.ctx, want)
	gf, gerr := h.store.Claim(h.ctx, want)
	h.same(kind(werr), kind(gerr), "claim of %s by %s", want.Name, want.Owner)
	h.same(plain(wf), plain(gf), "fence claimed")
}

func (h *history) commit() {
	f := storage.Fence{Name: h.name(), Owner: "owner 0"}
	for _, current := range h.fencesOf(h.reference) {
		if current.Name == f.Name {
			f = current
		}
	}
	f.Sequence++
	f.Value = []byte(fmt.Sprint("header ", h.IntN(100)))
	if h.IntN(8) > 0 {
		f.TTL = long
	}
	if h.IntN(8) == 0 {
		f.Generation += uint64(h.IntN(3) - 1)
		f.Sequence += uint64(h.IntN(3) - 1)
	}
	ops := make([]storage.Op, h.IntN(40))
	for i := range ops {
		ops[i] = storage.Op{Space: h.space(), Key: h.key(), Delete: h.IntN(4) == 0}
		if !ops[i].Delete {
			ops[i].Value = make([]byte, h.IntN(10)*h.IntN(10)*h.IntN(10))
			copy(ops[i].Value, fmt.Sprint(h.Uint64()))
		}
	}
	if h.IntN(20) == 0 {
		ops = append(ops, storage.Op{Space: h.space(), Key: make([]byte, 257*h.IntN(2))})
	}
	h.same(kind(h.reference.Commit(h.ctx, f, ops)), kind(h.store.Commit(h.ctx, f, ops)), "commit %+v of %d ops", plain(f), len(ops))
}

func (h *history) read() {
	requests := make([]storage.ReadRequest, 1+h.IntN(4))
	for i := range requests {
		requests[i] = storage.ReadRequest{Space: h.space(), Limit: 1 + h.IntN(50)}
		switch h.IntN(3) {
		case 0:
			requests[i].Keys = [][]byte{h.key(), h.key(), h.key()}
		case 1:
			requests[i].From, requests[i].To = h.key(), h.key()
		}
	}
	want, werr := h.reference.Read(h.ctx, requests...)
	got, gerr := h.store.Read(h.ctx, requests...)
	h.same(kind(werr), kind(gerr), "read")
	for i := range requests {
		h.same(spelled(want[i]), spelled(got[i]), "read of %q from %q to %q limit %d keys %q",
			requests[i].Space.Name, requests[i].From, requests[i].To, requests[i].Limit, requests[i].Keys)
	}
}

func (h *history) reopen() {
	h.store = h.trial.reopen(h.store)
	if h.store.Limits().Exclusive {
		require.NoError(h, h.reference.Close())
		reference, err := h.reference.Reopen()
		require.NoError(h, err)
		h.reference = reference
	}
}

func (h *history) space() storage.Space {
	return []storage.Space{points, log, queue}[h.IntN(3)]
}

// key returns one of some hundred keys of several lengths and bytes.
func (h *history) key() []byte {
	key := []byte{byte(h.IntN(6)) * 51, byte(h.IntN(6)) * 51, byte(h.IntN(6)) * 51}
	return key[:1+h.IntN(3)]
}

// fencesOf lists the fences of s as they compare.
func (h *history) fencesOf(s storage.Store) []storage.Fence {
	list, err := s.Fences(h.ctx, "")
	require.NoError(h, err)
	for i := range list {
		list[i] = plain(list[i])
	}
	return list
}

// plain returns f with its TTL rounded to whether anybody holds it.
func plain(f storage.Fence) storage.Fence {
	f.TTL = min(f.TTL, time.Nanosecond)
	f.Value = append([]byte{}, f.Value...)
	return f
}

// spelled returns keys and values with nil told from empty.
func spelled(r storage.ReadResult) []string {
	var all []string
	for i, k := range r.Keys {
		all = append(all, string(k), spell(r.Values[i]))
	}
	return all
}

// kind returns what a caller can branch on.
func kind(err error) string {
	for _, known := range []error{storage.ErrHeld, storage.ErrFenced, storage.ErrTooLarge} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprint(err)
}
