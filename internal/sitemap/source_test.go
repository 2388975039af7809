package sitemap

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func gz(t testing.TB, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestSM1GzipIsKnownByItsBytes(t *testing.T) {
	for name, c := range map[string]struct {
		kind Kind
		text string
	}{
		"xml":  {URLSet, "<urlset><url><loc>http://a.test/1</loc></url></urlset>"},
		"text": {Text, "http://a.test/1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for layers, body := 0, []byte(c.text); layers <= 2; layers, body = layers+1, gz(t, body) {
				all, report := readAll(t, bytes.NewReader(body), Options{})
				assert.Equal(t, []string{"http://a.test/1"}, locsOf(all))
				assert.Equal(t, c.kind, report.Kind)
				assert.Equal(t, layers, report.Layers)
				assert.Empty(t, report.Notes)
			}
		})
	}
	all, report := readAll(t, bytes.NewReader(gz(t, gz(t, gz(t, []byte("http://a.test/1"))))), Options{})
	assert.Empty(t, all)
	assert.Equal(t, Binary, report.Refused)
}

func TestMembersOfGzipAreOneText(t *testing.T) {
	a, b := gz(t, []byte("<urlset><url><loc>http://a.test/")), gz(t, []byte("1</loc></url></urlset>"))
	all, report := readAll(t, bytes.NewReader(append(append(a, gz(t, nil)...), b...)), Options{})
	assert.Equal(t, []string{"http://a.test/1"}, locsOf(all))
	assert.Empty(t, report.Notes)
}

func TestWhatWasReadOfADamagedGzipStays(t *testing.T) {
	text := []byte("<urlset>" + strings.Repeat("<url><loc>http://a.test/1</loc></url>", 100) + "</urlset>")
	whole := gz(t, text)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	for _, c := range []struct {
		name  string
		body  []byte
		least int
		fault Fault
		note  string
	}{
		{"a tail is missing", whole[:len(whole)-9], 1, DamagedGzip, "unexpected EOF"},
		{"a checksum is wrong", flipped, 100, DamagedGzip, "gzip: invalid checksum"},
		{"a member is cut in its header", append(bytes.Clone(whole), whole[:5]...), 100, DamagedGzip, "unexpected EOF"},
		{"something is behind", append(bytes.Clone(whole), "junk"...), 100, BehindGzip, "http://a.test/1"},
		{"a header alone", whole[:5], 0, DamagedGzip, "unexpected EOF"},
		{"members without a byte", append(bytes.Clone(whole), bytes.Repeat(gz(t, nil), 2000)...), 100, DamagedGzip, errMembers.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, report := readAll(t, bytes.NewReader(c.body), Options{})
			assert.GreaterOrEqual(t, len(all), c.least)
			assert.Contains(t, report.Notes, Note{c.fault, 1, c.note})
			for _, e := range all {
				assert.Equal(t, "http://a.test/1", e.Loc)
			}
		})
	}
}

func TestEachLayerIsBounded(t *testing.T) {
	bomb := gz(t, append([]byte("<urlset><url><loc>http://a.test/1</loc></url>"), bytes.Repeat([]byte(" "), 1<<20)...))
	inner := gz(t, bytes.Repeat(gz(t, nil), 10_000)) // 200 KiB that hold nothing
	for name, c := range map[string]struct {
		body []byte
		want int
	}{"outer": {bomb, 1}, "inner": {gz(t, bomb), 1}, "between": {inner, 0}} {
		t.Run(name, func(t *testing.T) {
			all, report := readAll(t, bytes.NewReader(c.body), Options{Limits: Limits{Bytes: 1 << 14}})
			assert.Len(t, all, c.want)
			assert.EqualValues(t, 1, report.Count(TooManyBytes))
			assert.Zero(t, report.Count(DamagedGzip), "it is short for another reason")
			assert.LessOrEqual(t, report.Bytes, int64(1<<14))
		})
	}
}

func TestAnyEncodingIsRead(t *testing.T) {
	const page = "<urlset><url><loc>http://a.test/я</loc></url></urlset>"
	in := func(e encoding.Encoding, text string) string {
		b, err := e.NewEncoder().String(text)
		require.NoError(t, err)
		return b
	}
	big, small := unicode.UTF16(unicode.BigEndian, unicode.UseBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	for _, c := range []struct{ name, label, text, want string }{
		{"utf-8", "", page, "utf-8"},
		{"utf-8 with a mark", "", "\ufeff" + page, "utf-8"},
		{"utf-16 with a mark", "", in(big, page), "utf-16be"},
		{"utf-16 with a declaration", "", in(small, "<?xml version='1.0'?>"+page), "utf-16le"},
		{"declared", "", in(charmap.Windows1251, "<?xml version='1.0' encoding='windows-1251'?>"+page), "windows-1251"},
		{"declared behind blanks", "", in(charmap.Windows1251, "\n <?xml version='1.0' encoding='windows-1251'?>"+page), "windows-1251"},
		{"labelled", "windows-1251", in(charmap.Windows1251, page), "windows-1251"},
		{"labelled with a mark", "windows-1251", "\ufeff" + page, "utf-8"},
		{"a list", "windows-1251", in(charmap.Windows1251, "http://a.test/я"), "windows-1251"},
		{"a list in utf-16", "", in(big, "http://a.test/я"), "utf-16be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, body := range [][]byte{[]byte(c.text), gz(t, []byte(c.text))} {
				all, report := readAll(t, bytes.NewReader(body), Options{Label: c.label})
				assert.Equal(t, []string{"http://a.test/я"}, locsOf(all))
				assert.Equal(t, c.want, report.Charset)
				assert.Empty(t, report.Notes)
			}
		})
	}
}
