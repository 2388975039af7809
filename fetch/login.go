package fetch

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/weircrawl/weir/internal/header"
)

// loginTitles are the titles of pages that are a login form, alone or before
// the name of the site.
var loginTitles = []string{
	"log in", "login", "log on", "logon", "sign in", "signin", "sign-in",
	"anmelden", "anmeldung", "connexion", "se connecter", "iniciar sesión", "acceder", "accedi", "вход", "войти", "登录", "ログイン",
}

// separators stand in a title between what a page is and whose it is.
var separators = []string{"|", "-", ":", "·", "–", "—", "to "}

// loginText is the most text that stands around a login form.
const loginText = 8 << 10

// login returns the mark of an answer that wants a visitor to say who it is: a
// 401 that names a scheme, a redirect to a login form that leads back here, or a
// page that is such a form. A page that has one in its margin is a page.
func (f facts) login() string {
	switch f.status {
	case http.StatusUnauthorized:
		if scheme := f.scheme(); scheme != "" {
			return "www-authenticate: " + scheme
		}
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
		return f.loginRedirect()
	}
	if f.isHTML() && (f.status/100 == 2 || f.status == 401 || f.status == 403) {
		return f.loginForm()
	}
	return ""
}

// scheme returns the first scheme by which a 401 can be answered (RFC 9110,
// section 11.6.1).
func (f facts) scheme() string {
	scheme, _, _ := strings.Cut(strings.TrimSpace(f.header.Get("WWW-Authenticate")), " ")
	scheme, _, _ = strings.Cut(scheme, ",")
	return strings.ToLower(scheme[:min(len(scheme), 32)])
}

// loginForm returns the mark of a page that is a login form.
func (f facts) loginForm() string {
	page := f.start()
	titled := titledLogin(title(page))
	refusal := f.status/100 == 4
	if !titled && !refusal && len(f.body) > smallPage || indexFold(page, "password") < 0 {
		return ""
	}
	g := look(page)
	switch {
	case g.passwords == 0:
		return ""
	case titled && g.text <= loginText:
		return "form: title and password"
	case refusal:
		return "form: password under a refusal"
	case g.passwords == 1 && g.text <= hollowText/4 && g.links <= hollowLinks:
		return "form: password and nothing else" // two are a registration
	}
	return ""
}

// titledLogin reports whether a title says that its page is a login form.
func titledLogin(title string) bool {
	return slices.ContainsFunc(loginTitles, func(word string) bool {
		rest, ok := strings.CutPrefix(title, word)
		rest = strings.TrimLeft(rest, " \t\n")
		return ok && (rest == "" || slices.ContainsFunc(separators, func(s string) bool { return strings.HasPrefix(rest, s) }))
	})
}

// loginPaths are the names of login forms, as the last part of a path or the one
// before, without separators and endings.
var loginPaths = []string{"login", "wplogin", "userlogin", "signin", "signon", "logon", "sso", "servicelogin", "auth", "authenticate"}

// silent are parameters by which a site asks without showing a form, and comes
// back whatever the answer is: OpenID Connect Core, section 3.1.2.1; SAML 2.0
// core, section 3.4.1; CAS 3.0, section 2.1.1; Google's.
var silent = map[string]string{"prompt": "none", "ispassive": "true", "gateway": "true", "passive": "true"}

// loginRedirect returns the mark of a redirect to a login form that has been told
// to lead back to what was asked for. Every other redirect is one: its target is
// admitted as a URL, and speaks for itself. This one is not followed, because
// each page of a closed area would lead to a form of its own.
func (f facts) loginRedirect() string {
	place, _ := header.Location(f.header["Location"])
	to, err := url.Parse(place)
	if err != nil {
		return ""
	}
	form := loginPart(to.Path)
	if form == "" {
		return ""
	}
	query := to.Query()
	for key, values := range query {
		if quiet := silent[strings.ToLower(key)]; quiet != "" && strings.EqualFold(values[0], quiet) {
			return ""
		}
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if slices.ContainsFunc(query[key], f.asked.isNamedBy) {
			return fmt.Sprintf("redirect: %s?%.32s=", form, key)
		}
	}
	return ""
}

// loginPart returns the one of the last two parts of a path that names a login
// form, or nothing.
func loginPart(p string) string {
	parts := strings.Split(strings.Trim(strings.ToLower(p), "/"), "/")
	for _, part := range parts[max(0, len(parts)-2):] {
		name := strings.TrimSuffix(part, path.Ext(part))
		if len(part) <= 32 && slices.Contains(loginPaths, strings.NewReplacer("-", "", "_", "").Replace(name)) {
			return part
		}
	}
	return ""
}

// isNamedBy reports whether a parameter's value is t, as a URL or as a path,
// perhaps escaped once more.
func (t target) isNamedBy(value string) bool {
	again, err := url.QueryUnescape(value)
	return t.is(value) || err == nil && t.is(again)
}

// is reports whether t is what value writes, with or without scheme and host,
// and query.
func (t target) is(value string) bool {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		host := rest
		if end := strings.IndexAny(rest, "/?"); end >= 0 {
			host = rest[:end]
		}
		if !strings.EqualFold(host, t.host) && !strings.EqualFold(host, t.hostname()) {
			return false
		}
		value = "/" + rest[len(host):]
	}
	if value == "" {
		return false
	}
	value = "/" + strings.TrimLeft(value, "/")
	return value == t.path || value == t.path+t.query
}
