// Package faults answers: what happens if a store or a sink fails right here?
//
// A [Sink] and a [Store] wrap a real one. A point is a boundary of one of its
// methods, before or after the work. At each point the wrapper calls the test's
// function, which may return an error, wait, or end the process, by count or by
// whatever else it looks at. What happens in between is the real thing's: nothing
// is imitated.
//
// It guarantees that an error before a call keeps the call from being made, that
// an error after it leaves the effect in place, and that a wrapper without faults
// behaves as what it wraps. Which faults matter is left to the tests.
package faults

import (
	"context"
	"sync/atomic"

	"github.com/weircrawl/weir/storage"
)

// A SinkPoint is a boundary of a call to an artifact sink.
type SinkPoint int

const (
	BeforeAppend SinkPoint = iota // nothing is written yet
	AfterAppend                   // written, the caller does not know it yet
	BeforeSync
	AfterSync // durable, the caller does not know it yet
	BeforeOpen
	AfterOpen
	sinkPoints int = iota
)

// A Sink is an artifact sink whose calls may fail, wait, or end the process at
// their boundaries.
type Sink struct {
	storage.ArtifactSink

	at     func(ctx context.Context, p SinkPoint, n int64) error
	passed [sinkPoints]atomic.Int64
}

// NewSink wraps s. At every boundary p it calls at, with n = 1 for the first
// time; at may block, never return, or return an error. An error before a call
// is answered instead of making it; an error after a call is answered although
// it took effect, and with it nothing else that the call returned. A call that
// fails by itself has no boundary after it. Close has none.
func NewSink(s storage.ArtifactSink, at func(ctx context.Context, p SinkPoint, n int64) error) *Sink {
	return &Sink{ArtifactSink: s, at: at}
}

// NthSink returns a function for NewSink that calls do at p the n-th time, and
// does nothing at all other times.
func NthSink(p SinkPoint, n int64, do func(context.Context) error) func(context.Context, SinkPoint, int64) error {
	return when(p, func(passed int64) bool { return passed == n }, do)
}

// FromNthSink is NthSink for the n-th time and all later ones.
func FromNthSink(p SinkPoint, n int64, do func(context.Context) error) func(context.Context, SinkPoint, int64) error {
	return when(p, func(passed int64) bool { return passed >= n }, do)
}

// when calls do at p, the times that hit says.
func when[P comparable](p P, hit func(passed int64) bool, do func(context.Context) error) func(context.Context, P, int64) error {
	return func(ctx context.Context, at P, passed int64) error {
		if at == p && hit(passed) {
			return do(ctx)
		}
		return nil
	}
}

func (s *Sink) pass(ctx context.Context, p SinkPoint) error {
	return s.at(ctx, p, s.passed[p].Add(1))
}

// Append implements storage.ArtifactSink.
func (s *Sink) Append(ctx context.Context, a storage.Artifact) (r storage.Ref, err error) {
	err = s.around(ctx, BeforeAppend, AfterAppend, func() error {
		r, err = s.ArtifactSink.Append(ctx, a)
		return err
	})
	if err != nil {
		return storage.Ref{}, err
	}
	return r, nil
}

// Sync implements storage.ArtifactSink.
func (s *Sink) Sync(ctx context.Context) error {
	return s.around(ctx, BeforeSync, AfterSync, func() error { return s.ArtifactSink.Sync(ctx) })
}

// Open implements storage.ArtifactSink.
func (s *Sink) Open(ctx context.Context, r storage.Ref) (a storage.Artifact, err error) {
	err = s.around(ctx, BeforeOpen, AfterOpen, func() error {
		a, err = s.ArtifactSink.Open(ctx, r)
		return err
	})
	if err != nil {
		return storage.Artifact{}, err
	}
	return a, nil
}

func (s *Sink) around(ctx context.Context, before, after SinkPoint, call func() error) error {
	if err := s.pass(ctx, before); err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	return s.pass(ctx, after)
}
