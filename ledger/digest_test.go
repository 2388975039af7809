package ledger

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

func sums(results ...Result) (ids, content storage.Digest) {
	d := newDigests()
	for _, r := range results {
		d.add(r)
	}
	return d.ids.sum(), d.content.sum()
}

func TestNoTwoSequencesHaveOneDigest(t *testing.T) {
	ids, content := map[storage.Digest]int{}, map[storage.Digest]int{}
	for i, sequence := range [][]Result{
		nil,
		{{}},
		{{ID: "a"}, {ID: "b"}},
		{{ID: "b"}, {ID: "a"}},
		{{ID: "ab"}},
		{{ID: "\x01a"}},
		{{ID: "a", Data: []byte("12")}, {ID: "b", Data: []byte("3")}},
		{{ID: "a", Data: []byte("1")}, {ID: "b", Data: []byte("23")}},
		{{ID: "a", Data: []byte("1"), State: frontier.Done}, {ID: "b", Data: []byte("23")}},
		{{ID: "a", Data: []byte("1"), Supersedes: true}, {ID: "b", Data: []byte("23")}},
	} {
		a, b := sums(sequence...)
		other, known := content[b]
		assert.False(t, known, "%d and %d", i, other)
		content[b], ids[a] = i, i
	}
	assert.Len(t, ids, 6, "of identities alone four are alike")
	for d, i := range ids {
		assert.NotContains(t, content, d, "identities of %d", i)
	}
}

// What is kept must be verified by versions to come: the bytes that are summed
// never change.
func TestDigestsStayWhatTheyAre(t *testing.T) {
	ids, content := sums(Result{ID: "1.1.00000000000000ff.2a", State: frontier.Done, Data: []byte(`{"n":1}`)}, Result{ID: "b", Supersedes: true, Data: []byte(`2`)})
	assert.EqualValues(t, "sha256:67e5f7fbad5a9c6fb9affbf406e4da46fecc93f4c5297ea676666e169da752f0", ids)
	assert.EqualValues(t, "sha256:796223113fb00fb8a6f3a3dc761e06fc28f7a7d9ce459070c3eaec1056950b2b", content)
}

func TestASetOfIdentitiesKnowsEachOnce(t *testing.T) {
	s := newSeen()
	for _, id := range []string{
		"1.1.0000000000000001.1", "1.1.0000000000000001.41", "1.1.0000000000000001.81", "1.1.0000000000000002.1", "1.2.0000000000000001.1", "2.1.0000000000000001.1",
		"1.1.1.1", "01.1.0000000000000001.1", "1.1.0000000000000001.01", "1.1.0000000000000001.A", "1.1.0000000000000001.a", "+1.1.0000000000000001.1",
		"1.1.0000000000000001", "1.1.0000000000000001.1.1", "99999.1.0000000000000001.1", "", ".", "...", "r001",
	} {
		assert.True(t, s.add(id), "%q is new", id)
		assert.False(t, s.add(id), "%q is known", id)
	}
	assert.LessOrEqual(t, len(s.cells), 7, "identities of ours are bits")
}

func TestAnIdentityReadsBackAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := frontier.LeaseID{Partition: rapid.Uint16().Draw(t, "partition"), Run: rapid.Uint32().Draw(t, "run"),
			Origin: rapid.Uint64().Draw(t, "origin"), Ordinal: rapid.Uint64().Draw(t, "ordinal")}
		got, ok := parseIdentity(identity(id))
		require.True(t, ok)
		require.Equal(t, id, got)
		require.Equal(t, fmt.Sprint(id), identity(id)+".0")
	})
}
