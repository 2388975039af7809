package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/memory"
)

func TestAStatusIsSmallWhateverTheRunHoldsOfReasonsAndExamples(t *testing.T) {
	long := func(r string, n int) string { return strings.Repeat(r, n) }
	s := frontier.Summary{Run: long("\x01", 10_000), Generation: long("\x01", 10_000) + ".7", Phase: frontier.Running, Reason: frontier.Reason(long("r", 64)),
		States: map[frontier.State]int64{}, PatternRest: 1 << 60,
		Limit:    frontier.Budget{URLs: 1 << 62, Bytes: 1 << 62, Wall: 1 << 62},
		Versions: frontier.Versions{Policy: long("\x01", 999), Normalizer: long("é", 999), Weir: long("\xff", 999), Engine: long("<", 999), Robots: long("r", 999)}}
	for _, state := range frontier.States {
		s.States[state] = 1 << 62
	}
	failures, suppressed := int64(0), int64(0)
	for i := range int64(64) {
		reason := frontier.Reason(fmt.Sprintf("%02d%s", i, long("<", 62)))
		s.Ends = append(s.Ends, frontier.Tally{State: frontier.Failed, Reason: reason, Count: i + 1<<40, Example: long("\x01", 96)})
		s.Decided = append(s.Decided, frontier.Tally{Decision: frontier.LimitReached, Reason: reason, Count: i + 1<<40, Example: long("\x01", 96)})
		failures, suppressed = failures+i+1<<40, suppressed+i+1<<40
	}
	for range 8 {
		s.Patterns = append(s.Patterns, frontier.PatternTally{Pattern: long("&", 200), Reason: frontier.Reason(long("<", 64)), Count: 1 << 50, Example: long("\x01", 96)})
	}
	st := statusOf(s, Polls{Breaches: map[Breach]int64{BreachBytes: 1 << 62, BreachCursor: 1 << 62, BreachGeneration: 1 << 62, BreachRequests: 1 << 62, BreachResults: 1 << 62}})
	text, err := json.Marshal(st)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), MaxStatus)
	assert.Equal(t, failures, st.FailuresRest+counted(st.Failures), "the rest has what does not fit")
	assert.Equal(t, suppressed, st.SuppressedRest+counted(st.Suppressed))
	assert.NotEmpty(t, s.Patterns[0].Example, "the summary is not changed")
	assert.Equal(t, long("é", 100), st.Versions.Normalizer, "cut between characters")
	for _, version := range []string{st.Run, st.Generation, st.Versions.Policy, st.Versions.Weir, st.Versions.Engine, st.Versions.Robots} {
		assert.NotEmpty(t, version, "a name is cut, never dropped")
	}
}

func TestAStatusTakesTheExamplesAwayBeforeItTakesACount(t *testing.T) {
	var s frontier.Summary
	for i := range 8 {
		s.Patterns = append(s.Patterns, frontier.PatternTally{Pattern: fmt.Sprintf("http://a.test/%d/*", i), Reason: "urls", Count: 9, Example: strings.Repeat("é", 48)})
		s.Ends = append(s.Ends, frontier.Tally{State: frontier.Failed, Reason: frontier.Reason(fmt.Sprint(i)), Count: 9, Example: strings.Repeat("é", 48)})
		s.Decided = append(s.Decided, frontier.Tally{Decision: frontier.LimitReached, Reason: frontier.Reason(fmt.Sprint(i)), Count: 9, Example: strings.Repeat("é", 48)})
	}
	st := statusOf(s, Polls{})
	assert.Equal(t, []int{8, 8, 8}, []int{len(st.Failures), len(st.Suppressed), len(st.Patterns)})
	assert.Zero(t, st.FailuresRest+st.SuppressedRest+st.PatternsRest)
	assert.NotEmpty(t, st.Failures[7].Example, "that of a failure goes last")
	assert.Empty(t, st.Patterns[7].Example)
	assert.LessOrEqual(t, st.size(), MaxStatus)
}

