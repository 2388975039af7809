package fetch

import (
	"bytes"
	"slices"
	"strings"
)

// A wall is an answer that stops a crawler while it looks like another one: a
// challenge, a login form. The rules are few and narrow on purpose: a page that
// is taken for a wall is lost, a wall that is taken for a page is one odd page.

const (
	wallSize  = 64 << 10 // bytes of a body that are looked at
	smallPage = 4 << 10  // a 2xx page larger than this is no challenge
)

// challengeMarks are found in the body of a refusal that is a challenge.
var challengeMarks = [][]byte{
	[]byte("/cdn-cgi/challenge-platform/"), // Cloudflare
	[]byte("_cf_chl_opt"),
	[]byte("captcha-delivery.com"), // DataDome
	[]byte("px-captcha"),           // HUMAN
	[]byte("_Incapsula_Resource"),  // Imperva
	[]byte("awswaf.com"),           // AWS WAF
	[]byte("hcaptcha.com/1/api.js"),
	[]byte("recaptcha/api.js"),
}

// challenge reports whether f asks for a proof that a human reads it: by a
// header that says so, or, where the status is a refusal or the page is tiny, by
// the script of a known service.
func (f facts) challenge() bool {
	if strings.EqualFold(f.header.Get("Cf-Mitigated"), "challenge") {
		return true
	}
	switch strings.ToLower(f.header.Get("X-Amzn-Waf-Action")) {
	case "challenge", "captcha":
		return true
	}
	switch f.status {
	case 401, 403, 405, 429, 503:
		return f.isHTML() && f.marked(challengeMarks)
	case 200:
		return f.isHTML() && len(f.body) <= smallPage && f.marked(challengeMarks[4:5])
	}
	return false
}

// loginTitles are the titles of pages that are a login form, alone or before
// the name of the site.
var loginTitles = []string{
	"log in", "login", "log on", "logon", "sign in", "signin", "sign-in",
	"anmelden", "anmeldung", "connexion", "se connecter", "iniciar sesión", "acceder", "accedi", "вход", "войти", "登录", "ログイン",
}

// separators stand in a title between what a page is and whose it is.
var separators = []string{"|", "-", ":", "·", "–", "—", "to "}

// login reports whether f is a login form: a page in HTML with a password field
// whose title begins by saying so, or a refusal with a password field.
func (f facts) login() bool {
	if !f.isHTML() {
		return false
	}
	refusal := f.status == 401 || f.status == 403
	return (refusal || f.titledLogin()) && f.hasPassword()
}

// titledLogin reports whether the title says that the page is a login form.
func (f facts) titledLogin() bool {
	title := f.title()
	return slices.ContainsFunc(loginTitles, func(word string) bool {
		rest, ok := strings.CutPrefix(title, word)
		rest = strings.TrimLeft(rest, " \t\n")
		return ok && (rest == "" || slices.ContainsFunc(separators, func(s string) bool { return strings.HasPrefix(rest, s) }))
	})
}

func (f facts) isHTML() bool {
	return f.media == "text/html" || f.media == "application/xhtml+xml"
}

// start returns the part of the body that is looked at.
func (f facts) start() []byte {
	return f.body[:min(len(f.body), wallSize)]
}

func (f facts) marked(marks [][]byte) bool {
	body := f.start()
	return slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(body, mark) })
}

// hasPassword reports whether the page has an input of type password.
func (f facts) hasPassword() bool {
	body := f.start()
	for _, word := range [][]byte{[]byte("password"), []byte("PASSWORD")} {
		for rest := body; ; {
			before, after, found := bytes.Cut(rest, word)
			if !found {
				break
			}
			attribute := bytes.ToLower(bytes.TrimRight(before[max(0, len(before)-16):], `"' `))
			if bytes.HasSuffix(attribute, []byte("type=")) {
				return true
			}
			rest = after
		}
	}
	return false
}

// title returns the page's title, in lower case and without outer space.
func (f facts) title() string {
	body := f.start()
	start := indexFold(body, "<title")
	if start < 0 {
		return ""
	}
	_, text, _ := bytes.Cut(body[start:], []byte(">"))
	text, _, _ = bytes.Cut(text, []byte("<"))
	return strings.ToLower(string(bytes.TrimSpace(text[:min(len(text), 256)])))
}

// indexFold finds an ASCII word in lower or upper case.
func indexFold(body []byte, word string) int {
	if i := bytes.Index(body, []byte(word)); i >= 0 {
		return i
	}
	return bytes.Index(body, []byte(strings.ToUpper(word)))
}
