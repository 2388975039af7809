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

// separators stand in a title between what a page is and whose it is. What
// follows a leader may as well be what the page is about.
var (
	separators = []string{"|", "-", "·", "–", "—"}
	leaders    = []string{":", "to "}
)

// nameWords is how many words the name of a site has at most.
const nameWords = 4

// loginLinks is how many links stand around the login form of a large site.
const loginLinks = 3 * hollowLinks

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
	named, led := titledLogin(title(page))
	refusal, size := f.status/100 == 4, smallPage
	if named || led {
		size = wallSize // of which all is looked at
	}
	if !refusal && len(f.body) > size || indexFold(page, "password") < 0 {
		return ""
	}
	g := look(page)
	switch {
	case g.passwords == 0:
		return ""
	case named && g.text <= hollowText && g.links <= loginLinks || led && g.bare():
		return "form: title and password"
	case refusal:
		return "form: password under a refusal"
	case g.passwords == 1 && g.logins == 1 && g.bare() && g.links == g.inForms:
		return "form: password and nothing else" // two are a registration
	}
	return ""
}

// titledLogin reports whether a title says that its page is a login form, with
// no more than the name of a site, or with words that may be about one.
func titledLogin(title string) (named, led bool) {
	for _, word := range loginTitles {
		rest, ok := strings.CutPrefix(title, word)
		if !ok {
			continue
		}
		rest = strings.TrimSpace(rest)
		separated := hasAnyPrefix(rest, separators)
		named = named || rest == "" || separated && len(strings.Fields(rest)) <= 1+nameWords
		led = led || separated || hasAnyPrefix(rest, leaders)
	}
	return named, led
}

func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// loginPaths are the names of login forms, as the last part of a path or the one
// before, without separators and endings.
var loginPaths = []string{"login", "wplogin", "userlogin", "signin", "signon", "logon", "sso", "servicelogin", "auth", "authenticate"}

// sentToLogin reports whether the action of a form is to log in.
func sentToLogin(action string) bool {
	to, err := url.Parse(strings.TrimSpace(action))
	if err != nil {
		return false
	}
	last := path.Base(to.Path)
	return loginPart(last) != "" || last == "session" || last == "sessions"
}

// silent are parameters by which a site asks without showing a form, and comes
// back whatever the answer is: OpenID Connect Core, section 3.1.2.1; SAML 2.0
// core, section 3.4.1; CAS 3.0, section 2.1.1; Google's; and what others call it.
var silent = map[string][]string{"prompt": {"none"}, "ispassive": {"true"}, "gateway": {"true"}, "passive": {"true"}, "silent": {"1", "true"}}

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
		if slices.Contains(silent[strings.ToLower(key)], strings.ToLower(values[0])) {
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

// is reports whether t is what value writes: as a URL, or as a path from its
// root, each with or without query.
func (t target) is(value string) bool {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		host := rest
		if end := strings.IndexAny(rest, "/?"); end >= 0 {
			host = rest[:end]
		}
		if !strings.EqualFold(host, t.host) && !strings.EqualFold(host, t.hostname()) {
			return false
		}
		value = "/" + strings.TrimPrefix(rest[len(host):], "/")
	}
	return value == t.path || value == t.path+t.query
}
