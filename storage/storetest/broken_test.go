package storetest_test

import (
	"context"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// broken is a store with some methods replaced.
type broken struct {
	storage.Store
	claim  func(ctx context.Context, want storage.Fence) (storage.Fence, error)
	read   func(ctx context.Context, requests []storage.ReadRequest) ([]storage.ReadResult, error)
	commit func(ctx context.Context, f storage.Fence, ops []storage.Op) error
	fences func(ctx context.Context, prefix string) ([]storage.Fence, error)
	limits func() storage.Limits
	close  func() error
}

func (b *broken) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	if b.claim != nil {
		return b.claim(ctx, want)
	}
	return b.Store.Claim(ctx, want)
}

func (b *broken) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	if b.read != nil {
		return b.read(ctx, requests)
	}
	return b.Store.Read(ctx, requests...)
}

func (b *broken) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if b.commit != nil {
		return b.commit(ctx, f, ops)
	}
	return b.Store.Commit(ctx, f, ops)
}

func (b *broken) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	if b.fences != nil {
		return b.fences(ctx, prefix)
	}
	return b.Store.Fences(ctx, prefix)
}

func (b *broken) Limits() storage.Limits {
	if b.limits != nil {
		return b.limits()
	}
	return b.Store.Limits()
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.Store.Close()
}

// What a fault changes, as functions of an open store.
type (
	claimFault  func(s *memory.Store, ctx context.Context, want storage.Fence) (storage.Fence, error)
	commitFault func(s *memory.Store, ctx context.Context, f storage.Fence, ops []storage.Op) error
	fencesFault func(list []storage.Fence) []storage.Fence
	askFault    func(r []storage.ReadRequest)
	answerFault func(r []storage.ReadRequest, results []storage.ReadResult)
)

func onClaim(check, fault string, do claimFault) control {
	return wrap(check, fault, func(s *memory.Store) storage.Store {
		return &broken{Store: s, claim: func(ctx context.Context, want storage.Fence) (storage.Fence, error) { return do(s, ctx, want) }}
	})
}

func onCommit(check, fault string, do commitFault) control {
	return wrap(check, fault, func(s *memory.Store) storage.Store {
		return &broken{Store: s, commit: func(ctx context.Context, f storage.Fence, ops []storage.Op) error { return do(s, ctx, f, ops) }}
	})
}

func onFences(check, fault string, do fencesFault) control {
	return wrap(check, fault, func(s *memory.Store) storage.Store {
		return &broken{Store: s, fences: func(ctx context.Context, prefix string) ([]storage.Fence, error) {
			list, err := s.Fences(ctx, prefix)
			return do(list), err
		}}
	})
}

// onAsk changes what is read, onAnswer what comes back.
func onAsk(check, fault string, do askFault) control {
	return wrap(check, fault, func(s *memory.Store) storage.Store {
		return &broken{Store: s, read: func(ctx context.Context, r []storage.ReadRequest) ([]storage.ReadResult, error) {
			r = append([]storage.ReadRequest{}, r...)
			do(r)
			return s.Read(ctx, r...)
		}}
	})
}

func onAnswer(check, fault string, do answerFault) control {
	return wrap(check, fault, func(s *memory.Store) storage.Store {
		return &broken{Store: s, read: func(ctx context.Context, r []storage.ReadRequest) ([]storage.ReadResult, error) {
			results, err := s.Read(ctx, r...)
			do(r, results)
			return results, err
		}}
	})
}

// fenceOf returns a fence as it is.
func fenceOf(s storage.Store, name string) storage.Fence {
	list, err := s.Fences(ctx, name)
	if err == nil && len(list) > 0 && list[0].Name == name {
		return list[0]
	}
	return storage.Fence{}
}

// force commits ops whatever the fence says.
func force(s storage.Store, f storage.Fence, ops []storage.Op) error {
	now := fenceOf(s, f.Name)
	f.Generation, f.Sequence = now.Generation, now.Sequence+1
	return s.Commit(ctx, f, ops)
}
