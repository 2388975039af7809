package fetch_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
)

// packers compress as a server would that has little time. The windows are those
// of a page: the formats allow 8 MiB (zstd) and 16 MiB (br).
var packers = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return value(gzip.NewWriterLevel(w, 1)) },
	"deflate": func(w io.Writer) io.WriteCloser { return value(zlib.NewWriterLevel(w, 1)) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriterOptions(w, brotli.WriterOptions{LGWin: 18}) },
	"zstd":    func(w io.Writer) io.WriteCloser { return value(zstd.NewWriter(w, zstd.WithWindowSize(1<<20))) },
}

// value returns v, which is made of arguments that are all our own.
func value[T any](v T, err error) T {
	must(err)
	return v
}

func pack(coding string, body []byte) []byte {
	var packed bytes.Buffer
	w := packers[coding](&packed)
	_, err := w.Write(body)
	must(err)
	must(w.Close())
	return packed.Bytes()
}

func raw(body []byte) []byte {
	var packed bytes.Buffer
	w := value(flate.NewWriter(&packed, 6))
	_, err := w.Write(body)
	must(err)
	must(w.Close())
	return packed.Bytes()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// encodedPage is a section that serves body under a Content-Encoding.
func encodedPage(url, coding string, body []byte, directives ...string) string {
	for i := range directives {
		directives[i] += "\n"
	}
	return fmt.Sprintf("-- %s --\nHTTP 200\nContent-Type: text/html\nContent-Encoding: %s\n! base64\n%s\n%s\n",
		url, coding, strings.Join(directives, ""), base64.StdEncoding.EncodeToString(body))
}

func TestSK5EveryCodingIsDecodedWhoeverAskedForIt(t *testing.T) {
	page := []byte(strings.Repeat("<p>weir counts every URL.\n", 1000))
	bodies := map[string][]byte{
		"gzip": pack("gzip", page), "x-gzip": pack("gzip", page), "GZIP": pack("gzip", page),
		"deflate": pack("deflate", page), "br": pack("br", page), "zstd": pack("zstd", page),
		"identity": page, "gzip,identity": pack("gzip", page), "deflate, gzip": pack("gzip", raw(page)),
		"gzip, br, zstd": pack("zstd", pack("br", pack("gzip", page))),
	}
	half := len(page) / 2
	bodies["gzip "] = append(pack("gzip", page[:half]), pack("gzip", page[half:])...) // two members
	bodies["zstd "] = append(pack("zstd", page[:half]), pack("zstd", page[half:])...) // two frames
	bodies["deflate "] = raw(page)                                                    // without the zlib header, as many send it
	var archive strings.Builder
	var urls []string
	for coding, body := range bodies {
		url := fmt.Sprintf("http://a.test/%d", len(urls))
		urls = append(urls, url)
		archive.WriteString(encodedPage(url, coding, body))
	}
	bothWays(t, archive.String(), fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
		for range 2 { // decoders are used again
			for _, url := range urls {
				got := client.Do(t.Context(), fetch.Request{URL: url, Header: http.Header{"Accept-Encoding": {"identity"}}})
				coding := got.Header.Get("Content-Encoding")
				require.NoError(t, got.Err, coding)
				assert.Equal(t, fetch.Fetched, got.Class, coding)
				assert.Equal(t, string(page), string(got.Body), coding)
				assert.Empty(t, got.Truncated+got.Defect, coding)
			}
		}
	})
}

func TestADamagedBodyIsDeliveredWithItsDefect(t *testing.T) {
	page := []byte(strings.Repeat("<p>weir counts every URL.\n", 1000))
	packed := pack("gzip", page)
	sum := bytes.Clone(packed)
	sum[len(sum)-8] ^= 0xff
	cases := []struct {
		name, coding string
		body         []byte
		want         []byte // a prefix of it may be lost in the decoder
		defect       string
		class        fetch.Class
		undecoded    bool
	}{
		{"not compressed", "gzip", page, page, "gzip: the body is not compressed", fetch.Fetched, false},
		{"not compressed", "zstd", page, page, "zstd: the body is not compressed", fetch.Fetched, false},
		{"unknown coding", "compress", page, page, `content-encoding: unknown coding "compress"`, fetch.Fetched, true},
		{"unknown coding below", "foo, gzip", packed, page, `content-encoding: unknown coding "foo"`, fetch.Fetched, true},
		{"too many codings", "gzip, gzip, gzip, gzip", packed, packed, "content-encoding: 4 codings", fetch.Fetched, true},
		{"rubbish behind the stream", "gzip", append(bytes.Clone(packed), "rubbish"...), page, "gzip: ", fetch.Fetched, true},
		{"wrong checksum", "gzip", sum, page, "gzip: ", fetch.Fetched, true},
		{"cut stream", "gzip", packed[:len(packed)-4], page, "gzip: unexpected EOF", fetch.Fetched, true},
		{"broken header", "gzip", []byte("\x1f\x8b\xff\xff\xff\xff"), nil, "gzip: ", fetch.Content, true},
		{"no brotli", "br", []byte("<p>this is plain"), nil, "br: ", fetch.Content, true},
		{"no deflate", "deflate", []byte("<p>this is plain"), nil, "deflate: ", fetch.Content, true},
		{"window beyond 8 MiB", "zstd", wideFrame(16 << 20), nil, "zstd: ", fetch.Content, true},
		{"empty", "gzip", nil, nil, "", fetch.Fetched, false},
	}
	for i, c := range cases {
		t.Run(c.name+" "+c.coding, func(t *testing.T) {
			url := fmt.Sprintf("http://a.test/%d", i)
			bothWays(t, encodedPage(url, c.coding, c.body), fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
				got := client.Do(t.Context(), fetch.Request{URL: url})
				assert.Equal(t, c.class, got.Class)
				assert.Equal(t, string(c.want), string(got.Body))
				assert.True(t, strings.HasPrefix(got.Defect, c.defect) && (got.Defect == "") == (c.defect == ""), got.Defect)
				assert.Equal(t, c.undecoded, got.Undecoded)
				assert.Empty(t, got.Truncated, "the wire was whole")
				assert.Equal(t, c.class == fetch.Content, got.Err != nil)
			})
		})
	}
}

