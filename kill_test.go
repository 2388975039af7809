//go:build unix

package weir_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/dir"
)

// soaking reports whether tests do all of their work.
func soaking() bool { return os.Getenv("WEIR_SOAK") != "" }

// tenth is n in a soak, and a tenth of it otherwise.
func tenth(n int) int {
	if soaking() {
		return n
	}
	return n / 10
}

// dice are thrown from a seed that the log names, and WEIR_SEED repeats.
func dice(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	if s := os.Getenv("WEIR_SEED"); s != "" {
		_, err := fmt.Sscan(s, &seed)
		require.NoError(t, err, "WEIR_SEED")
	}
	t.Logf("WEIR_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// anyMoment is a death from outside, at a moment that is nobody's choice.
const anyMoment = ""

func TestACrawlSurvivesEveryKill(t *testing.T) {
	if died(t) {
		return
	}
	roll := dice(t)
	var deaths []string // that are still to be died
	for len(deaths) < tenth(200) {
		deaths = append(deaths, slices.Sorted(maps.Keys(boundaries))...)
		deaths = append(deaths, slices.Repeat([]string{anyMoment}, 8)...)
	}
	roll.Shuffle(len(deaths), func(i, j int) { deaths[i], deaths[j] = deaths[j], deaths[i] })
	budgets := []weir.Budget{{}, {URLs: 150}} // one that all URLs fit in, and one that they do not
	total := len(deaths)
	for lives := 0; len(deaths) > 0; lives++ {
		require.Less(t, lives, total, "runs end before their processes are killed")
		l := newLife(t, roll, "", budgets[lives%len(budgets)])
		now := min(len(deaths), 12)
		left, err := l.live(deaths[:now])
		require.NoError(t, err, "life %d", lives)
		require.NoError(t, l.end(time.Minute), "life %d", lives)
		deaths = append(left, deaths[now:]...)
		t.Logf("life %d: %d kills, %d leases in flight, %d requests repeated", lives, l.kills, l.inFlight, l.repeated)
	}
}

// Without each mechanism the same proof fails.
func TestEachMechanismIsNeededToSurviveAKill(t *testing.T) {
	if died(t) {
		return
	}
	for _, c := range []struct {
		parts  string
		broken []error // promises
	}{
		{"leases in memory only", []error{errStore, errLost}},
		{"commit before sync", []error{errArtifact}},
		{"acknowledge before commit", []error{errForgotten, errRepeated}},
	} {
		t.Run(c.parts, func(t *testing.T) {
			l := newLife(t, dice(t), c.parts, weir.Budget{})
			_, found := l.live([]string{anyMoment, anyMoment, anyMoment, anyMoment})
			found = errors.Join(found, l.end(5*time.Second))
			for _, promise := range c.broken {
				assert.ErrorIs(t, found, promise)
			}
		})
	}
}

func TestAnotherStoreSurvivesKillsToo(t *testing.T) {
	if died(t) {
		return
	}
	l := newLife(t, dice(t), "journal", weir.Budget{})
	_, err := l.live([]string{anyMoment, anyMoment, anyMoment, anyMoment})
	require.NoError(t, err)
	require.NoError(t, l.end(time.Minute))
	require.NotZero(t, l.kills)
}

// partsOf opens the store and the sink of a victim. All but the first two lack
// one mechanism.
var partsOf = map[string]func(path string) (storage.Store, storage.ArtifactSink, error){
	"": durable,
	"journal": func(path string) (storage.Store, storage.ArtifactSink, error) {
		return journaled(path, 1)
	},
	"leases in memory only": func(path string) (storage.Store, storage.ArtifactSink, error) {
		store, sink, err := durable(path)
		return forgetful{store}, sink, err
	},
	"commit before sync": func(path string) (storage.Store, storage.ArtifactSink, error) {
		store, sink, err := durable(path)
		return store, unsynced{sink}, err
	},
	"acknowledge before commit": func(path string) (storage.Store, storage.ArtifactSink, error) {
		return journaled(path, 32)
	},
}

func durable(path string) (storage.Store, storage.ArtifactSink, error) {
	store, err := bolt.Open(bolt.Config{Path: path + "/frontier.db"})
	if err != nil {
		return nil, nil, err
	}
	sink, err := dir.Open(path + "/artifacts")
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, sink, nil
}

// journaled is a store that is written to its file every so many commits: any
// number but one is a lie.
func journaled(path string, every int) (storage.Store, storage.ArtifactSink, error) {
	store, err := openOwn(path + "/journal")
	if err != nil {
		return nil, nil, err
	}
	store.every = every
	sink, err := dir.Open(path + "/artifacts")
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, sink, nil
}

// forgetful is a store that does not keep leases.
type forgetful struct{ storage.Store }

func (s forgetful) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	return s.Store.Commit(ctx, f, slices.DeleteFunc(slices.Clone(ops), func(op storage.Op) bool { return op.Space.Name == "lease" }))
}

// unsynced is a sink that says it has synced. What the directory below it has
// not synced it drops when it is opened again.
type unsynced struct{ storage.ArtifactSink }

func (unsynced) Sync(context.Context) error { return nil }

// A life is one crawl of one web, from its first process to its last.
type life struct {
	victim
	web  *fixture
	roll *rand.Rand
	test string // which the processes run

	kills    int
	inFlight int64 // leases that the processes left behind
	repeated int   // requests beyond those of a crawl that nobody kills
}

func newLife(t *testing.T, roll *rand.Rand, parts string, budget weir.Budget) *life {
	budget.Response, budget.Losses, budget.Attempts = 256<<10, 1000, 2
	l := &life{web: newFixture(t, 60), roll: roll, test: t.Name()}
	l.victim = victim{Dir: t.TempDir(), Address: l.web.address, Seeds: l.web.seeds, Budget: budget, Parts: parts}
	return l
}

// live runs one process after another, each killed at the next of deaths, and
// looks at what it has left. It returns the deaths that were not died because
// the run was over.
func (l *life) live(deaths []string) ([]string, error) {
	for i, at := range deaths {
		killed, err := l.process(at)
		if err == nil {
			err = l.look()
		}
		if err != nil || !killed {
			return deaths[i:], err
		}
	}
	return nil, nil
}

// process runs the next process of l, which is to die at a boundary or, by
// another's hand, at any moment.
func (l *life) process(at string) (killed bool, err error) {
	v, moment := l.victim, make(<-chan struct{})
	v.At = at
	switch at {
	case anyMoment:
		moment = l.web.after(10 + l.roll.Int64N(40))
	case "while the receipt is walked", "while results are exported":
		v.Stop = time.Duration(10+l.roll.IntN(200)) * time.Millisecond
		fallthrough
	default:
		v.N = 1 + l.roll.Int64N(boundaries[at])
	}
	killed, err = v.process(l.test, moment, time.Duration(l.roll.Int64N(int64(5*time.Millisecond))))
	if killed {
		l.kills++
	}
	return killed, err
}

// process runs test as the process of v, until it has ended or was killed: by
// itself, or so long after moment. It reports which.
func (v victim) process(test string, moment <-chan struct{}, after time.Duration) (killed bool, err error) {
	told, err := json.Marshal(v)
	if err != nil {
		return false, err
	}
	var said bytes.Buffer
	child := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.count=1", "-test.timeout=1m")
	child.Env = append(os.Environ(), victimVariable+"="+string(told))
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		return false, err
	}
	err = await(child, moment, after)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		return true, nil
	}
	return false, fmt.Errorf("%w: %w\n%s", errProcess, err, said.String())
}

// errProcess means that a victim ended in another way than it was told to.
var errProcess = errors.New("the process has failed")

// await waits for child, and kills it a little after moment.
func await(child *exec.Cmd, moment <-chan struct{}, after time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-moment:
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(after):
		_ = child.Process.Kill() // unless it has just ended
		return <-ended
	}
}

// end lets the crawl come to its end, and proves that nothing was lost on the
// way.
func (l *life) end(patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	receipt, err := l.crawl(ctx)
	if err != nil {
		err = fmt.Errorf("%w: the run does not end: %w\n%s", errLost, err, receipt)
	}
	return errors.Join(err, l.look(), l.account())
}
