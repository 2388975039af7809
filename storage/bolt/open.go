package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/weircrawl/weir/storage"
)

// Config says which file a Store is. Only Path is required.
type Config struct {
	Path string        // the file; its directory must exist. Path+".lock" is its lock
	Wait time.Duration // for the lock; default 5 seconds, negative not at all
}

const defaultWait = 5 * time.Second

// Open opens the store at cfg.Path, or makes a new one where there is no file.
//
// A store that another process, or another handle of this one, still has open
// after cfg.Wait is storage.ErrLocked, and the error names the holder. A file
// that is damaged, empty or cut short is storage.ErrCorrupt, one of another
// version, or of another program, storage.ErrVersion; neither is changed. A
// directory on a network is refused with ErrNetwork.
func Open(cfg Config) (*Store, error) {
	s, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("bolt: open %s: %w", cfg.Path, noSpace(err))
	}
	return s, nil
}

func open(cfg Config) (*Store, error) {
	path, err := resolve(cfg.Path)
	if err != nil {
		return nil, err
	}
	if err := local(filepath.Dir(path)); err != nil {
		return nil, err
	}
	wait := cfg.Wait
	if wait == 0 {
		wait = defaultWait
	}
	held, err := acquire(path+".lock", wait)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, lock: held, turn: make(chan struct{}, 1), commit: (*bbolt.Tx).Commit}
	if err := s.load(); err != nil {
		held.release()
		return nil, err
	}
	return s, nil
}

// resolve follows links, so that one file has one lock whatever it is called.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("no path: set Config.Path to the file of the store")
	}
	whole, err := filepath.EvalSymlinks(path)
	if err == nil {
		return filepath.Abs(whole)
	}
	if _, statErr := os.Lstat(path); statErr == nil || !errors.Is(err, fs.ErrNotExist) {
		return "", err // a link to nowhere is not a new store
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(dir, filepath.Base(path)))
}

// load opens the file of s, made new if there is none, and reads its fences.
func (s *Store) load() error {
	if _, err := os.Lstat(s.path); errors.Is(err, fs.ErrNotExist) {
		if err := create(s.path); err != nil {
			return err
		}
	}
	newest, err := inspectFile(s.path)
	if err != nil {
		return err
	}
	if s.db, err = openFile(s.path, os.O_RDWR); err != nil {
		return err
	}
	s.acked.Store(int64(newest.txid))
	if err := s.look(s.loadFences); err != nil {
		return errors.Join(err, s.release())
	}
	return nil
}

// openFile opens a bbolt file that inspect has found sound. Whatever still goes
// wrong while it is mapped and its free pages are read is damage.
func openFile(path string, flag int) (db *bbolt.DB, err error) {
	options := &bbolt.Options{
		Timeout:         time.Millisecond, // one attempt: the lock beside the file is ours
		ReadOnly:        flag == os.O_RDONLY,
		PreLoadFreelist: true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMap,
	}
	err = guarded(func() error {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%w by a program that uses the file without its lock", storage.ErrLocked)
	}
	return db, err
}

// create makes an empty store at path, which appears there whole or not at all.
func create(path string) error {
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := openFile(temporary, os.O_RDWR)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(versionKey, seal(nil, versionKey, []byte(version)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return replace(temporary, path)
}

// replace renames the synced file from to to, and makes the name durable.
func replace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncDir(filepath.Dir(to))
}