// TestTextOfTheWebCannotForgeALine prints what a page could write into its links.
func TestTextOfTheWebCannotForgeALine(t *testing.T) {
	prints := map[string]func(text string) string{
		"status": func(text string) string {
			return statusOf(frontier.Summary{Ends: []frontier.Tally{{State: frontier.Failed, Reason: "dns", Count: 1, Example: text}}}, Polls{}).String()
		},
		"receipt": func(text string) string {
			return Receipt{Number: 1, Reasons: []frontier.Tally{{State: frontier.Failed, Reason: "dns", Count: 1, Example: text}}, Why: text}.String()
		},
	}
	for name, print := range prints {
		text := print("x\r\nverdict  complete\x1b[2J\u202e\xff")
		assert.Equal(t, strings.Count(print("x"), "\n"), strings.Count(text, "\n"), name)
		assert.Contains(t, text, `x\r\nverdict  complete\x1b[2J\u202e`+"\uFFFD\n", name)
	}
}

func counted(list []frontier.Tally) (n int64) {
	for _, t := range list {
		n += t.Count
	}
	return n
}

func TestAStatusListsTheMostFrequentFirst(t *testing.T) {
	var s frontier.Summary
	for i := range 20 {
		s.Ends = append(s.Ends, frontier.Tally{State: frontier.Failed, Reason: frontier.Reason(fmt.Sprint(i)), Count: int64(i)})
	}
	s.Ends = append(s.Ends, frontier.Tally{State: frontier.Done, Reason: "fetched", Count: 1000})
	st := statusOf(s, Polls{})
	require.Len(t, st.Failures, 8)
	assert.Equal(t, []any{frontier.Reason("19"), frontier.Reason("12")}, []any{st.Failures[0].Reason, st.Failures[7].Reason})
	assert.Equal(t, int64(11*12/2), st.FailuresRest)
}

// crawling opens a frontier without pauses.
func crawling(t *testing.T, s storage.Store) *frontier.Frontier {
	f, err := frontier.Open(t.Context(), frontier.Config{Store: s, Policy: frontier.Policy{Delay: -1, Concurrency: 1 << 20},
		Budget: frontier.Budget{URLs: 1 << 20, Pattern: 1 << 20, Origins: 100}})
	require.NoError(t, err)
	return f
}

// grow has n URLs end well, from many goroutines.
func grow(t *testing.T, f *frontier.Frontier, from, n, workers int) {
	var refs []frontier.Reference
	for i := range n {
		refs = append(refs, frontier.Reference{Observed: fmt.Sprintf("http://a.test/%d", from+i)})
	}
	_, err := f.Enqueue(t.Context(), frontier.Seed, refs...)
	require.NoError(t, err)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for done := 0; done < n/workers; {
				leases, err := f.Lease(context.Background(), min(16, n/workers-done))
				if !assert.NoError(t, err) {
					return
				}
				for _, l := range leases {
					_, err := f.Complete(context.Background(), l.Fetched(frontier.Evidence{Status: 200, Bytes: 1}))
					assert.NoError(t, err)
				}
				done += len(leases)
			}
		})
	}
	working.Wait()
}

