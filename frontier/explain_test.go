package frontier

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

func explained(t testing.TB, r *Reader, url string) Explained {
	t.Helper()
	e, err := r.Explain(t.Context(), url, ExplainOptions{})
	require.NoError(t, err)
	return e
}

// TestExplainSaysWhatTheSlowWalkFinds is the law of Explain: of every URL that
// anybody named, it tells what a walk over all ledgers would.
func TestExplainSaysWhatTheSlowWalkFinds(t *testing.T) {
	for seed1 := range uint64(2) {
		r := reader(t, manyKinds(t, seed1))
		type walked struct {
			written   string
			seen      int64
			decisions []Admission
			observed  []string
			admission *Admission
		}
		found := map[string]*walked{}
		for _, a := range recorded(t, r) {
			if a.Claim.Offset == offsetBeyond || a.Reason == "too_long" || a.Reference.Hint {
				continue // what is kept of it is cut, or it is no page
			}
			id, written := a.Identity, a.URL
			if id == "" {
				id, written = a.Reference.Observed, a.Reference.Observed
			}
			w := found[id]
			if w == nil {
				w = &walked{written: written}
				found[id] = w
			}
			if a.Source != Offer {
				w.seen++
			}
			if w.decisions = append(w.decisions, a); !slices.Contains(w.observed, a.Reference.Observed) {
				w.observed = append(w.observed, a.Reference.Observed)
			}
			if a.Decision == Admitted {
				w.admission = &a
			}
		}
		history, results := map[string][]Transition{}, map[string]Result{}
		for tr, err := range r.Transitions(t.Context()) {
			require.NoError(t, err)
			history[tr.URL] = append(history[tr.URL], tr)
		}
		for res, err := range r.Results(t.Context(), 0) {
			require.NoError(t, err)
			results[res.URL] = res
		}
		admitted := 0
		for id, w := range found {
			got := explained(t, r, w.written)
			require.Equal(t, w.admission, got.Admission, id)
			require.Equal(t, w.seen, got.Seen, id)
			require.Equal(t, w.decisions[:min(len(w.decisions), maxTold)], got.Decisions, id)
			require.Equal(t, w.observed[:min(len(w.observed), maxTold)], got.Observed, id)
			require.True(t, got.Scanned.Whole)
			require.Equal(t, w.admission != nil, got.Known)
			require.Equal(t, w.admission == nil, got.Preview != nil)
			if !got.Known {
				require.Equal(t, w.decisions[0].Identity, got.Identity)
				continue
			}
			admitted++
			require.Equal(t, history[got.URL], got.History, id)
			require.Equal(t, got.State, got.History[len(got.History)-1].To)
			if res, ok := results[got.URL]; ok {
				require.Equal(t, &res, got.Result)
				require.Equal(t, res.Records, got.Records)
			} else {
				require.Nil(t, got.Result)
			}
		}
		assert.Greater(t, admitted, 10)
	}
}

// TestExplainTellsEveryAttempt: granted, expired, late, retried, in conflict, done.
func TestExplainTellsEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, func(c *Config) { c.TTL = 10 * time.Second })
		seed(t, f, "http://a.test/p?b=1&utm_source=x")
		late := one(t, f)
		time.Sleep(11 * time.Second)
		second := one(t, f)
		_, err := f.Complete(t.Context(), page(late))
		require.NoError(t, err)
		complete(t, f, second.Retry("timeout", time.Second, Evidence{}))
		time.Sleep(2 * time.Second)
		third := one(t, f)
		c := page(third, "p?b=1", "http://a.test/p?b=1#top", "/other")
		c.Records = []Record{{Kind: "title", Data: []byte(`"T"`)}}
		complete(t, f, c)
		_, err = f.Complete(t.Context(), third.Missing(Evidence{Status: 404}))
		require.NoError(t, err)
		fourth := one(t, f)

		got := explained(t, reader(t, s), "HTTP://A.test:80/p?b=1&utm_source=else#x")
		require.Len(t, got.Attempts, 3)
		for i, want := range []struct {
			outcome Outcome
			event   Event
			reason  Reason
			late    int64
			odd     int64
		}{{NoOutcome, Expire, ReasonExpired, 1, 0}, {OutcomeRetry, Retry, "timeout", 0, 0}, {OutcomeFetched, Finish, "fetched", 0, 1}} {
			a := got.Attempts[i]
			assert.Equal(t, uint64(i+1), a.ID.Generation)
			assert.Equal(t, want.outcome, a.Outcome)
			assert.Equal(t, want.event, a.Event)
			assert.Equal(t, want.reason, a.Reason)
			assert.False(t, a.Began.IsZero() || a.Ended.Before(a.Began))
			if want.late+want.odd == 0 {
				assert.Nil(t, a.Late)
				continue
			}
			assert.Equal(t, want.late, a.Late.Stale)
			assert.Equal(t, want.odd, a.Late.Conflicts)
		}
		assert.Equal(t, 404, got.Attempts[2].Late.Evidence.Status)
		assert.Equal(t, Done, got.State)
		assert.EqualValues(t, 3, got.Seen)
		assert.Equal(t, []string{"http://a.test/p?b=1&utm_source=x", "p?b=1", "http://a.test/p?b=1#top"}, got.Observed)
		assert.Equal(t, "a.test/p?b&utm_source", got.Pattern)
		assert.Equal(t, Seed, got.Admission.Source)
		assert.Equal(t, []Record{{Kind: "title", Data: []byte(`"T"`)}}, got.Records)
		assert.EqualValues(t, 1, got.Origin.InFlight)
		assert.Equal(t, map[State]int64{Queued: 0, Leased: 1, Waiting: 0, Done: 1, Refused: 0, Failed: 0, Cancelled: 0}, got.Origin.States)

		b, err := json.Marshal(got)
		require.NoError(t, err)
		var back Explained
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, got.History, back.History)
		assert.Equal(t, got.Attempts, back.Attempts)
		assert.Equal(t, got.Records, back.Records)
		complete(t, f, page(fourth))
	})
}

func TestExplainTellsHowTheOriginStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, func(c *Config) { c.Gates, c.Policy = true, Policy{Delay: 5 * time.Second} })
		seed(t, f, "http://a.test/1", "http://a.test/2")
		gate := one(t, f)
		assert.Equal(t, "leased", explained(t, reader(t, s), "http://a.test/1").Origin.Gate.State)
		until := time.Now().Add(time.Hour)
		complete(t, f, gate.Open([]byte("a note"), until, 7*time.Second, Evidence{}))
		complete(t, f, one(t, f).Busy("429", 30*time.Second, Evidence{Status: 429}))
		o := explained(t, reader(t, s), "http://a.test/2").Origin
		assert.Equal(t, "open", o.Gate.State)
		assert.Equal(t, "a note", string(o.Gate.Note))
		assert.Equal(t, 7*time.Second, o.Gate.Delay)
		assert.WithinDuration(t, until, o.Gate.Until, time.Second)
		assert.Equal(t, Reason("429"), o.Why)
		assert.Equal(t, 1, o.Incidents)
		assert.WithinRange(t, o.Next, time.Now().Add(29*time.Second), time.Now().Add(time.Minute))
		assert.Zero(t, o.InFlight)
		assert.Nil(t, explained(t, reader(t, s), "http://b.test/").Origin)
	})
}

func TestExplainSaysWhatWouldHappenToWhatWasNeverSeen(t *testing.T) {
	s := memory.New()
	f := open(t, s, func(c *Config) { c.Budget.URLs = 2 })
	seed(t, f, "http://a.test/0")
	drain(t, f, linked(map[string][]string{"http://a.test/0": {"/item/1", "/item/2", "/item/3", "mailto:me@a.test", "http://u:secret@a.test/"}}))
	r := reader(t, lookOnly{s})
	for _, c := range []struct {
		url, preview string
		seen         int64
		held         int64
	}{
		{"http://a.test/item/3", "limit_reached {urls}", 1, 2},
		{"http://a.test/item/99", "limit_reached {urls}", 0, 2},
		{"http://a.test/elsewhere", "limit_reached {urls}", 0, 0},
		{"http://b.test/", "policy_stop {out_of_scope}", 0, 0},
		{"mailto:me@a.test", "policy_stop {unsupported_scheme}", 1, 0},
		{"mailto:you@a.test", "policy_stop {unsupported_scheme}", 0, 0},
		{"http://u:other@a.test/", "policy_stop {user_info}", 1, 0},
	} {
		got := explained(t, r, c.url)
		assert.False(t, got.Known)
		assert.Equal(t, c.preview, fmt.Sprintf("%s {%s}", got.Preview.Decision, got.Preview.Reason), c.url)
		assert.Equal(t, c.seen, got.Seen, c.url)
		assert.True(t, got.Scanned.Whole)
		assert.NotContains(t, fmt.Sprintf("%+v", got), "other@")
		if c.held == 0 {
			assert.Empty(t, got.Held, c.url)
			continue
		}
		assert.Equal(t, []PatternTally{{"a.test/item/{n}", LimitReached, ReasonURLs, c.held, "/item/2"}}, got.Held)
	}
}

