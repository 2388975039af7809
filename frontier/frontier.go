package frontier

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// Frontier owns the URLs of one run: it alone decides who may fetch what, when,
// and whose answer counts. It is safe for concurrent use; one writer takes all
// decisions, in groups, each group one commit.
type Frontier struct {
	cfg      Config
	keys     keys
	calls    chan *call
	poked    chan struct{}
	closed   chan struct{} // Close was called
	ended    chan struct{} // the writer has returned
	gone     chan struct{} // the fence was given up
	once     sync.Once
	leaving  atomic.Bool // a Close gives it up
	limit    atomic.Pointer[Budget]
	scope    atomic.Pointer[scoped]
	last     atomic.Pointer[[]byte]  // the head as it was committed
	oldest   atomic.Int64            // when the oldest call that waits was made; 0: none waits
	overlay  atomic.Pointer[overlay] // what operators have set; nil: nothing
	attended bool                    // opened for an operator alone: nothing is leased

	started time.Time // with the monotonic clock
	base    int64     // microseconds of started

	mu   sync.Mutex
	live map[LeaseID]*live
	sent []LeaseID // requests that the writer has not heard of
	dead error     // why nothing more can be done; nil: it can

	// The writer's alone.
	fence       storage.Fence
	acked       uint64 // sequence of the last commit that was acknowledged
	earlier     *head  // the run to be rekeyed, in Rekey
	rekey       *rekeying
	book        book
	head        *head
	frozen      []byte // row of the newest generation; nil: there is none, or it was not read yet
	rows        map[place]*urlRow
	origins     map[uint64]*origin
	ids         identities
	cardinality cardinality
	wakes       wakes
	sites       sites
	horizon     int64  // wake rows up to here are in the heap
	wakeFrom    []byte // the next wake row to read
	againDue    int64
	rowsLeft    map[uint64]int // leases not settled, by lease row
	short       map[uint64]bool
	throttled   map[uint64]bool
	paused      map[uint64]bool // origins that are out of the heap until lookAt
	lookAt      int64
	hosts       map[string]bool // that seeds have brought into the scope; read under mu elsewhere
	waiters     []*waiter
	activeSince int64
	room        []byte // for pack
	forms       maphash.Seed
	heartbeat   int64
}

// book is the partition's header: it is kept in the fence.
type book struct {
	latest uint32 // number of the newest run
	active uint32 // number of the unfinished run; 0: none
	writer uint64 // generation of the fence under which it was written
}

const (
	fenceName = "p/0000"
	fenceTTL  = 20 * time.Second
	beat      = int64(10e6) // an idle run commits this often
)

// Open begins a run, or goes on with the unfinished one, and owns it until
// Close. Leases of an earlier incarnation go back to the queue. It returns every
// fault in cfg at once; storage.ErrHeld if another owner has the partition;
// ErrRunActive, ErrRunFinished.
func Open(ctx context.Context, cfg Config) (*Frontier, error) {
	given := cfg.Budget
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("frontier: config: %w", err)
	}
	f := newFrontier(cfg.withDefaults())
	if err := f.open(ctx, given); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenAttended opens the newest run, or the one that cfg.Run names, for its Admin
// alone: it stays as it is, or stopped where its process was killed, nothing is
// leased, and what an Admin offers or reopens waits for the run to go on. It returns
// ErrNoRun, ErrRunFinished for a run that has been followed by another, and what Open
// returns.
func OpenAttended(ctx context.Context, cfg Config) (*Frontier, error) {
	cfg.Budget, cfg.Scope = Budget{}, Scope{}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("frontier: config: %w", err)
	}
	f := newFrontier(cfg.withDefaults())
	f.attended = true
	if err := f.open(ctx, Budget{}); err != nil {
		return nil, err
	}
	return f, nil
}

