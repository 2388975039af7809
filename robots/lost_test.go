package robots

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// encoded asks for a robots.txt that comes as body under a Content-Encoding.
func encoded(t *testing.T, coding string, body []byte) Record {
	t.Helper()
	record, _ := web(t, "http://a.example", fmt.Sprintf("-- http://a.example/robots.txt --\nHTTP 200\nContent-Type: text/plain\nContent-Encoding: %s\n! base64\n\n%s\n",
		coding, base64.StdEncoding.EncodeToString(body)))
	return record
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// many is a file that gzip cannot make short.
func many(lines int) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range lines {
		fmt.Fprintf(&b, "Disallow: /%d/%d\n", i*i*7919%10007, i)
	}
	return b.String()
}

func TestAFileOfWhichDecodingLostAPartForbidsEverything(t *testing.T) {
	packed := gzipped(t, many(2000)+"Disallow: /x\n")
	wrong := bytes.Clone(packed)
	wrong[len(wrong)-8] ^= 0xff
	half := gzipped(t, "User-agent: *\nAllow: /") // without the rest of its line it allows everything
	empty := gzipped(t, "")
	waste := append(append(half, bytes.Repeat(empty, 700<<10/len(empty))...), gzipped(t, "public\nDisallow: /x\n")...)
	for _, row := range []struct {
		name, coding string
		body         []byte
		rule         string
	}{
		{"ends early", "gzip", packed[:len(packed)*3/4], "incomplete: undecoded"},
		{"has a wrong checksum", "gzip", wrong, "incomplete: undecoded"},
		{"is not decoded to its end", "gzip", waste, "incomplete: length"},
		{"has an unknown coding", "compress", []byte("\x1f\x9d\x90binary"), "incomplete: undecoded"},
		{"has an unknown coding and no end", "dcb", []byte(many(40_000)), "incomplete: length"},
		{"has too many codings", "gzip, gzip, gzip, gzip", packed, "incomplete: undecoded"},
	} {
		t.Run(row.name, func(t *testing.T) {
			record := encoded(t, row.coding, row.body)
			assert.Equal(t, Decision{Rule: row.rule}, record.Decide("weirbot", "/x"))
			assert.Equal(t, Busy, record.Gate(Visit{Attempt: 1, Now: noon}).Step)
			assert.Empty(t, record.Body)
			assert.Empty(t, record.Digest())
		})
	}
}

func TestAFileThatIsWholeIsReadWhateverItsCoding(t *testing.T) {
	long := "User-agent: *\nDisallow: /x\n" + many(40_000)
	require.Greater(t, len(long), MaxBody)
	for _, row := range []struct {
		name, coding string
		body         []byte
		want         string
	}{
		{"gzip", "gzip", gzipped(t, forbidX), "parse"},
		{"more than counts", "gzip", gzipped(t, long), "parse"},
		{"a coding that it does not have", "gzip", []byte(forbidX), "parse"},
		{"nothing, under a coding", "compress", nil, "allow-all"},
		{"nothing, under many codings", "gzip, gzip, gzip, gzip", nil, "allow-all"},
	} {
		assert.Equal(t, row.want, meaning(encoded(t, row.coding, row.body)), row.name)
	}
}
