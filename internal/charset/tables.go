package charset

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// The indexes of the Encoding standard, section 5, each read from a decoder of
// x/text when it is first needed. A code that means nothing is 0.
var (
	indexGB18030 = sync.OnceValue(func() []rune {
		index := indexOf(simplifiedchinese.GB18030, 0x81, 0xfe, trailsGB)
		for _, run := range gb18030Runs {
			for i := range run.count {
				index[run.pointer+i] = run.first + rune(i)
			}
		}
		return index
	})
	indexBig5    = sync.OnceValue(func() []rune { return indexOf(traditionalchinese.Big5, 0x81, 0xfe, trailsBig5) })
	indexEUCKR   = sync.OnceValue(func() []rune { return indexOf(korean.EUCKR, 0x81, 0xfe, trailsEUCKR) })
	indexJIS0208 = sync.OnceValue(func() []rune {
		return append(indexOf(japanese.ShiftJIS, 0x81, 0x9f, trailsShiftJIS), indexOf(japanese.ShiftJIS, 0xe0, 0xfc, trailsShiftJIS)...)
	})
	indexJIS0212 = sync.OnceValue(func() []rune { return indexOf(japanese.EUCJP, 0xa1, 0xfe, trailsEUC, 0x8f) })
)

// indexOf reads the index of all codes of a lead byte and a trail byte, after a
// prefix.
func indexOf(e encoding.Encoding, first, last int, trails []byte, prefix ...byte) []rune {
	index := make([]rune, 0, (last-first+1)*len(trails))
	decoder := e.NewDecoder()
	code := append(prefix, 0, 0)
	for lead := first; lead <= last; lead++ {
		for _, trail := range trails {
			code[len(prefix)], code[len(prefix)+1] = byte(lead), trail
			index = append(index, only(decoder, code))
		}
	}
	return index
}

// only returns the one character that a code stands for, or 0.
func only(decoder *encoding.Decoder, code []byte) rune {
	var text [utf8.UTFMax * 4]byte
	decoder.Reset()
	n, _, err := decoder.Transform(text[:], code, true)
	r, size := utf8.DecodeRune(text[:n])
	if err != nil || size != n || r == utf8.RuneError {
		return 0
	}
	return r
}

// The trail bytes of an index, in order.
var (
	trailsGB       = span(0x40, 0x7e, 0x80, 0xfe)
	trailsBig5     = span(0x40, 0x7e, 0xa1, 0xfe)
	trailsEUCKR    = span(0x41, 0xfe)
	trailsShiftJIS = span(0x40, 0x7e, 0x80, 0xfc)
	trailsEUC      = span(0xa1, 0xfe)
)

// span lists all bytes from each first to each last one.
func span(ends ...int) (bytes []byte) {
	for i := 0; i < len(ends); i += 2 {
		for b := ends[i]; b <= ends[i+1]; b++ {
			bytes = append(bytes, byte(b))
		}
	}
	return bytes
}

// byteTables holds the upper half of each encoding of single bytes that was asked
// for.
var byteTables sync.Map // name to *[128]rune

// byteTable returns what the bytes from 0x80 on mean in an encoding of single
// bytes. Where x/text knows nothing for one of 0x80 to 0x9f, the standard has the
// control character of that number.
func byteTable(name string) *[128]rune {
	if table, ok := byteTables.Load(name); ok {
		return table.(*[128]rune)
	}
	table := new([128]rune)
	decoder := lookup(name).NewDecoder()
	for i := range table {
		b := byte(0x80 + i)
		table[i] = only(decoder, []byte{b})
		if table[i] == 0 {
			table[i] = badRune
			if b < 0xa0 {
				table[i] = rune(b)
			}
		}
	}
	byteTables.Store(name, table)
	return table
}