// TestAPollCostsTheSameWhateverTheRunHolds polls while 64 workers append.
func TestAPollCostsTheSameWhateverTheRunHolds(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) storage.Store{
		"memory": func(*testing.T) storage.Store { return memory.New() },
		"bolt": func(t *testing.T) storage.Store {
			s, err := bolt.Open(bolt.Config{Path: filepath.Join(t.TempDir(), "db")})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			f := crawling(t, s)
			defer func() { assert.NoError(t, f.Close()) }()
			var alerts, all []Poll
			w, err := NewWatch(t.Context(), s, "", func(p Poll) { alerts = append(alerts, p) })
			require.NoError(t, err)
			most := int64(0)
			poll := func() Status {
				before := w.Polls()
				st, err := w.Status(t.Context())
				require.NoError(t, err)
				after := w.Polls()
				all = append(all, Poll{Reads: after.Reads - before.Reads, Rows: after.Rows})
				most = max(most, after.Bytes-before.Bytes)
				return st
			}
			done := make(chan struct{})
			go func() { defer close(done); grow(t, f, 0, 64*8, 64) }()
			for range 100 {
				poll()
			}
			<-done
			first := poll()
			assert.EqualValues(t, 64*8, first.Results)
			grow(t, f, 1<<16, 64*8, 64)
			assert.EqualValues(t, 2*64*8, poll().Results)
			for _, p := range all {
				assert.Equal(t, Poll{Reads: 1}, p)
			}
			assert.Empty(t, alerts)
			assert.Less(t, most, int64(4096), "bytes of a poll")
			assert.Empty(t, w.Polls().Faults())
			assert.EqualValues(t, 102, w.Polls().Count)
			assert.Contains(t, poll().String(), "done")
		})
	}
}

// TestEachBoundOfObservationIsAlerted has a wrong poller for each.
func TestEachBoundOfObservationIsAlerted(t *testing.T) {
	store := memory.New()
	f := crawling(t, store)
	grow(t, f, 0, 10, 1)
	defer func() { assert.NoError(t, f.Close()) }()
	reader, err := frontier.NewReader(t.Context(), Metered(store), "")
	require.NoError(t, err)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
	}))
	defer service.Close()
	client := &http.Client{Transport: MeteredTransport(nil, "next")}
	get := func(ctx context.Context, url string) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		require.NoError(t, err)
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	g, err := f.Freeze(t.Context())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		poll func(ctx context.Context) (Observation, error)
		want []Breach
	}{
		"right": {func(ctx context.Context) (Observation, error) {
			s, err := reader.Summary(ctx)
			return Observation{Phase: s.Phase}, err
		}, nil},
		"two reads": {func(ctx context.Context) (Observation, error) {
			_, _ = reader.Summary(ctx)
			_, err := reader.Summary(ctx)
			return Observation{}, err
		}, []Breach{BreachRequests}},
		"walks results": {func(ctx context.Context) (Observation, error) {
			for _, err := range reader.Results(ctx, 0) {
				if err != nil {
					return Observation{}, err
				}
			}
			return Observation{}, nil
		}, []Breach{BreachResults}},
		"a large answer": {func(ctx context.Context) (Observation, error) {
			return Observation{Size: MaxStatus + 1}, nil
		}, []Breach{BreachBytes}},
		"much is read": {func(ctx context.Context) (Observation, error) {
			return Observation{}, get(ctx, service.URL)
		}, []Breach{BreachBytes}},
		"no generation": {func(ctx context.Context) (Observation, error) {
			return Observation{Results: 3, Explicit: true}, nil
		}, []Breach{BreachGeneration}},
		"results that were asked for": {func(ctx context.Context) (Observation, error) {
			return Observation{Results: 3, Explicit: true, Generation: "main.1"}, nil
		}, nil},
		"walks pages": {func(ctx context.Context) (Observation, error) {
			p, err := At(reader, g).Page(ctx, PageRequest{Records: 1})
			if err == nil {
				p, err = At(reader, g).Page(ctx, PageRequest{Records: 1, After: p.Next})
			}
			return Observation{Results: len(p.Results), Generation: p.Generation}, err
		}, []Breach{BreachCursor, BreachResults, BreachRequests}},
		"a page that nobody asked for": {func(ctx context.Context) (Observation, error) {
			p, err := At(reader, g).Page(ctx, PageRequest{Records: 1})
			return Observation{Results: len(p.Results), Generation: p.Generation}, err
		}, []Breach{BreachResults}},
		"one page that was asked for": {func(ctx context.Context) (Observation, error) {
			p, err := At(reader, g).Page(ctx, PageRequest{Records: 1})
			return Observation{Results: len(p.Results), Generation: p.Generation, Explicit: true}, err
		}, nil},
		"follows a cursor": {func(ctx context.Context) (Observation, error) {
			return Observation{}, get(ctx, service.URL+"?next=2")
		}, []Breach{BreachCursor, BreachBytes}},
	} {
		t.Run(name, func(t *testing.T) {
			var alerts []Poll
			o := &Observer{Poll: c.poll, Trace: func(p Poll) { alerts = append(alerts, p) }}
			p, err := o.Observe(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.want, p.Breaches)
			if c.want == nil {
				assert.Empty(t, alerts)
				assert.Empty(t, o.Polls().Faults())
				return
			}
			assert.Equal(t, []Poll{p}, alerts)
			assert.Len(t, o.Polls().Faults(), len(c.want))
		})
	}
}

