package codec

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func write(w *Writer) []byte {
	w.Uint(300)
	w.Int(-7)
	w.Fixed(1 << 60)
	w.Word("link")
	w.Word("seed")
	w.Word("link")
	w.String("http://a.test/")
	w.Bytes(nil)
	w.Bytes([]byte{1, 2})
	w.Bool(true)
	w.Byte(9)
	w.Raw([]byte{7, 7})
	return w.Seal()
}

func TestFieldsComeBackInOrder(t *testing.T) {
	r := NewReader(write(NewWriter(3, nil)), 3)
	require.Equal(t, byte(3), r.Version)
	require.Equal(t, uint64(300), r.Uint())
	require.Equal(t, int64(-7), r.Int())
	require.Equal(t, uint64(1<<60), r.Fixed())
	require.Equal(t, []string{"link", "seed", "link"}, []string{r.Word(), r.Word(), r.Word()})
	require.Equal(t, "http://a.test/", r.String())
	require.Nil(t, r.Bytes())
	require.Equal(t, []byte{1, 2}, r.Bytes())
	require.True(t, r.Bool())
	require.Equal(t, byte(9), r.Byte())
	require.True(t, r.More())
	require.Equal(t, []byte{7, 7}, r.Raw(2))
	require.NoError(t, r.Close())
}

// The bytes of version 1 are read for ever: a change here needs a new version.
func TestBytesOfVersionOneStay(t *testing.T) {
	w := NewWriter(1, nil)
	w.Uint(1)
	w.Word("a")
	w.Word("a")
	require.Equal(t, []byte{1, 1, 0, 1, 'a', 1, 0x44, 0x1f, 0xd4, 0x33}, w.Seal())
}

func TestEveryDamagedByteIsFound(t *testing.T) {
	whole := write(NewWriter(1, nil))
	for i := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			v := append([]byte(nil), whole...)
			v[i] ^= flip
			require.ErrorIs(t, NewReader(v, 1).Close(), ErrDamaged, "byte %d", i)
		}
		require.ErrorIs(t, NewReader(whole[:i], 1).Close(), ErrDamaged, "cut at %d", i)
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	require.ErrorContains(t, NewReader(write(NewWriter(2, nil)), 1).Close(), "version 2")
}

func TestBytesTooManyAreAFault(t *testing.T) {
	r := NewReader(write(NewWriter(1, nil)), 1)
	r.Uint()
	require.ErrorIs(t, r.Close(), ErrDamaged)
}

// However a reader walks over a sealed value, it ends in a fault or at its end
// and never reads beyond it.
func FuzzReaderStaysInside(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, []byte("some value"))
	f.Fuzz(func(t *testing.T, steps, body []byte) {
		w := NewWriter(1, nil)
		w.Raw(body)
		r := NewReader(w.Seal(), 1)
		for _, s := range steps {
			switch s % 7 {
			case 0:
				r.Uint()
			case 1:
				r.Int()
			case 2:
				_ = r.String()
			case 3:
				r.Bytes()
			case 4:
				r.Word()
			case 5:
				r.Raw(int(s))
			case 6:
				r.Fixed()
			}
			if r.Err() != nil && r.More() {
				t.Fatal("a faulty reader has more")
			}
		}
	})
}

func TestNumbersAndWordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nums := rapid.SliceOf(rapid.Int64()).Draw(t, "nums")
		words := rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "bb", "ccc"})).Draw(t, "words")
		w := NewWriter(1, nil)
		for _, n := range nums {
			w.Int(n)
			w.Uint(uint64(n))
		}
		for _, s := range words {
			w.Word(s)
		}
		r := NewReader(w.Seal(), 1)
		for _, n := range nums {
			if r.Int() != n || r.Uint() != uint64(n) {
				t.Fatal("number")
			}
		}
		for _, s := range words {
			if r.Word() != s {
				t.Fatal("word")
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
