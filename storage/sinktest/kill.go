package sinktest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weircrawl/weir/storage"
)

// victimsFolder is the environment variable that makes Kill the process to be
// killed, which appends in the folder it names.
const victimsFolder = "WEIR_SINKTEST_FOLDER"

// Kill proves that a sink keeps what was synced when its process is killed. It
// starts the running test again as a child that appends, syncs and tells what it
// synced, kills it at a random moment, opens the sink, and reads all back; five
// times over, or a hundred times if WEIR_SOAK is set. It must be called by a
// test, before that test does anything else.
func Kill(t *testing.T, open func(dir string) (storage.ArtifactSink, error)) {
	t.Helper()
	if dir := os.Getenv(victimsFolder); dir != "" {
		t.Fatal(appendUntilKilled(dir, open))
	}
	rounds := 5
	if os.Getenv("WEIR_SOAK") != "" {
		rounds = 100
	}
	if err := kill(t.Name(), t.TempDir(), rounds, open); err != nil {
		t.Error(err)
	}
}

// kill kills children that run the test called name, and reads back after each.
func kill(name, dir string, rounds int, open func(dir string) (storage.ArtifactSink, error)) error {
	for round := range rounds {
		if err := killOnce(name, dir); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if err := readBack(dir, open); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// An acknowledgement is one line that the child writes after a Sync.
type acknowledgement struct {
	Number int
	Ref    storage.Ref
}

func told(dir string) string { return filepath.Join(dir, "told") }

func sinkIn(dir string) string { return filepath.Join(dir, "sink") }

// appendUntilKilled is the child. Eight callers append a few artifacts each,
// sync, and only then write them down; it returns only if something fails.
func appendUntilKilled(dir string, open func(dir string) (storage.ArtifactSink, error)) error {
	s, err := open(sinkIn(dir))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(told(dir), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	failed := make(chan error)
	var first sync.Mutex
	next := rand.IntN(1 << 30)
	for range 8 {
		go func() {
			for {
				first.Lock()
				n := next
				next += 3
				first.Unlock()
				if err := acknowledge(s, out, n, n+1, n+2); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

// acknowledge appends artifacts, syncs, and tells their references in one write.
func acknowledge(s storage.ArtifactSink, out *os.File, numbers ...int) error {
	var lines strings.Builder
	for _, n := range numbers {
		r, err := s.Append(context.Background(), exchange(n))
		if err != nil {
			return err
		}
		if err := json.NewEncoder(&lines).Encode(acknowledgement{n, r}); err != nil {
			return err
		}
	}
	if err := s.Sync(context.Background()); err != nil {
		return err
	}
	_, err := out.WriteString(lines.String())
	return err
}

// killOnce runs the child until it has told something new, and a little longer.
func killOnce(name, dir string) error {
	before := size(told(dir))
	child := exec.Command(os.Args[0], "-test.run="+exactly(name), "-test.count=1", "-test.timeout="+patience.String())
	child.Env = append(os.Environ(), victimsFolder+"="+dir)
	var said strings.Builder
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for size(told(dir)) == before {
		select {
		case err := <-ended:
			return fmt.Errorf("the child ended by itself: %w\n%s", err, said.String())
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(time.Duration(rand.Int64N(int64(20 * time.Millisecond))))
	if err := child.Process.Kill(); err != nil {
		return err
	}
	<-ended // killed: no error of its own
	return nil
}

// exactly returns the pattern of -test.run that runs one test and no other.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0 // not there yet
	}
	return info.Size()
}

// readBack opens the sink and requires every artifact that a child told.
func readBack(dir string, open func(dir string) (storage.ArtifactSink, error)) error {
	lines, err := os.Open(told(dir))
	if err != nil {
		return err
	}
	defer lines.Close()
	s, err := open(sinkIn(dir))
	if err != nil {
		return fmt.Errorf("open after the kill: %w", err)
	}
	defer s.Close()
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		var a acknowledgement
		if json.Unmarshal(scanner.Bytes(), &a) != nil {
			continue // the line that the kill has torn: nobody was told
		}
		got, err := s.Open(context.Background(), a.Ref)
		if err != nil {
			return fmt.Errorf("artifact %d was synced: %w", a.Number, err)
		}
		if text := difference(exchange(a.Number), got); text != "" {
			return fmt.Errorf("artifact %d was synced: %s", a.Number, text)
		}
	}
	return nil
}