func TestPollsSideBySideAreCountedApart(t *testing.T) {
	store := memory.New()
	f := crawling(t, store)
	grow(t, f, 0, 10, 1)
	defer func() { assert.NoError(t, f.Close()) }()
	w, err := NewWatch(t.Context(), store, "", func(p Poll) { t.Errorf("%+v", p) })
	require.NoError(t, err)
	var polling sync.WaitGroup
	for range 16 {
		polling.Go(func() {
			for range 20 {
				_, err := w.Status(t.Context())
				assert.NoError(t, err)
			}
		})
	}
	polling.Wait()
	assert.EqualValues(t, 320, w.Polls().Reads)
}

func TestAPollThatFailsIsCounted(t *testing.T) {
	o := &Observer{Poll: func(context.Context) (Observation, error) { return Observation{}, io.ErrUnexpectedEOF }, Trace: func(Poll) {}, All: true}
	p, err := o.Observe(t.Context())
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, io.ErrUnexpectedEOF.Error(), p.Error)
	assert.EqualValues(t, 1, o.Polls().Failed)
}

// BenchmarkStatus polls runs of a growing number of results.
func BenchmarkStatus(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("results=%d", n), func(b *testing.B) {
			s, err := bolt.Open(bolt.Config{Path: filepath.Join(b.TempDir(), "db")})
			require.NoError(b, err)
			defer s.Close()
			fill(b, s, n)
			w, err := NewWatch(b.Context(), s, "", nil)
			require.NoError(b, err)
			for b.Loop() {
				if _, err := w.Status(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			p := w.Polls()
			b.ReportMetric(float64(p.Bytes)/float64(p.Count), "B-read/poll")
			b.ReportMetric(float64(p.Reads)/float64(p.Count), "reads/poll")
			b.ReportMetric(float64(p.Rows), "result-rows")
		})
	}
}

// fill crawls n URLs of one origin.
func fill(b *testing.B, s storage.Store, n int) {
	f, err := frontier.Open(b.Context(), frontier.Config{Store: s, Policy: frontier.Policy{Delay: -1, Concurrency: 1 << 20},
		Budget: frontier.Budget{URLs: 2 << 20, Pattern: 2 << 20, References: 1 << 20, Wall: time.Hour}})
	require.NoError(b, err)
	for from := 0; from < n; from += 10_000 {
		refs := make([]frontier.Reference, min(10_000, n-from))
		for i := range refs {
			refs[i].Observed = fmt.Sprintf("http://a.test/%d", from+i)
		}
		_, err := f.Enqueue(b.Context(), frontier.Seed, refs...)
		require.NoError(b, err)
	}
	var working sync.WaitGroup
	for range 64 {
		working.Go(func() {
			for {
				leases, err := f.Lease(context.Background(), 100)
				if err != nil {
					return
				}
				var settling sync.WaitGroup
				for _, l := range leases {
					settling.Go(func() { _, _ = f.Complete(context.Background(), l.Fetched(frontier.Evidence{Status: 200, Bytes: 1})) })
				}
				settling.Wait()
			}
		})
	}
	working.Wait()
	require.NoError(b, f.Close())
}
