package frontier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// runSpaces lists the spaces whose keys begin with P R.
var runSpaces = []storage.Space{spaceHead, spaceDedupe, spaceURL, spaceOrigin, spaceReady, spaceAgain, spaceWake,
	spaceLease, spaceScope, spaceOffer, spaceMoved, spacePattern, spaceRekey, spaceGeneration, spaceLog, spaceEdge, spaceResult, spaceRecord, spaceAttempt,
	spacePolicy, spaceAudit}

// lived returns a store in whose run everything has happened once, so that every
// space has rows: it is stopped with work left.
func lived(t *testing.T) storage.Store {
	t.Helper()
	s := newShaky(memory.New())
	s.shared = true // so that the leases of an earlier incarnation stay
	f := openRaw(t, s, func(c *Config) { c.Gates = true; c.Budget.URLs = 4; c.Budget.Depth = 2; c.Run = "life" })
	ctx := t.Context()
	gate := func() {
		l := one(t, f)
		require.True(t, l.Gate)
		complete(t, f, l.Open([]byte("rules"), time.Now().Add(24*time.Hour), 0, Evidence{Status: 200, Artifact: artifact("robots")}))
	}
	seed(t, f, "http://a.test/")
	gate()
	home := one(t, f)
	c := page(home, "/1", "/2", "/3", "/4", "/5", "/6", "/old", "http://out.test/", "/x?utm_source=1", "http://[/")
	c.Evidence.Artifact = artifact("home")
	c.Records = []Record{{Kind: "page", Data: []byte(`{"title":"home"}`)}, {Kind: "page", Data: []byte(`2`)}}
	for i := range 60 { // enough for a compressed row
		c.References = append(c.References, Reference{Observed: fmt.Sprintf("/many/%d/with/a/long/path/that/repeats", i), Rule: "img", Refused: "kind"})
	}
	complete(t, f, c)
	_, err := f.Complete(ctx, home.Failed("dns", Evidence{}))
	require.NoError(t, err, "a conflict")
	require.NoError(t, f.Admin("ann").SetPolicy(ctx, Subject{Site: "a.test"}, &Policy{Delay: -1, Concurrency: 1000}, "as it is"))
	require.NoError(t, f.Close())
	f = openRaw(t, s, func(c *Config) { c.Gates = true; c.Budget.URLs = 12 })
	synctest.Wait() // until what the bound held back has been offered again
	leases := lease(t, f, 8)
	complete(t, f, page(leases["http://a.test/1"], "/1/deep"))
	complete(t, f, leases["http://a.test/2"].Retry("timeout", 20*time.Minute, Evidence{}))
	h := leases["http://a.test/3"].HandlerFailed(Evidence{Status: 200, Artifact: artifact("three")})
	h.After = 20 * time.Minute
	complete(t, f, h)
	complete(t, f, leases["http://a.test/4"].Failed("dns", Evidence{Detail: "no such host"}))
	complete(t, f, leases["http://a.test/5"].Release("given back"))
	complete(t, f, leases["http://a.test/old"].Redirected("/new", Evidence{Status: 301}))
	synctest.Wait()
	require.NoError(t, f.Stop(ctx, "operator"))
	require.NoError(t, f.Close())             // /6 and /x are leased
	s.on(once(faults.AfterCommit, errBroken)) // it ends before what the raise owes is done
	_, err = Open(ctx, Config{Store: s, Gates: true, Run: "life", Budget: Budget{URLs: 20}})
	require.ErrorIs(t, err, errBroken)
	return s
}

