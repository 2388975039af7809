package frontier

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

func TestARekeyedPrintsAsATable(t *testing.T) {
	k := Rekeyed{Run: "third", From: "second", Normalizer: "2", Was: "1", Done: true, Read: 45, Total: 45,
		Admitted: 8, Duplicates: 35, Limited: 2, Answers: 5, Carried: 3, Spare: 1, Asked: 1, Merged: 1, Split: 1,
		MergedAs: []Merger{{URL: "http://a.test/?s=2", Into: "http://a.test/?s=1"}}, SplitOff: []string{"http://a.test/b"}}
	assert.Equal(t, `rekeyed     second as third
normalizer  2, was 1
references  45 of 45: 8 admitted, 35 duplicate, 2 held back by a bound, 0 by a rule
answers     3 of 5 carried over, 1 spare, 1 to be asked for again
merged      1
            http://a.test/?s=2 into http://a.test/?s=1
split       1
            http://a.test/b
`, k.String())
	k.Done = false
	assert.Contains(t, k.String(), "second as third, unfinished: call Rekey again, or open it\n")
}

func TestAChangedNormalizerIsAnsweredWithWhatToDo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, n := memory.New(), classed("s", urlnorm.Tracking)
		f := openRaw(t, s, named("first"))
		seed(t, f, "http://a.test/")
		require.NoError(t, f.Close())
		open := func(run string, n urlnorm.Normalizer) error {
			_, err := Open(t.Context(), Config{Store: s, Run: run, Normalizer: n})
			return err
		}
		err := open("first", n)
		require.ErrorIs(t, err, ErrNormalizerChanged)
		assert.ErrorContains(t, err, `Rekey "first" as a run of another name`)

		_, err = Rekey(t.Context(), Config{Store: s}, "first", nil)
		require.ErrorIs(t, err, ErrSameNormalizer)

		_, err = Rekey(t.Context(), Config{Store: s, Run: "second", Normalizer: n}, "first", nil)
		require.NoError(t, err)
		err = open("first", urlnorm.Standard{})
		require.ErrorIs(t, err, ErrRunFinished)
		assert.ErrorContains(t, err, `it was rekeyed as "second": open that`)
		goOn(t, s, "second", n, nil)
		err = open("first", urlnorm.Standard{})
		require.ErrorIs(t, err, ErrRunFinished)
		assert.ErrorContains(t, err, `it was rekeyed as "second": open that`, "also when that is over")
		assert.ErrorContains(t, open("second", n), "; choose another name")
	})
}
