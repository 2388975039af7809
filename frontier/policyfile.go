package frontier

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// A PolicyFile is a PolicySource that reads a PolicyTable from a file, and follows
// it: a version that is good is in force from the next decision on, and one that is
// not is rejected whole, while the one before stays in force. Write a new version
// under another name and rename it into place; one that is seen half written is
// rejected as long as it is no whole table.
//
// The version that decisions record is the one that the file declares and a digest
// of its bytes. It is safe for concurrent use.
type PolicyFile struct {
	path  string
	cfg   PolicyFileConfig
	table atomic.Pointer[PolicyTable] // in force
	once  sync.Once
	close chan struct{}
	ended chan struct{}

	mu     sync.Mutex
	status PolicyFileStatus
	seen   string // what the last look found: a digest, or why there is none
}

// PolicyFileConfig says how a file is followed; a zero field means its default.
type PolicyFileConfig struct {
	Every time.Duration // from one look at the file to the next; default 10 s, at least 100 ms
	Log   *slog.Logger  // told of each new version, and of each that is rejected; default silent
}

// PolicyFileStatus is how a PolicyFile stands.
type PolicyFileStatus struct {
	Path     string    `json:"path"`
	Version  string    `json:"version"`         // in force
	Since    time.Time `json:"since"`           // in force since then
	Loaded   int64     `json:"loaded"`          // versions that have been in force
	Rejected int64     `json:"rejected"`        // versions that were not good
	Fault    string    `json:"fault,omitempty"` // of what is in the file now; empty: it is in force
}

const (
	maxPolicyFile = 8 * mib
	minEvery      = 100 * time.Millisecond
)

// OpenPolicyFile reads the file at path, which must hold a good PolicyTable as
// JSON, and follows it until Close.
func OpenPolicyFile(path string, cfg PolicyFileConfig) (*PolicyFile, error) {
	set(&cfg.Every, 10*time.Second)
	if cfg.Every < minEvery {
		return nil, fmt.Errorf("policy file: Every is %v; %v is the least", cfg.Every, minEvery)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &PolicyFile{path: path, cfg: cfg, close: make(chan struct{}), ended: make(chan struct{})}
	p.status.Path = path
	if err := p.Reload(); err != nil {
		return nil, err
	}
	go p.follow()
	return p, nil
}

// Policy returns what the version in force says of o. It reads memory only.
func (p *PolicyFile) Policy(o urlnorm.Origin) Policy { return p.table.Load().Policy(o) }

// Status says which version is in force, and what is wrong with the file.
func (p *PolicyFile) Status() PolicyFileStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Err is what is wrong with what is in the file now, or nil if that is in force.
func (p *PolicyFile) Err() error {
	if s := p.Status(); s.Fault != "" {
		return errors.New(s.Fault)
	}
	return nil
}

// Close stops following the file; the version in force stays. Closing twice is no
// error.
func (p *PolicyFile) Close() error {
	p.once.Do(func() { close(p.close) })
	<-p.ended
	return nil
}

func (p *PolicyFile) follow() {
	defer close(p.ended)
	look := time.NewTicker(p.cfg.Every)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			_ = p.Reload() // Err and the log tell
		case <-p.close:
			return
		}
	}
}

// Reload looks at the file at once. It returns why what it holds was rejected.
func (p *PolicyFile) Reload() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, digest, err := readPolicyFile(p.path)
	found := digest
	if err != nil {
		found = err.Error()
	}
	if found == p.seen {
		return p.fault()
	}
	p.seen = found
	var table PolicyTable
	if err == nil {
		table, err = parsePolicyFile(text)
	}
	if err != nil {
		p.reject(fmt.Errorf("policy file %s: %w", p.path, err))
		return p.fault()
	}
	p.take(table, digest)
	return nil
}

// fault is the fault of what is in the file.
func (p *PolicyFile) fault() error {
	if p.status.Fault == "" {
		return nil
	}
	return errors.New(p.status.Fault)
}

// reject keeps the version in force.
func (p *PolicyFile) reject(why error) {
	p.status.Rejected++
	p.status.Fault = clipText(why.Error(), 4*kib)
	p.cfg.Log.Error("policy file rejected", "path", p.path, "fault", p.status.Fault, "in_force", p.status.Version)
}

// take puts a table in force, unless it is already.
func (p *PolicyFile) take(table PolicyTable, digest string) {
	p.status.Fault = ""
	suffix := "@" + digest[:16]
	table.Version = clipText(table.Version, maxReason-len(suffix)) + suffix
	if table.Version == p.status.Version {
		return
	}
	p.table.Store(&table)
	p.status.Version, p.status.Since = table.Version, time.Now()
	p.status.Loaded++
	p.cfg.Log.Info("policy file in force", "path", p.path, "version", table.Version)
}

// readPolicyFile reads a bounded file, and names its contents.
func readPolicyFile(path string) (text []byte, digest string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if !info.Mode().IsRegular() {
		return nil, "", errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close() // read only: nothing to lose
	text, err = io.ReadAll(io.LimitReader(file, maxPolicyFile+1))
	if err != nil {
		return nil, "", err
	}
	if len(text) > maxPolicyFile {
		return nil, "", fmt.Errorf("it has more than %d bytes", maxPolicyFile)
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:]), nil
}

func parsePolicyFile(text []byte) (PolicyTable, error) {
	var table PolicyTable
	if err := json.Unmarshal(text, &table); err != nil {
		return table, err
	}
	return table, table.Validate()
}