// wideFrame returns a zstd frame that asks for a window of size bytes.
func wideFrame(size int) []byte {
	var packed bytes.Buffer
	z := value(zstd.NewWriter(&packed, zstd.WithWindowSize(size)))
	_, err := io.CopyN(z, zeros{}, int64(size)+1)
	must(err)
	must(z.Close())
	return packed.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestSK3ADecompressionBombIsCutWhereItIsWanted(t *testing.T) {
	const limit = 1 << 20
	for coding := range packers {
		t.Run(coding, func(t *testing.T) {
			var bomb bytes.Buffer
			w := packers[coding](&bomb)
			_, err := io.CopyN(w, zeros{}, 12*limit)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			bothWays(t, encodedPage("http://a.test/", coding, bomb.Bytes()), fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: limit})
				runtime.ReadMemStats(&after)
				assert.Equal(t, fetch.Fetched, got.Class)
				assert.Equal(t, fetch.TruncatedLength, got.Truncated)
				assert.Len(t, got.Body, limit)
				assert.Equal(t, limit, cap(got.Body), "the caller keeps no more than it sees")
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "bytes allocated in all")
			})
		})
	}
}

func TestABombInsideACodingEndsToo(t *testing.T) {
	var inner bytes.Buffer // decodes to nothing, however long it is
	for range 40_000 {
		inner.Write(emptyMember)
	}
	const limit = 256 << 10
	archive := encodedPage("http://a.test/nested", "gzip, gzip", pack("gzip", inner.Bytes())) +
		encodedPage("http://a.test/wire", "gzip", inner.Bytes())
	bothWays(t, archive, fetch.Config{}, func(t *testing.T, _ *fetchtest.Web, client *fetch.Client) {
		for _, path := range []string{"nested", "wire"} {
			got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/" + path, Limit: limit})
			assert.Equal(t, fetch.TruncatedLength, got.Truncated, path)
			assert.Empty(t, got.Body, path)
		}
	})
}

var emptyMember = pack("gzip", nil)

// roundTrip is a transport in one function.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func FuzzADecodedBodyStaysInItsLimit(f *testing.F) {
	for coding := range packers {
		f.Add(coding, pack(coding, []byte("some page")), uint16(5))
	}
	f.Add("gzip, br", pack("br", pack("gzip", []byte("some page"))), uint16(1000))
	f.Add("deflate", raw([]byte("some page")), uint16(9))
	f.Fuzz(func(t *testing.T, codings string, body []byte, limit uint16) {
		client := open(t, fetch.Config{Transport: roundTrip(func(*http.Request) *http.Response {
			return &http.Response{
				StatusCode: 200, Status: "200 OK", ProtoMajor: 1, Proto: "HTTP/1.1", ContentLength: -1,
				Header: http.Header{"Content-Encoding": {codings}}, Body: io.NopCloser(bytes.NewReader(body)),
			}
		})})
		for range 2 { // a decoder that is used again forgets what it saw
			got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: int64(limit) + 1})
			switch {
			case len(got.Body) > int(limit)+1:
				t.Fatalf("%d bytes, want %d at most", len(got.Body), limit+1)
			case got.Class != fetch.Fetched && got.Class != fetch.Content && got.Class != fetch.Login && got.Class != fetch.Challenge:
				t.Fatalf("class %s: %v", got.Class, got.Err)
			case got.Class == fetch.Content && got.Defect == "":
				t.Fatal("content without a defect")
			}
		}
	})
}
