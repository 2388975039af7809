package fetch

import (
	"bytes"
	"net/http"
	"strings"
)

// challengeHeaders are headers by which a service says that this answer is its
// challenge.
var challengeHeaders = []struct {
	service, name string
	values        []string
}{
	// developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response
	{"cloudflare", "Cf-Mitigated", []string{"challenge"}},
	// docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
	{"aws waf", "X-Amzn-Waf-Action", []string{"challenge", "captcha"}},
	// vercel.com/docs/vercel-firewall: seen with 403 and 429
	{"vercel", "X-Vercel-Mitigated", []string{"challenge"}},
}

// A mark is a text in the tags or scripts of a page by which a service is known.
type mark struct{ service, text string }

// challengeMarks are on the challenges of a service, and on no page that it let
// through: not the sensors which Cloudflare (/scripts/jsd/), DataDome
// (js.datadome.co), HUMAN (_pxAppId), Imperva (SWJIYLWA), AWS (token.awswaf.com)
// and Kasada (window.KPSDK) put on every page of their customers. Each was compared with
// challenge pages kept in public repositories.
var challengeMarks = []mark{
	{"cloudflare", "_cf_chl_opt"},
	{"cloudflare", "/orchestrate/chl_page/"},
	{"cloudflare", "cf-browser-verification"}, // until 2022
	{"akamai", "sec-if-cpt-container"},
	{"akamai", "triggerInterstitialChallenge"},
	{"datadome", "captcha-delivery.com/"},
	{"human", `px-captcha`},
	{"imperva", "_Incapsula_Resource?CWUDNSAI="},
	{"aws waf", "gokuProps"},
	{"anubis", "anubis_challenge"}, // github.com/TecharoHQ/anubis
	{"sucuri", "sucuri_cloudproxy_js"},
	{"ddos-guard", "/.well-known/ddos-guard/js-challenge/"},
	{"kasada", "/ips.js?KP_UIDz="},
	{"kasada", "x-kpsdk-im="},
	{"radware", "captcha.perfdrive.com"},
}

// captchaMarks load a captcha, which many pages have beside their contents: in
// their forms, also on an error page.
var captchaMarks = []mark{
	{"hcaptcha", "hcaptcha.com/1/api.js"},
	{"recaptcha", "recaptcha/api.js"},
	{"recaptcha", "recaptcha/enterprise.js"},
	{"turnstile", "challenges.cloudflare.com/turnstile/"},
}

// challenge returns the mark of a page that asks for a proof that a human reads
// it: a header that says so, the script of a known service, or a captcha of the
// site's own.
func (f facts) challenge() string {
	for _, h := range challengeHeaders {
		for _, value := range h.values {
			if strings.EqualFold(f.header.Get(h.name), value) {
				return h.service + ": " + strings.ToLower(h.name) + ": " + value
			}
		}
	}
	if !f.isHTML() || !f.challenging() && (f.status/100 != 2 || f.full()) {
		return ""
	}
	page := f.start()
	if m, ok := find(page, challengeMarks); ok && f.byService(m, look(page)) {
		return m.String()
	}
	if m, ok := find(page, captchaMarks); ok && f.byCaptcha(m, look(page)) {
		return m.String()
	}
	return ""
}

// byService reports whether a page is the challenge of a known service: its mark
// is in the code, on a denial or on a page with nothing else.
func (f facts) byService(m mark, g glance) bool {
	return bytes.Contains(g.code, []byte(m.text)) && (f.denying() || g.hollow())
}

// byCaptcha reports whether a page is there for its captcha: it refuses, has
// nothing else, and no form that the captcha protects. It is none under 503, by
// which a site in maintenance asks to come back.
func (f facts) byCaptcha(m mark, g glance) bool {
	return bytes.Contains(g.code, []byte(m.text)) && g.hollow() && g.fields == 0 &&
		(f.denying() || f.status == http.StatusTooManyRequests)
}

// full reports, at little cost, that there is more on a page than a challenge has.
func (f facts) full() bool {
	return len(f.body) > smallPage || bytes.Count(f.body, []byte("<a ")) > hollowLinks
}

// challenging reports whether challenges come under the status as a rule.
func (f facts) challenging() bool {
	return f.denying() || f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable
}

// denying reports whether the status is a refusal for good.
func (f facts) denying() bool {
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusPreconditionRequired:
		return true
	}
	return false
}

// find returns the first mark that is in page.
func find(page []byte, marks []mark) (mark, bool) {
	for _, m := range marks {
		if bytes.Contains(page, []byte(m.text)) {
			return m, true
		}
	}
	return mark{}, false
}

// String is the mark as Response.Mark names it.
func (m mark) String() string { return m.service + ": " + m.text }
