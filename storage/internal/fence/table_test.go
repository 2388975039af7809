package fence_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/internal/fence"
)

// A model is the slow, obvious table: one struct a fence, searched from the start.
type model struct {
	fences []storage.Fence
	until  []time.Time
}

func (m *model) find(name string) int {
	return slices.IndexFunc(m.fences, func(f storage.Fence) bool { return f.Name == name })
}

// TestTableIsTheObviousOne runs random histories on a clock that only the test
// moves, and compares every answer with the model's.
func TestTableIsTheObviousOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var (
			table fence.Table
			m     model
			now   = time.Unix(1_700_000_000, 0)
			names = rapid.SampledFrom([]string{"p/1", "p/2", "q"})
			owner = rapid.SampledFrom([]string{"a", "b"})
			ttl   = rapid.SampledFrom([]time.Duration{-1, 0, 1, 5})
			small = rapid.Uint64Range(0, 3)
		)
		t.Repeat(map[string]func(*rapid.T){
			"time passes": func(t *rapid.T) { now = now.Add(rapid.SampledFrom([]time.Duration{1, 2, 5}).Draw(t, "time")) },
			"claim": func(t *rapid.T) {
				want := storage.Fence{Name: names.Draw(t, "name"), Owner: owner.Draw(t, "owner"), TTL: ttl.Draw(t, "ttl")}
				f, err := table.Claim(want, now)
				i := m.find(want.Name)
				if i >= 0 && m.until[i].After(now) && m.fences[i].Owner != want.Owner {
					require.ErrorIs(t, err, storage.ErrHeld)
					require.Equal(t, m.fences[i].Owner, f.Owner)
					require.Equal(t, m.until[i].Sub(now), f.TTL)
					return
				}
				require.NoError(t, err)
				if i < 0 {
					i = len(m.fences)
					m.fences, m.until = append(m.fences, storage.Fence{Name: want.Name}), append(m.until, now)
				}
				m.fences[i].Owner = want.Owner
				m.fences[i].Generation++
				m.until[i] = now.Add(max(want.TTL, 0))
				require.Equal(t, m.fences[i].Generation, f.Generation)
				require.Equal(t, m.fences[i].Sequence, f.Sequence)
				table.Set(f, now)
			},
			"commit": func(t *rapid.T) {
				f := storage.Fence{Name: names.Draw(t, "name"), Generation: small.Draw(t, "generation"), Sequence: small.Draw(t, "sequence"), TTL: ttl.Draw(t, "ttl")}
				f.Value = fmt.Append(nil, f.Sequence)
				next, err := table.Commit(f, now)
				i := m.find(f.Name)
				if i < 0 || f.Generation != m.fences[i].Generation || f.Sequence != m.fences[i].Sequence+1 {
					require.ErrorIs(t, err, storage.ErrFenced)
					return
				}
				require.NoError(t, err)
				m.fences[i].Sequence, m.fences[i].Value = f.Sequence, f.Value
				m.until[i] = now.Add(max(f.TTL, 0))
				table.Set(next, now)
			},
			"free": func(*rapid.T) {
				table.Free()
				for i := range m.until {
					m.until[i] = now
				}
			},
			"": func(t *rapid.T) {
				want := slices.Clone(m.fences)
				for i := range want {
					want[i].TTL = max(m.until[i].Sub(now), 0)
				}
				slices.SortFunc(want, func(a, b storage.Fence) int { return strings.Compare(a.Name, b.Name) })
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(table.List("", now)))
			},
		})
	})
}

// An answer that is not set changes nothing: the write that was to make it
// durable has failed.
func TestAnswerThatIsNotSetChangesNothing(t *testing.T) {
	var table fence.Table
	now := time.Now()
	f, err := table.Claim(storage.Fence{Name: "p/0", Owner: "a", TTL: time.Hour}, now)
	require.NoError(t, err)
	require.Empty(t, table.List("", now))
	table.Set(f, now)
	f.Sequence, f.Value = 1, []byte("header")
	_, err = table.Commit(f, now)
	require.NoError(t, err)
	require.Zero(t, table.List("", now)[0].Sequence)
	require.Empty(t, table.List("", now)[0].Value)
}