// rekeyedLife returns a store whose run "life" was half rekeyed from another.
func rekeyedLife(t *testing.T) storage.Store {
	t.Helper()
	s := newShaky(memory.New())
	s.batch = 48 * kib
	f := openRaw(t, s, named("before"))
	seed(t, f, numbered(60)...)
	drain(t, f, func(l Lease) Completion { return page(l, l.URL+"?s=1") })
	require.NoError(t, f.Close())
	s.on(slowly)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Rekey(ctx, Config{Store: s, Run: "life", Normalizer: renamed{}}, "before", func(now Rekeyed) {
		if now.Read > 50 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	s.on(nil)
	return s
}

func artifact(name string) storage.Ref {
	return storage.Ref{Segment: "s", Offset: 3, Length: 7, Digest: storage.Sum([]byte(name))}
}

// cell is one row of a store.
type cell struct {
	space      storage.Space
	key, value []byte
}

// cells lists every row of a store.
func cells(t *testing.T, s storage.Store) (all []cell) {
	t.Helper()
	for _, sp := range append([]storage.Space{spaceRun}, runSpaces...) {
		got, err := s.Read(t.Context(), storage.ReadRequest{Space: sp, Limit: 1 << 20})
		require.NoError(t, err)
		for i, k := range got[0].Keys {
			all = append(all, cell{sp, k, got[0].Values[i]})
		}
	}
	return all
}

// rewrite changes rows of a store behind the frontier's back.
func rewrite(t *testing.T, s storage.Store, ops ...storage.Op) {
	t.Helper()
	fence, err := s.Claim(t.Context(), storage.Fence{Name: fenceName, Owner: "damage", TTL: time.Second})
	require.NoError(t, err)
	fence.Sequence++
	fence.TTL = 0
	require.NoError(t, s.Commit(t.Context(), fence, ops))
}

// examine reads everything that a reader, Check and Replay can, and says what is
// wrong. It must never panic.
func examine(ctx context.Context, s storage.Store) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, err := NewReader(ctx, s, "life")
	if err != nil {
		return err
	}
	if err := errors.Join(r.Check(ctx), r.Replay(ctx)); err != nil {
		return err
	}
	for _, err := range r.Results(ctx, 0) {
		if err != nil {
			return err
		}
	}
	for _, err := range r.Transitions(ctx) {
		if err != nil {
			return err
		}
	}
	for _, err := range r.Admissions(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

// found reports whether an error names damage.
func found(err error) bool {
	var f *Faults
	return errors.Is(err, storage.ErrCorrupt) || errors.As(err, &f) || errors.Is(err, ErrNoRun)
}

// same reports whether a changed value holds what it held: a packed row may be
// written in several ways.
func same(sp storage.Space, was, is []byte) bool {
	if sp != spaceLog && sp != spaceEdge {
		return false
	}
	a, errA := unpack(was)
	b, errB := unpack(is)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func TestLivedStoreHasRowsInEverySpace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := lived(t)
		require.NoError(t, examine(t.Context(), s))
		have := map[string]int{}
		for _, c := range cells(t, s) {
			have[c.space.Name]++
		}
		for _, c := range cells(t, rekeyedLife(t)) {
			have[c.space.Name]++
		}
		for _, sp := range runSpaces {
			assert.Positive(t, have[sp.Name], sp.Name)
		}
		packed := slices.ContainsFunc(cells(t, s), func(c cell) bool { return c.space == spaceEdge && c.value[0] == 1 })
		assert.True(t, packed, "some edges are compressed")
	})
}

// TestEveryFlippedByteIsFound changes each byte of each value in turn: Check,
// Replay or a reader must say so, and nothing may panic.
func TestEveryFlippedByteIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := lived(t)
		flips := 0
		for _, c := range cells(t, s) {
			step := 1
			if soak(10) == 1 {
				step = max(len(c.value)/10, 1)
			}
			for i := 0; i < len(c.value); i += step {
				damaged := bytes.Clone(c.value)
				damaged[i] ^= 1 << (i % 8)
				if same(c.space, c.value, damaged) {
					continue
				}
				rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: damaged})
				err := examine(t.Context(), s)
				require.True(t, found(err), "%s %x: byte %d of %d: %v", c.space.Name, c.key, i, len(c.value), err)
				flips++
			}
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: c.value})
		}
		require.NoError(t, examine(t.Context(), s), "all is as it was")
		t.Logf("%d flips", flips)
	})
}

// TestEveryLostRowIsFound removes each row in turn.
func TestEveryLostRowIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := lived(t)
		for _, c := range cells(t, s) {
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Delete: true})
			err := examine(t.Context(), s)
			require.True(t, found(err), "%s %x: %v", c.space.Name, c.key, err)
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: c.value})
		}
		require.NoError(t, examine(t.Context(), s), "all is as it was")
	})
}

// TestEveryEmptiedRowIsFound cuts each value to nothing: empty is damage.
func TestEveryEmptiedRowIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := lived(t)
		for _, c := range cells(t, s) {
			if len(c.value) == 0 {
				continue // it is always empty
			}
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key})
			err := examine(t.Context(), s)
			require.True(t, found(err), "%s %x: %v", c.space.Name, c.key, err)
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: c.value})
		}
	})
}

