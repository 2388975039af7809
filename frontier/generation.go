package frontier

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/weircrawl/weir/storage"
)

// A Generation is a frozen, ordered set of results: all that a run had accepted by
// one commit, with its counters then. A run freezes one in the commit that stops or
// ends it, and where Freeze is called. Nothing changes it afterwards: a result that
// comes later is of the next one.
//
// It is kept as one row, as long as its run: the run's counters, a few KB, and at most
// 48 KiB beside the lists of its Scope. A run that is opened and stopped again and
// again keeps one for each stop, since the time that it was active is among them.
type Generation struct {
	ID       string    `json:"id"` // run and ordinal: "main.3"
	Run      string    `json:"run"`
	Number   uint32    `json:"number"`  // of the run
	Ordinal  uint64    `json:"ordinal"` // from 1, in the run
	Frozen   time.Time `json:"frozen"`
	Sequence uint64    `json:"sequence"` // of the commit that froze it
	Last     uint64    `json:"last"`     // Position of its last result; 0: it has none
	Summary  Summary   `json:"summary"`  // of that commit
}

// String is one line for people.
func (g Generation) String() string {
	return fmt.Sprintf("generation %s: %d results, frozen %s while the run was %s",
		g.ID, g.Summary.Results, g.Frozen.UTC().Format(time.RFC3339), g.Summary.Phase)
}

func generationID(run string, ordinal uint64) string {
	return run + "." + strconv.FormatUint(ordinal, 10)
}

// generation is h as the generation that its commit froze.
func (h *head) generation() Generation {
	return Generation{ID: generationID(h.name, h.frozen), Run: h.name, Number: h.number, Ordinal: h.frozen,
		Frozen: stamp(h.at), Sequence: h.seq, Last: h.finish, Summary: h.summary()}
}

// freeze counts a generation.
func (h *head) freeze(ordinal uint64) error {
	if ordinal != h.frozen+1 {
		return fmt.Errorf("frontier: generation %d follows %d", ordinal, h.frozen)
	}
	h.frozen = ordinal
	return nil
}

// sameAs reports whether nothing that g counts has changed, but time.
func (h *head) sameAs(g *head) bool {
	now := *h
	now.seq, now.at, now.queue, now.active, now.entries = g.seq, g.at, g.queue, g.active, g.entries
	return bytes.Equal(now.encode(), g.encode())
}

// newest returns the head of the newest generation, or nil if there is none.
func (t *tx) newest() (*head, error) {
	f := t.f
	if f.head.frozen == 0 {
		return nil, nil
	}
	key := f.keys.nums(f.head.frozen)
	if f.frozen == nil {
		got, err := f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spaceGeneration, Keys: [][]byte{key}})
		if err != nil {
			return nil, fmt.Errorf("read generation: %w", err)
		}
		if f.frozen = got[0].Values[0]; f.frozen == nil {
			return nil, damaged(spaceGeneration, fmt.Errorf("no row for %s", generationID(f.head.name, f.head.frozen)))
		}
	}
	return decodeGeneration(f.keys, key, f.frozen)
}

// Freeze closes a generation with all results that are accepted by now, and returns
// it once it is durable. Where nothing but time has changed since the last one, it
// returns that.
func (f *Frontier) Freeze(ctx context.Context) (Generation, error) {
	var row []byte
	var at *tx
	c := &call{decide: func(t *tx) error {
		at, row = t, nil
		last, err := t.newest()
		if err != nil {
			return err
		}
		if last != nil && t.f.head.sameAs(last) {
			row = t.f.frozen
			return nil
		}
		t.freeze = true
		return nil
	}}
	if err := f.submit(ctx, c); err != nil {
		return Generation{}, fmt.Errorf("freeze: %w", err)
	}
	if row == nil {
		row = at.frozen
	}
	h, err := decodeHead(row)
	if err != nil {
		return Generation{}, err
	}
	return h.generation(), nil
}

// Generations yields the frozen generations of the run, in order.
func (r *Reader) Generations(ctx context.Context) iter.Seq2[Generation, error] {
	return func(yield func(Generation, error) bool) {
		for h, err := range r.frozen(ctx) {
			if err != nil {
				yield(Generation{}, err)
				return
			}
			if !yield(h.generation(), nil) {
				return
			}
		}
	}
}

// frozen yields the heads of the generations.
func (r *Reader) frozen(ctx context.Context) iter.Seq2[*head, error] {
	return func(yield func(*head, error) bool) {
		for row, err := range r.all(ctx, spaceGeneration) {
			if err != nil {
				yield(nil, err)
				return
			}
			h, err := decodeGeneration(r.keys, row[0], row[1])
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

func decodeGeneration(k keys, key, v []byte) (*head, error) {
	h, err := decodeHead(v)
	if err != nil {
		return nil, damaged(spaceGeneration, err)
	}
	if h.number != k.run || h.frozen != field(key, 0) {
		return nil, damaged(spaceGeneration, fmt.Errorf("generation %d of run %d stands for %d of run %d", h.frozen, h.number, field(key, 0), k.run))
	}
	return h, nil
}

// Generation returns a generation by its ID, or the newest if id is empty. It
// answers ErrNoGeneration if the run has none such.
func (r *Reader) Generation(ctx context.Context, id string) (Generation, error) {
	ordinal, err := r.ordinal(ctx, id)
	if err != nil {
		return Generation{}, err
	}
	key := r.keys.nums(ordinal)
	got, err := r.store.Read(ctx, storage.ReadRequest{Space: spaceGeneration, Keys: [][]byte{key}})
	if err != nil {
		return Generation{}, fmt.Errorf("frontier: read generation: %w", err)
	}
	switch v := got[0].Values[0]; {
	case v != nil:
		h, err := decodeGeneration(r.keys, key, v)
		if err != nil {
			return Generation{}, err
		}
		return h.generation(), nil
	case id == "":
		return Generation{}, damaged(spaceGeneration, fmt.Errorf("no row for generation %d of run %q", ordinal, r.name))
	}
	return Generation{}, fmt.Errorf("%w: %q of run %q", ErrNoGeneration, id, r.name)
}

// ordinal finds the number of a generation.
func (r *Reader) ordinal(ctx context.Context, id string) (uint64, error) {
	if id == "" {
		h, err := readHead(ctx, r.store, r.keys)
		if err == nil && h.frozen == 0 {
			err = fmt.Errorf("%w: run %q has frozen none", ErrNoGeneration, r.name)
		}
		if err != nil {
			return 0, err
		}
		return h.frozen, nil
	}
	number, ok := strings.CutPrefix(id, r.name+".")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || generationID(r.name, n) != id {
		return 0, fmt.Errorf("%w: %q is of no generation of run %q", ErrNoGeneration, id, r.name)
	}
	return n, nil
}

// HoldsResults reports whether a space holds results or records: what an observer
// must not read.
func HoldsResults(s storage.Space) bool { return s == spaceResult || s == spaceRecord }
