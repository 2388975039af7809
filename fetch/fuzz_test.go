package fetch_test

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/weircrawl/weir/fetch"
)

// answerClasses are the classes of an exchange that had a connection.
var answerClasses = []fetch.Class{
	fetch.Fetched, fetch.Redirected, fetch.Missing, fetch.Denied, fetch.Login, fetch.Payment, fetch.Challenge, fetch.Legal,
	fetch.Busy, fetch.ServerError, fetch.Untimely, fetch.Connect, fetch.Timeout, fetch.Protocol, fetch.ClientError, fetch.Content,
}

// headerBytes is how long the lines of a header are.
func headerBytes(h http.Header) (n int) {
	for name, values := range h {
		for _, value := range values {
			n += len(name) + len(": ") + len(value) + len("\r\n")
		}
	}
	return n
}

// checkAnswer returns what is wrong with a Response, whatever the server sent.
func checkAnswer(got fetch.Response, limit, headerMax int) string {
	wall := got.Class == fetch.Login || got.Class == fetch.Challenge || got.Class == fetch.Payment && got.Status == 200
	switch {
	case !slices.Contains(answerClasses, got.Class):
		return "no class of an answer"
	case len(got.Body) > limit:
		return "more body than is wanted"
	case headerBytes(got.Header) > headerMax:
		return "more header than is allowed"
	case (got.Header == nil) != (got.Received == nil):
		return "a header without its block, or a block without its header"
	case got.Header == nil && (got.Err == nil || got.Class.Done()):
		return "no answer, and no error"
	case !slices.Contains([]string{"", fetch.TruncatedLength, fetch.TruncatedTime, fetch.TruncatedDisconnect}, got.Truncated):
		return "cut for no reason"
	case (got.Truncated == fetch.TruncatedTime || got.Truncated == fetch.TruncatedDisconnect) && got.Err == nil:
		return "cut without an error"
	case got.Class == fetch.Content && (got.Defect == "" || got.Err == nil):
		return "content without a defect"
	case wall != (got.Mark != ""):
		return "a wall without its mark, or a mark without its wall"
	case got.RetryAfter < 0 || got.RetryAfter > time.Hour:
		return "a wait out of bounds"
	}
	return ""
}

func FuzzWhateverAServerSendsHasOneOutcome(f *testing.F) {
	for _, c := range rawAnswers {
		f.Add([]byte(c.raw[:min(len(c.raw), 5000)]))
	}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "gzip, br"} {
		f.Add(append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: "+coding+"\r\n\r\n"), pack("br", pack("gzip", []byte("page")))...))
	}
	f.Add([]byte("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nSet-Cookie: a=b; Path=/; Max-Age=9\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 302 Found\r\nLocation: /login?next=/x\r\nRetry-After: 9\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Login</title><input type=password>"))
	f.Add([]byte("HTTP/1.1 403 No\r\nContent-Type: text/html\r\n\r\n<script>_cf_chl_opt</script>"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		const limit, headerMax = 1 << 10, 16 << 10
		cfg := piped(answers(string(raw)))
		cfg.HeaderMax, cfg.Cookies, cfg.Timeout = headerMax, fetch.NewJar(), 20*time.Second
		client := open(t, cfg)
		got := client.Do(t.Context(), fetch.Request{URL: "http://a.test/x", Limit: limit})
		// net/http reads on to the end of its buffer, and writes names out in full.
		if fault := checkAnswer(got, limit, headerMax+8<<10); fault != "" {
			t.Fatalf("%s: %+v", fault, got)
		}
		if got.Class == fetch.Timeout {
			t.Fatal("a server that hung up was waited for")
		}
	})
}

func FuzzADamagedBodyIsNeverTakenForAnother(f *testing.F) {
	for i := range 4 {
		f.Add(byte(i), []byte("some page, and some page again"), uint16(9), byte(0))
		f.Add(byte(i), bytes.Repeat([]byte("some page"), 1000), uint16(20), byte(1))
	}
	codings := []string{"gzip", "deflate", "zstd", "br"}
	f.Fuzz(func(t *testing.T, which byte, page []byte, at uint16, damage byte) {
		coding := codings[int(which)%len(codings)]
		body := pack(coding, page)
		body[int(at)%len(body)] ^= damage
		got := canned(t, coding, body).Do(t.Context(), fetch.Request{URL: "http://a.test/", Limit: 1 << 20})
		if fault := checkAnswer(got, 1<<20, 1<<10); fault != "" {
			t.Fatalf("%s: %+v", fault, got)
		}
		// br has no checksum, and deflate without its head is read as if it had none.
		checked := damage == 0 || coding != "br" && (coding != "deflate" || int(at)%len(body) >= 2)
		if checked && got.Defect+got.Truncated == "" && !bytes.Equal(got.Body, page) {
			t.Fatalf("%s with %#x at %d: %q is %q", coding, damage, int(at)%len(body), page, got.Body)
		}
		if damage == 0 && got.Defect+got.Truncated != "" {
			t.Fatalf("%s: %s%s", coding, got.Defect, got.Truncated)
		}
	})
}
