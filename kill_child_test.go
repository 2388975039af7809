//go:build unix

package weir_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
)

// A victim is one crawl, as the process is told that is to die of it. Whoever
// runs it again in the same Dir goes on with it.
type victim struct {
	Dir     string
	Address string // where every host is served
	Seeds   []string
	Budget  weir.Budget
	Parts   string // which store and sink: a key of partsOf

	At   string        // the boundary where it kills itself; empty: it is killed from outside
	N    int64         // the how manieth time it comes there
	Stop time.Duration // when its context ends; 0: never
}

// The boundaries where a victim can kill itself, each with how often it comes
// there at most before it dies.
var boundaries = map[string]int64{
	"before append": 20, "after append": 20,
	"before sync": 8, "after sync": 8,
	"before claim": 2, "after claim": 1,
	"before commit": 16, "after commit": 16,
	"before emit": 20, "after emit": 20,
	"while the receipt is walked": 1,
	"while results are exported":  1,
}

const victimVariable = "WEIR_VICTIM"

// died is what a test calls first: in the process of a victim it crawls until
// somebody kills it, or the run is over, and reports true.
func died(t *testing.T) bool {
	told := os.Getenv(victimVariable)
	if told == "" {
		return false
	}
	var v victim
	require.NoError(t, json.Unmarshal([]byte(told), &v))
	ctx := t.Context()
	if v.Stop > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, v.Stop)
		defer cancel()
	}
	_, err := v.crawl(ctx)
	if v.Stop == 0 || !errors.Is(err, context.DeadlineExceeded) {
		require.NoError(t, err)
	}
	return true
}

// crawl goes on with the run of v until it is over or ctx ends, and then exports
// its results. A run that is over already is only exported.
func (v victim) crawl(ctx context.Context) (ledger.Receipt, error) {
	d := &dying{victim: v}
	store, sink, err := partsOf[v.Parts](v.Dir)
	if err != nil {
		return ledger.Receipt{}, err
	}
	told, err := os.OpenFile(filepath.Join(v.Dir, "told"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return ledger.Receipt{}, errors.Join(err, sink.Close(), store.Close())
	}
	receipt, err := d.run(ctx, d.config(store, sink, told))
	return receipt, errors.Join(err, told.Close(), sink.Close(), store.Close())
}

func (d *dying) run(ctx context.Context, cfg weir.Config) (ledger.Receipt, error) {
	crawler, err := weir.New(cfg)
	if err != nil {
		return ledger.Receipt{}, err
	}
	d.crawler.Store(crawler)
	receipt, known, err := crawler.Last(ctx)
	if err == nil && !(known && receipt.Phase.Terminal()) {
		receipt, err = crawler.Run(ctx, d.Seeds...)
	}
	d.crawler.Store(nil)
	d.exporting.Store(true)
	return receipt, errors.Join(err, export(crawler, d.Dir), crawler.Close())
}

// dying counts how often a victim comes to its boundary.
type dying struct {
	victim
	passed    atomic.Int64
	exporting atomic.Bool
	crawler   atomic.Pointer[weir.Crawler] // nil: not running
}

// pass kills the process if this is its moment.
func (d *dying) pass(boundary string) {
	if boundary == d.At && d.passed.Add(1) == d.N {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal has come
	}
}

// reading names the boundary that a read of the store is.
func (d *dying) reading() string {
	if d.exporting.Load() {
		return "while results are exported"
	}
	if c := d.crawler.Load(); c != nil && c.Summary().Phase > frontier.Running {
		return "while the receipt is walked"
	}
	return ""
}

func (d *dying) config(store storage.Store, sink storage.ArtifactSink, told *os.File) weir.Config {
	return weir.Config{
		UserAgent: "victim/1.0", Workers: 8, Budget: d.Budget,
		Policy: frontier.Policy{Delay: -1, Concurrency: 4},
		Fetch:  fetch.Config{Dial: d.dial, Allow: loopback},
		Store: faults.NewStore(store, func(_ context.Context, p faults.StorePoint, _ int64) error {
			if p == faults.BeforeRead {
				d.pass(d.reading())
			}
			d.pass(map[faults.StorePoint]string{
				faults.BeforeClaim: "before claim", faults.AfterClaim: "after claim",
				faults.BeforeCommit: "before commit", faults.AfterCommit: "after commit"}[p])
			return nil
		}),
		Artifacts: faults.NewSink(sink, func(_ context.Context, p faults.SinkPoint, _ int64) error {
			d.pass(map[faults.SinkPoint]string{
				faults.BeforeAppend: "before append", faults.AfterAppend: "after append",
				faults.BeforeSync: "before sync", faults.AfterSync: "after sync"}[p])
			return nil
		}),
		OnPage: func(_ context.Context, p *weir.Page) error {
			d.pass("before emit")
			if odd(p.URL) && !p.Again {
				return errors.New("this page is handled the second time only")
			}
			for _, r := range recordsOf(p.URL) {
				if err := p.Emit(r.Kind, json.RawMessage(r.Data)); err != nil {
					return err
				}
			}
			d.pass("after emit")
			return nil
		},
		Trace: weir.Trace{Settled: func(c frontier.Completion, a frontier.Answer) {
			if a.Kind == frontier.Accepted {
				_, _ = fmt.Fprintln(told, c.Lease.ID) // a line that is missing proves nothing
			}
		}},
	}
}

// loopback is where the sites of these tests are.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// dial finds every host at one address.
func (v victim) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, v.Address)
}

// odd reports whether OnPage fails the first time that it sees url.
func odd(url string) bool { return strings.Contains(url, "/odd/") }

// recordsOf is what OnPage emits of a page.
func recordsOf(page string) []frontier.Record {
	text := strconv.Quote(page)
	records := []frontier.Record{{Kind: "page", Data: []byte(text)}}
	if u, err := url.Parse(page); err == nil && strings.HasSuffix(u.Path, "7") {
		records = append(records, frontier.Record{Kind: "item", Data: []byte(text)}, frontier.Record{Kind: "item", Data: []byte("7")})
	}
	return records
}

// exported is where export leaves the records.
func exported(dir string) string { return filepath.Join(dir, "pages.jsonl") }

// export writes all records, a line each, into a file that appears whole or not
// at all.
func export(crawler *weir.Crawler, dir string) error {
	reader, err := crawler.Reader(context.Background())
	if err != nil {
		return err
	}
	file, err := os.Create(exported(dir) + ".new")
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // closed below where it matters
	w := bufio.NewWriter(file)
	for result, err := range reader.Results(context.Background(), 0) {
		if err != nil {
			return err
		}
		for _, r := range result.Records {
			fmt.Fprintf(w, "%s %s\n", r.Kind, r.Data)
		}
	}
	return errors.Join(w.Flush(), file.Close(), os.Rename(file.Name(), exported(dir)))
}
