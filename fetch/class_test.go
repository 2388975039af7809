package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"code.dny.dev/ssrf"
	"github.com/stretchr/testify/assert"
)

// classes is every Class, with what it means for its URL.
var classes = []struct {
	class                Class
	done, refused, retry bool
}{
	{Fetched, true, false, false},
	{Unchanged, true, false, false},
	{Redirected, true, false, false},
	{Missing, true, false, false},
	{Denied, false, true, false},
	{Login, false, true, false},
	{Payment, false, true, false},
	{Challenge, false, true, false},
	{Legal, false, true, false},
	{PrivateAddress, false, true, false},
	{Busy, false, false, false},
	{ServerError, false, false, true},
	{DNS, false, false, true},
	{Connect, false, false, true},
	{TLS, false, false, true},
	{Timeout, false, false, true},
	{Protocol, false, false, true},
	{ClientError, false, false, false},
	{Content, false, false, false},
	{Malformed, false, false, false},
	{Cancelled, false, false, false},
}

func TestEveryClassSaysWhatItMeansForItsURL(t *testing.T) {
	for _, c := range classes {
		assert.Equal(t, []bool{c.done, c.refused, c.retry}, []bool{c.class.Done(), c.class.Refused(), c.class.Retry()}, c.class)
	}
}

func TestTheStatusDecidesTheClass(t *testing.T) {
	location := http.Header{"Location": {"/x"}}
	cases := []struct {
		status int
		header http.Header
		want   Class
	}{
		{200, nil, Fetched}, {201, nil, Fetched}, {204, nil, Fetched}, {206, nil, Fetched}, {299, nil, Fetched},
		{300, location, Fetched}, {301, location, Redirected}, {302, location, Redirected}, {303, location, Redirected},
		{305, location, Fetched}, {306, location, Fetched}, {307, location, Redirected}, {308, location, Redirected},
		{301, nil, Fetched}, {308, nil, Fetched}, {304, location, Protocol},
		{400, nil, ClientError}, {401, nil, Denied}, {402, nil, Payment}, {403, nil, Denied}, {404, nil, Missing},
		{405, nil, ClientError}, {408, nil, ClientError}, {410, nil, Missing}, {418, nil, ClientError}, {421, nil, ClientError},
		{429, nil, Busy}, {451, nil, Legal}, {499, nil, ClientError},
		{500, nil, ServerError}, {502, nil, ServerError}, {503, nil, Busy}, {504, nil, ServerError}, {599, nil, ServerError},
		{101, nil, Protocol}, {600, nil, Protocol}, {999, nil, Protocol},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, facts{status: c.status, header: c.header}.class(), "%d %v", c.status, c.header)
	}
	assert.Equal(t, Unchanged, facts{status: 304, header: location, conditional: true}.class())
}

func TestEveryStatusHasAClass(t *testing.T) {
	known := map[Class]bool{}
	for _, c := range classes {
		known[c.class] = true
	}
	for status := range 1000 {
		assert.True(t, known[facts{status: status}.class()], status)
	}
}

func TestAWallIsKnownByWhatItShows(t *testing.T) {
	form := `<form><input type="password" name=p></form>`
	page := func(title, rest string) string { return "<html><head><TITLE> " + title + "\n</TITLE>" + rest }
	filler := string(make([]byte, smallPage))
	cases := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   Class
	}{
		{"login form", 200, nil, page("Log in", form), Login},
		{"login form of a site", 200, nil, page("Sign in · Example", form), Login},
		{"login form in German", 200, nil, page("Anmelden | Beispiel", form), Login},
		{"login form by upper case", 200, nil, page("LOGIN", `<INPUT TYPE=PASSWORD>`), Login},
		{"login form under 401", 401, nil, page("Members", form), Login},
		{"login form under 403", 403, nil, page("Members", form), Login},
		{"login form under 404", 404, nil, page("Log in", form), Missing},
		{"title alone", 200, nil, page("Log in", "no form"), Fetched},
		{"form alone", 200, nil, page("Forum", form), Fetched},
		{"title about logging in", 200, nil, page("Login failures in 2024", form), Fetched},
		{"text about passwords", 200, nil, page("Log in", `set password_encryption = 'x'; type the password`), Fetched},
		{"name is not a type", 200, nil, page("Log in", `<input name="password">`), Fetched},

		{"header of Cloudflare", 403, http.Header{"Cf-Mitigated": {"challenge"}}, "", Challenge},
		{"header of Cloudflare before busy", 503, http.Header{"Cf-Mitigated": {"challenge"}}, "", Challenge},
		{"header of AWS", 202, http.Header{"X-Amzn-Waf-Action": {"challenge"}}, "", Challenge},
		{"captcha of AWS", 405, http.Header{"X-Amzn-Waf-Action": {"captcha"}}, "", Challenge},
		{"script under 403", 403, nil, `<script src="/cdn-cgi/challenge-platform/h/b.js">`, Challenge},
		{"script under 503", 503, nil, `<script>window._cf_chl_opt={}`, Challenge},
		{"captcha under 429", 429, nil, `<script src=https://www.google.com/recaptcha/api.js>`, Challenge},
		{"tiny page of Imperva", 200, nil, `<iframe src="/_Incapsula_Resource?x">`, Challenge},
		{"large page of Imperva", 200, nil, `<script src="/_Incapsula_Resource?x">` + filler, Fetched},
		{"page with a captcha", 200, nil, `<script src=https://www.google.com/recaptcha/api.js>`, Fetched},
		{"missing page with a captcha", 404, nil, `<script src=https://www.google.com/recaptcha/api.js>`, Missing},
	}
	for _, c := range cases {
		f := facts{status: c.status, header: c.header, media: "text/html", body: []byte(c.body)}
		assert.Equal(t, c.want, f.class(), c.name)
		if c.header == nil {
			f.media = "application/json"
			assert.Equal(t, facts{status: c.status}.class(), f.class(), "%s, but not HTML", c.name)
		}
	}
}

func TestTheFailureDecidesTheClass(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	read := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	cases := []struct {
		err  error
		want Class
	}{
		{errDeadline, Timeout},
		{errStall, Timeout},
		{read(os.ErrDeadlineExceeded), Timeout},
		{dialError{dial(fmt.Errorf("%w: 10.0.0.1", ssrf.ErrProhibitedIP))}, PrivateAddress},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), DNS},
		{dialError{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true})}, DNS},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), Connect},
		{dialError{dial(os.ErrDeadlineExceeded)}, Connect},
		{dialError{errors.New("no route")}, Connect},
		{read(os.NewSyscallError("read", syscall.ECONNRESET)), Connect},
		{fmt.Errorf("broken: %w", io.EOF), Connect},
		{io.ErrUnexpectedEOF, Connect},
		{errReplay, Connect},
		{handshakeError{io.EOF}, TLS},
		{handshakeError{read(os.ErrDeadlineExceeded)}, TLS},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, TLS},
		{tls.RecordHeaderError{Msg: "not TLS"}, TLS},
		{tls.AlertError(40), TLS},
		{errors.New("malformed HTTP response"), Protocol},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, classOfError(c.err), "%v", c.err)
	}
}