func newFrontier(cfg Config) *Frontier {
	f := &Frontier{cfg: cfg, calls: make(chan *call, 1024), poked: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{}), gone: make(chan struct{}),
		started: time.Now(), live: map[LeaseID]*live{}, throttled: map[uint64]bool{}, forms: maphash.MakeSeed()}
	f.base = f.started.UnixMicro()
	f.heartbeat = f.base
	return f
}

// open claims the partition, opens the run and starts the writer.
func (f *Frontier) open(ctx context.Context, given Budget) error {
	if err := f.claim(ctx, owner()); err != nil {
		return err
	}
	if err := f.openRun(ctx, given); err != nil {
		return errors.Join(err, f.giveUp())
	}
	go f.write()
	return nil
}

// owner is a name that no other incarnation has.
func owner() string { return "weir-" + rand.Text() }

// claim takes the partition's fence under the name owner.
func (f *Frontier) claim(ctx context.Context, owner string) error {
	fence, err := f.cfg.Store.Claim(ctx, storage.Fence{Name: fenceName, Owner: owner, TTL: fenceTTL})
	if errors.Is(err, storage.ErrHeld) {
		return fmt.Errorf("frontier: claim: %w: %s holds it for %s more; stop that process or wait", err, fence.Owner, fence.TTL)
	}
	if err != nil {
		return fmt.Errorf("frontier: claim: %w", err)
	}
	fence.TTL = fenceTTL
	f.fence = fence
	if fence.Sequence > 0 && len(fence.Value) == 0 {
		return damaged(storage.Space{Name: "fence"}, errors.New("its header is empty")) // empty is damage, never new
	}
	f.book, err = decodeBook(fence.Value)
	return err
}

func (b book) encode() []byte {
	w := codec.NewWriter(rowVersion, nil)
	w.Uint(uint64(b.latest))
	w.Uint(uint64(b.active))
	w.Uint(b.writer)
	return w.Seal()
}

func decodeBook(v []byte) (book, error) {
	if len(v) == 0 {
		return book{}, nil
	}
	r := codec.NewReader(v, rowVersion)
	b := book{latest: uint32(r.Uint()), active: uint32(r.Uint()), writer: r.Uint()}
	if err := r.Close(); err != nil {
		return book{}, fmt.Errorf("fence: %w: %w", storage.ErrCorrupt, err)
	}
	return b, nil
}

// giveUp frees the fence, for a successor that need not wait.
func (f *Frontier) giveUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := f.cfg.Store.Claim(ctx, storage.Fence{Name: fenceName, Owner: f.fence.Owner})
	return err
}

// now is the frontier's clock: UTC at Open, and monotonic from there.
func (f *Frontier) now() int64 { return f.base + time.Since(f.started).Microseconds() }

// micros puts a time on the frontier's clock.
func (f *Frontier) micros(t time.Time) int64 { return f.base + t.Sub(f.started).Microseconds() }

// time is the reverse of micros.
func (f *Frontier) time(at int64) time.Time {
	return f.started.Add(time.Duration(at-f.base) * time.Microsecond)
}

func micros(d int64) time.Duration { return time.Duration(d) * time.Microsecond }

// plausible bounds a stored time: what lies farther away than anything decided
// now could, was stored by an earlier incarnation whose clock was wrong, and
// counts from Open.
func (f *Frontier) plausible(at, longest int64) int64 {
	if longest = max(longest, longestWait); at > f.now()+longest {
		return f.base + longest
	}
	return at
}

// longestWait is the longest that a URL or an origin ever waits, unless an
// operator's delay is longer.
const longestWait = int64(time.Hour / time.Microsecond)

// Config returns the configuration in force, with its defaults.
func (f *Frontier) Config() Config { return f.cfg }

// Summary is the state of the run after its last commit. It reads memory only.
func (f *Frontier) Summary() Summary {
	h, err := decodeHead(*f.last.Load())
	if err != nil {
		panic("frontier: own head: " + err.Error()) // this package has just encoded it
	}
	return h.summary()
}

func beUint64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
func beUint32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