// TestWhatIsHeldBackIsWhatPatternsCount: also where an offer has let a part go.
func TestWhatIsHeldBackIsWhatPatternsCount(t *testing.T) {
	held := 0
	for seed1 := range uint64(3) {
		r := reader(t, manyKinds(t, seed1))
		all, _, err := r.Patterns(t.Context(), 0)
		require.NoError(t, err)
		let := false
		for _, a := range recorded(t, r) {
			let = let || a.Was == LimitReached && a.pattern() == "a.test/{n}?s&x"
		}
		require.True(t, let, "nothing of the pattern was let go")
		for _, url := range []string{"http://a.test/item/12345?utm_source=1", "http://a.test/12345?x=1&s=1"} {
			got, want := explained(t, r, url), []PatternTally(nil)
			for _, p := range all {
				if p.Pattern == got.Pattern {
					want = append(want, p)
				}
			}
			held += len(want)
			require.Equal(t, len(want), len(got.Held))
			for i := range want {
				want[i].Example, got.Held[i].Example = "", "" // the first, perhaps let go since
			}
			assert.Equal(t, want, got.Held)
		}
	}
	assert.Positive(t, held)
}

// TestTheHistoryOfAURLCostsTheSameInAnyRun counts reads: it scans no log.
func TestTheHistoryOfAURLCostsTheSameInAnyRun(t *testing.T) {
	cost := func(others int) (reads, rows int64) {
		s := &counting{Store: memory.New()}
		f := open(t, s)
		seed(t, f, "http://a.test/first")
		complete(t, f, one(t, f).Busy("later", time.Nanosecond, Evidence{}))
		complete(t, f, page(one(t, f)))
		for i := range others {
			seed(t, f, fmt.Sprintf("http://a.test/%d", i))
			complete(t, f, page(one(t, f), "/first"))
		}
		r := reader(t, s)
		return s.spent(func() {
			got, err := r.Explain(t.Context(), "http://a.test/first", ExplainOptions{Bytes: -1})
			require.NoError(t, err)
			assert.Equal(t, Done, got.State)
			assert.Len(t, got.Attempts, 2)
			assert.Zero(t, got.Scanned)
		})
	}
	reads, rows := cost(1)
	moreReads, moreRows := cost(150)
	assert.Equal(t, reads, moreReads)
	assert.Equal(t, rows, moreRows)
	assert.LessOrEqual(t, reads, int64(16))
}

func TestTheScanEndsAtItsBound(t *testing.T) {
	s := memory.New()
	f := open(t, s)
	for i := range 300 {
		seed(t, f, fmt.Sprintf("http://a.test/%d", i), "http://a.test/0")
	}
	r := reader(t, s)
	whole := explained(t, r, "http://a.test/0")
	assert.EqualValues(t, 301, whole.Seen)
	assert.Len(t, whole.Decisions, maxTold)
	assert.True(t, whole.Scanned.Whole)
	assert.EqualValues(t, 600, whole.Scanned.References)
	part, err := r.Explain(t.Context(), "http://a.test/0", ExplainOptions{Bytes: whole.Scanned.Bytes / 2})
	require.NoError(t, err)
	assert.False(t, part.Scanned.Whole)
	assert.LessOrEqual(t, part.Scanned.Bytes, whole.Scanned.Bytes/2)
	assert.Less(t, part.Seen, whole.Seen)
	assert.Equal(t, whole.Admission, part.Admission)
	soon, err := r.Explain(t.Context(), "http://a.test/0", ExplainOptions{Time: time.Nanosecond})
	require.NoError(t, err)
	assert.False(t, soon.Scanned.Whole)
}

func TestExplainRefusesWhatItCannotAnswer(t *testing.T) {
	s := memory.New()
	f := open(t, s)
	seed(t, f, "http://a.test/0")
	r := reader(t, s)
	_, err := r.Explain(t.Context(), "", ExplainOptions{})
	assert.ErrorIs(t, err, ErrNoURL)
	r.Normalizer = urlnorm.StandardExact{}
	_, err = r.Explain(t.Context(), "http://a.test/0", ExplainOptions{})
	assert.ErrorIs(t, err, ErrNormalizerChanged)
}

func TestALostLineOfAHistoryIsDamage(t *testing.T) {
	s := memory.New()
	f, err := Open(t.Context(), Config{Store: s})
	require.NoError(t, err)
	seed(t, f, "http://a.test/0")
	require.NoError(t, f.Close())
	r := reader(t, withoutLog{s})
	_, err = r.Explain(t.Context(), "http://a.test/0", ExplainOptions{})
	assert.ErrorIs(t, err, storage.ErrCorrupt)
}

// withoutLog is a store that has lost its log.
type withoutLog struct{ storage.Store }

func (w withoutLog) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	got, err := w.Store.Read(ctx, requests...)
	for i, r := range requests {
		if r.Space == spaceLog && err == nil {
			got[i] = storage.ReadResult{}
		}
	}
	return got, err
}