// TestDamagedStoreIsNeverPanickedOn opens each damaged store and works on it: an
// error names the damage, or the row was not needed; nothing panics.
func TestDamagedStoreIsNeverPanickedOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for i, c := range cells(t, lived(t)) {
			if len(c.value) == 0 || i%7 != 0 && soak(10) == 1 {
				continue
			}
			s := lived(t)
			damaged := bytes.Clone(c.value)
			damaged[len(damaged)/2] ^= 4
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: damaged})
			f, err := Open(t.Context(), Config{Store: s, Run: "life", Policy: Policy{Delay: -1, Concurrency: 100}})
			if err != nil {
				require.ErrorIs(t, err, storage.ErrCorrupt, "%s", c.space.Name)
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			for err == nil {
				var leases []Lease
				leases, err = f.Lease(ctx, 10)
				for _, l := range leases {
					if _, err = f.Complete(ctx, page(l)); err != nil {
						break
					}
				}
			}
			cancel()
			assert.True(t, errors.Is(err, storage.ErrCorrupt) || errors.Is(err, ErrDone), "%s: %v", c.space.Name, err)
			_ = f.Close()
		}
	})
}

// TestADamagedRekeyIsFound changes, empties and removes what says how far a run was
// rekeyed.
func TestADamagedRekeyIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := rekeyedLife(t)
		require.NoError(t, examine(t.Context(), s))
		rows := 0
		for _, c := range cells(t, s) {
			if c.space != spaceRekey && c.space != spaceOffer {
				continue
			}
			rows++
			for i := range c.value {
				damaged := bytes.Clone(c.value)
				damaged[i] ^= 1 << (i % 8)
				rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: damaged})
				require.True(t, found(examine(t.Context(), s)), "%s: byte %d", c.space.Name, i)
			}
			for _, op := range []storage.Op{{Space: c.space, Key: c.key}, {Space: c.space, Key: c.key, Delete: true}} {
				rewrite(t, s, op)
				require.True(t, found(examine(t.Context(), s)), c.space.Name)
				_, err := Rekey(t.Context(), Config{Store: s, Run: "life", Normalizer: renamed{}}, "before", nil)
				require.ErrorIs(t, err, storage.ErrCorrupt, c.space.Name)
			}
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: c.value})
		}
		assert.Equal(t, 2, rows)
		k, err := readRekeying(t.Context(), s, keys{run: 2})
		require.NoError(t, err)
		for _, wrong := range []func(k *rekeying){
			func(k *rekeying) { k.Carried++ }, func(k *rekeying) { k.From = "x" }, func(k *rekeying) { k.Done = true }, func(k *rekeying) { k.Normalizer = "x" },
		} {
			changed := *k
			wrong(&changed)
			rewrite(t, s, storage.Op{Space: spaceRekey, Key: keys{run: 2}.head(), Value: changed.encode()})
			require.True(t, found(examine(t.Context(), s)), "%+v", changed)
		}
	})
}

// TestDamageOfTheEarlierRunEndsItsRekey changes each row of the run that is to be
// rekeyed: it is named, or was not needed; nothing panics, and nothing is written
// for it.
func TestDamageOfTheEarlierRunEndsItsRekey(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		outcomes := map[bool]int{}
		for i, c := range cells(t, lived(t)) {
			if len(c.value) == 0 || i%5 != 0 && soak(10) == 1 && c.space != spaceLog && c.space != spaceEdge {
				continue
			}
			s := lived(t)
			damaged := bytes.Clone(c.value)
			damaged[len(damaged)/2] ^= 4
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: damaged})
			_, err := Rekey(t.Context(), Config{Store: s, Normalizer: renamed{}}, "life", nil)
			if outcomes[err == nil]++; err != nil {
				require.ErrorIs(t, err, storage.ErrCorrupt, "%s", c.space.Name)
			} else {
				require.NotContains(t, []storage.Space{spaceLog, spaceEdge, spaceResult, spaceHead, spaceRecord}, c.space, "all of it is read")
			}
		}
		assert.Positive(t, outcomes[false])
		assert.Positive(t, outcomes[true])
	})
}
