package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	passwordForm = `<form method=post action=/session><input name=user><input type="password" name=p><button>Go</button></form>`
	cloudflare   = `<!DOCTYPE html><html><head><title>Just a moment...</title><script>(function(){window._cf_chl_opt = {cType: 'managed'};
var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1';}())</script></head>
<body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>`
	akamai = `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'"></head><body><iframe src=""></iframe>
<script>function triggerInterstitialChallenge() {xhr.open("POST", "/_sec/verify?provider=interstitial", false);}</script></body></html>`
	akamaiForm = `<html><body><div id="sec-if-cpt-container"></div><p>Powered and protected by Akamai</p></body></html>`
	dataDome   = `<html lang="en"><head><title>shop.test</title></head><body><p id="cmsg">Please enable JS and disable any ad blocker</p>
<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script></body></html>`
	human = `<html><head><title>Access to this page has been denied.</title></head><body><div id="px-captcha"></div>
<script>window._pxAppId = 'PX1';</script></body></html>`
	imperva = `<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body>
<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9&xinfo=1">Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>`
	awsWAF = `<html><head><script>window.awsWafCookieDomainList = [];window.gokuProps = {"key":"k"};</script>
<script src="https://x.token.awswaf.com/x/challenge.js"></script></head><body><div id="challenge-container"></div></body></html>`
	anubis = `<html><head><title>Making sure you're not a bot!</title>
<script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast"}}</script></head><body>Loading...
<p>You are seeing this because the administrator of this website has set up <a href=https://github.com/TecharoHQ/anubis>Anubis</a>.</body></html>`
	sucuri = `<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript><script>var s={},sucuri_cloudproxy_js='';</script></html>`
	kasada = `<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now.bind(Date);KPSDK.start=KPSDK.now();</script>
<script src="/149e9513/2d206a39/ips.js?KP_UIDz=a&amp;x-kpsdk-im=b"></script></body></html>`
	sorry = `<html><title>Sorry</title><script src=https://www.google.com/recaptcha/api.js></script><form><div class=g-recaptcha></div></form>Unusual traffic.</html>`

	// What the same services put on pages which they let through.
	sensors = `<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script>window.__CF$cv$params={r:'1'}</script>
<script src="https://js.datadome.co/tags.js"></script><script>window._pxAppId='PX1'</script><script src="/akam/13/1"></script>
<script src="/_Incapsula_Resource?SWJIYLWA=719d"></script><script src="https://x.token.awswaf.com/x/challenge.js"></script>
<script src=https://www.google.com/recaptcha/api.js></script><div class="h-captcha"></div><script src=https://hcaptcha.com/1/api.js></script>
<script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>
<script src="/149e9513/2d206a39/p.js"></script><script>window.KPSDK={};KPSDK.configure([])</script>`
)

// article is a page with something to read and something to follow.
func article(title, rest string) string {
	return "<html><head><title>" + title + "</title></head><body>" + rest +
		strings.Repeat("<p>There is more to say about this, and <a href=/more>more to read</a>.", 100)
}

// paywall is structured data of a page that is not free, with a part that hides.
func paywall(free, part string) string {
	return `<script type="application/ld+json"> {"@context": "https://schema.org", "@type": "NewsArticle", "isAccessibleForFree": ` + free + `, "hasPart": ` + part + `}</script>`
}

func TestAWallIsKnownByItsMark(t *testing.T) {
	const part = `{"@type": "WebPageElement", "isAccessibleForFree": false, "cssSelector": ".paywall"}`
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	titled := func(title string) string {
		return "<html><head><TITLE> " + title + "\n</TITLE></head>" + passwordForm
	}
	cases := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   Class
		mark   string
	}{
		// Login: by status, by form, by redirect.
		{"401 with a scheme", 401, header("Www-Authenticate", `Basic realm="x"`), "", Login, "www-authenticate: basic"},
		{"401 with two schemes", 401, header("Www-Authenticate", `Negotiate, NTLM`), "", Login, "www-authenticate: negotiate"},
		{"401 without one", 401, nil, article("Members", ""), Denied, ""},
		{"403 with a scheme", 403, header("Www-Authenticate", `Basic realm="x"`), "", Denied, ""},
		{"form", 200, nil, titled("Log in"), Login, "form: title and password"},
		{"form of a site", 200, nil, titled("Sign in · Example"), Login, "form: title and password"},
		{"form in German", 200, nil, titled("Anmelden | Beispiel"), Login, "form: title and password"},
		{"form in upper case", 200, nil, `<TITLE>LOGIN</TITLE><INPUT NAME=P TYPE=PASSWORD>`, Login, "form: title and password"},
		{"form under 401", 401, nil, titled("Members"), Login, "form: password under a refusal"},
		{"form under 403", 403, nil, titled("Members"), Login, "form: password under a refusal"},
		{"form under 404", 404, nil, titled("Log in"), Missing, ""},
		{"form and nothing else", 200, nil, titled("Example Corp."), Login, "form: password and nothing else"},
		{"form and what belongs to it", 200, nil, "<title>Example Corp.</title><form action=https://id.test/users/sign_in><input type=password><a href=/reset>Forgotten?</a></form>", Login, "form: password and nothing else"},
		{"form that leads on", 200, nil, titled("Example Corp.") + "<a href=/x>x</a>", Fetched, ""},
		{"form with 30 links", 200, nil, titled("Log in - Example Corp.") + strings.Repeat("<a href=/x>x</a>", 30), Login, "form: title and password"},
		{"form with 31 links", 200, nil, titled("Log in - Example Corp.") + strings.Repeat("<a href=/x>x</a>", 31), Fetched, ""},
		{"form to somewhere", 200, nil, titled("Sign in to Example · Example"), Login, "form: title and password"},
		{"registration", 200, nil, titled("Example Corp.") + passwordForm, Fetched, ""},
		{"form in a header", 200, nil, article("Forum", passwordForm), Fetched, ""},
		{"article about logging in", 200, nil, article("Login: how it works", passwordForm+strings.Repeat("words and words ", 500)), Fetched, ""},
		{"title that goes on", 200, nil, article("Login failures in 2024", passwordForm), Fetched, ""},
		{"title alone", 200, nil, "<title>Log in</title>no form", Fetched, ""},
		{"text about passwords", 200, nil, "<title>Log in</title>set password_encryption = 'x'; type the password", Fetched, ""},
		{"script with a form", 200, nil, "<title>Log in</title><script>'<input type=password>'</script>", Fetched, ""},
		{"comment with a form", 200, nil, "<title>Log in</title><!-- <input type=password> -->", Fetched, ""},
		{"name is not a type", 200, nil, `<title>Log in</title><input name="password">`, Fetched, ""},
		{"redirect back by path", 302, header("Location", "/login?next=/account%3Fx%3D1"), "", Login, "redirect: login?next="},
		{"redirect back without the query", 303, header("Location", "https://a.test/wp-login.php?reauth=1&redirect_to=/account"), "", Login, "redirect: wp-login.php?redirect_to="},
		{"redirect back by URL", 302, header("Location", "https://id.test/users/sign_in?ret=http%3A%2F%2Fa.test%2Faccount%3Fx%3D1"), "", Login, "redirect: sign_in?ret="},
		{"redirect back, escaped twice", 307, header("Location", "/Account/Login?ReturnUrl=%252Faccount"), "", Login, "redirect: login?ReturnUrl="},
		{"redirect to a login without a way back", 302, header("Location", "/login"), "", Redirected, ""},
		{"redirect to a login that leads elsewhere", 302, header("Location", "/login?next=/other"), "", Redirected, ""},
		{"redirect to a login that leads to another host", 302, header("Location", "/login?next=http://b.test/account"), "", Redirected, ""},
		{"redirect back from somewhere else", 302, header("Location", "/consent?next=/account"), "", Redirected, ""},
		{"redirect that asks silently", 302, header("Location", "/sso?prompt=none&next=/account"), "", Redirected, ""},
		{"redirect to no URL", 302, header("Location", "/login?next=/account\x7f"), "", Redirected, ""},

		// Payment: by status, by what the page says of itself.
		{"402", 402, nil, article("Pay", ""), Payment, ""},
		{"article to be paid for", 200, nil, article("News", paywall("false", part)), Payment, "schema.org: isAccessibleForFree: false"},
		{"article to be paid for, in a list", 200, nil, article("News", paywall(`"False"`, "["+part+"]")), Payment, "schema.org: isAccessibleForFree: false"},
		{"article to be paid for, in a graph", 200, nil, article("News", `<script type='application/ld+json'>{"@graph": [{"isAccessibleForFree": "http://schema.org/False", "hasPart": `+part+`}]}</script>`), Payment, "schema.org: isAccessibleForFree: false"},
		{"second block of data", 200, nil, article("News", `<script type="application/ld+json">{broken</script>`+paywall("false", part)), Payment, "schema.org: isAccessibleForFree: false"},
		{"free article with a part that is not", 200, nil, article("News", paywall("true", part)), Fetched, ""},
		{"article that is not free and hides nothing", 200, nil, article("News", paywall("false", `{"cssSelector": ".x", "isAccessibleForFree": true}`)), Fetched, ""},
		{"museum that is not free", 200, nil, article("Museum", `<script type="application/ld+json">{"@type": "Museum", "isAccessibleForFree": false}</script>`), Fetched, ""},
		{"list of articles to be paid for", 200, nil, article("News", `<script type="application/ld+json">{"@type": "ItemList", "itemListElement": [{"isAccessibleForFree": false, "hasPart": `+part+`}]}</script>`), Fetched, ""},
		{"article about paywalls", 200, nil, article("Markup", `<pre>"isAccessibleForFree": false, "hasPart": {"isAccessibleForFree": false, "cssSelector": ".paywall"}</pre>`), Fetched, ""},
		{"missing article to be paid for", 404, nil, article("News", paywall("false", part)), Missing, ""},

		// Challenge: by header, by script.
		{"header of Cloudflare", 403, header("Cf-Mitigated", "challenge"), "", Challenge, "cloudflare: cf-mitigated: challenge"},
		{"header of Cloudflare before busy", 429, header("Cf-Mitigated", "challenge"), "", Challenge, "cloudflare: cf-mitigated: challenge"},
		{"header of AWS", 202, header("X-Amzn-Waf-Action", "challenge"), "", Challenge, "aws waf: x-amzn-waf-action: challenge"},
		{"captcha of AWS", 405, header("X-Amzn-Waf-Action", "captcha"), "", Challenge, "aws waf: x-amzn-waf-action: captcha"},
		{"header of Vercel", 429, header("X-Vercel-Mitigated", "challenge"), "", Challenge, "vercel: x-vercel-mitigated: challenge"},
		{"denial of Vercel", 403, header("X-Vercel-Mitigated", "deny"), "", Denied, ""},
		{"Cloudflare", 403, nil, cloudflare, Challenge, "cloudflare: _cf_chl_opt"},
		{"Cloudflare under 503", 503, nil, cloudflare, Challenge, "cloudflare: _cf_chl_opt"},
		{"Akamai under 200", 200, nil, akamai, Challenge, "akamai: triggerInterstitialChallenge"},
		{"Akamai under 428", 428, nil, akamaiForm, Challenge, "akamai: sec-if-cpt-container"},
		{"DataDome", 403, nil, dataDome, Challenge, "datadome: captcha-delivery.com/"},
		{"HUMAN", 403, nil, human, Challenge, "human: px-captcha"},
		{"Imperva under 200", 200, nil, imperva, Challenge, "imperva: _Incapsula_Resource?CWUDNSAI="},
		{"AWS WAF without its header", 202, nil, awsWAF, Challenge, "aws waf: gokuProps"},
		{"Anubis under 200", 200, nil, anubis, Challenge, "anubis: anubis_challenge"},
		{"Sucuri under 200", 200, nil, sucuri, Challenge, "sucuri: sucuri_cloudproxy_js"},
		{"Kasada", 429, nil, kasada, Challenge, "kasada: /ips.js?KP_UIDz="},
		{"Kasada behind Akamai", 429, nil, strings.ReplaceAll(kasada, "KP_UIDz", "akm_bmfp_b2"), Challenge, "kasada: x-kpsdk-im="},
		{"captcha of the site", 429, nil, sorry, Challenge, "recaptcha: recaptcha/api.js"},
		{"page with a captcha", 200, nil, sorry, Fetched, ""},
		{"missing page with a captcha", 404, nil, sorry, Missing, ""},
		{"missing page of a challenger", 404, nil, cloudflare, Missing, ""},
		{"page behind every service", 200, nil, article("Shop", sensors), Fetched, ""},
		{"small page behind every service", 200, nil, "<title>Shop</title>closed" + sensors, Fetched, ""},
		{"busy site behind every service", 503, nil, article("Back soon", sensors), Busy, ""},
		{"denial behind every service", 403, nil, article("Denied", sensors), Denied, ""},
		{"article with the marks in its text", 200, nil, "<title>How Cloudflare works</title><pre>&lt;script&gt;window._cf_chl_opt, px-captcha, gokuProps&lt;/script&gt;</pre>", Fetched, ""},
		{"article about Cloudflare", 200, nil, article("Just a moment...", cloudflare), Fetched, ""},
		{"refusal with a mark in its text", 403, nil, "<title>No</title>window._cf_chl_opt", Denied, ""},
		{"large page with a mark", 200, nil, imperva + strings.Repeat(" ", smallPage), Fetched, ""},
		{"mark beyond the bytes that are looked at", 403, nil, strings.Repeat(" ", wallSize) + cloudflare, Denied, ""},
	}
	asked, err := parseTarget("http://a.test/account?x=1")
	require.NoError(t, err)
	for _, c := range cases {
		f := facts{status: c.status, header: c.header, media: "text/html", body: []byte(c.body), asked: asked}
		class, mark := f.class()
		assert.Equal(t, c.want, class, c.name)
		assert.Equal(t, c.mark, mark, c.name)
		if c.header == nil {
			f.media = "application/json"
			assert.Equal(t, f.byStatus(), justClass(f), "%s, but not HTML", c.name)
		}
	}
}

// TestAPageIsNotTakenForAWall has pages that share more with a wall than they
// should: each is lost with its links if a rule is too wide.
func TestAPageIsNotTakenForAWall(t *testing.T) {
	const (
		password = `<form action="/login"><input name=user><input type=password name=p><button>Login</button></form>`
		part     = `"hasPart": {"@type": "WebPageElement", "isAccessibleForFree": false, "cssSelector": ".p"}`
		unfree   = `"@type": "NewsArticle", "isAccessibleForFree": false, ` + part
	)
	var (
		prose  = strings.Repeat("<p>The server says that my password is wrong since the update.</p>", 40)
		topics = strings.Repeat(`<li><a href="/t/1">topic</a></li>`, 150)
		data   = func(json string) string {
			return `<title>News</title>` + topics + `<script type="application/ld+json">` + json + `</script>`
		}
		app = func(script string) string {
			return `<title>How to detect a challenge</title><div id=app></div><script ` + script + `>{"post":"it sets window._cf_chl_opt"}</script>`
		}
	)
	cases := []struct {
		name   string
		status int
		body   string
		want   Class
	}{
		{"topic of a forum that has a form on every page", 200, `<title>Login - wrong password since update | My Forum</title>` + password + topics + prose, Fetched},
		{"short topic of such a forum", 200, `<title>Login - wrong password since the last update | My Forum</title>` + password + topics[:20*33] + prose[:600], Fetched},
		{"tutorial", 200, `<title>Login: how to build a login form in HTML</title><nav>` + topics + `</nav>` + prose + password, Fetched},
		{"short tutorial", 200, `<title>Login: how to build a login form in HTML</title>` + prose[:600] + password, Fetched},
		{"guide", 200, `<title>Log in to WordPress: a beginner's guide - Blog</title><nav>` + topics + `</nav>` + prose + `<aside>` + password + `</aside>`, Fetched},
		{"documentation", 200, `<title>Sign in - Keycloak documentation</title><nav>` + topics + `</nav><pre>&lt;input type="password"&gt;</pre>` + prose, Fetched},
		{"topic without links", 200, `<title>Login | My Forum</title>` + password + prose, Fetched},
		{"page of which a part is seen", 200, `<title>Log in</title>` + password + `<style>` + strings.Repeat(" ", wallSize) + `</style>` + prose, Fetched},
		{"registration with one password", 200, `<title>Create account</title><h1>Create account</h1><form action=/auth/register><input name=email><input type=password name=p><button>Sign up</button></form>`, Fetched},
		{"registration that says nothing", 200, `<title>Create account</title><form><input name=email><input type=password name=p><button>Sign up</button></form>`, Fetched},
		{"login and registration", 200, `<title>Example</title>` + password + `<form action=/join><input type=password></form>`, Fetched},
		{"fresh site", 200, `<title>Welcome to My Site | My Site</title><a href="/">Home</a><form action="/user/login"><input name=name><input type=password name=pass><a href=/user/register>Create new account</a></form><p>No front page content has been created yet.</p><a href=/news>News</a>`, Fetched},
		{"small site", 200, `<title>Our Club</title>` + password + `<a href=/news>News</a>`, Fetched},
		{"small site that leads on before its form", 200, `<title>Our Club</title><a href=/news>News</a>` + password, Fetched},
		{"small site of large scripts", 200, `<title>Our Club</title>` + password + `<script>` + strings.Repeat(" ", smallPage) + `</script>`, Fetched},
		{"small site with a form that does not end", 200, `<title>Our Club</title>` + strings.ReplaceAll(password, "</form>", "") + `<a href=/news>News</a>`, Fetched},
		{"tool", 200, `<title>Password strength checker</title><h1>How strong is my password?</h1><input type=password id=p><p id=out></p>`, Fetched},

		{"maintenance with a newsletter", 503, `<title>Under maintenance</title><p>Leave your address</p><form><input name=email><div class=g-recaptcha></div></form><script src="https://www.google.com/recaptcha/api.js"></script>`, Busy},
		{"maintenance with a captcha", 503, sorry, Busy},
		{"busy site with a contact form", 429, `<title>Too many requests</title><form><textarea name=m></textarea><div class=g-recaptcha></div></form><script src="https://www.google.com/recaptcha/api.js"></script>`, Busy},
		{"busy site with a newsletter", 429, `<title>Too many requests</title><form><input type=EMAIL></form><script src="https://www.google.com/recaptcha/api.js"></script>`, Busy},
		{"busy customer of a service", 429, `<title>Too many requests</title><script>window.KPSDK={};KPSDK.now=Date.now</script>`, Busy},
		{"busy site with a mark on its page", 503, article("Back soon", cloudflare), Busy},
		{"article in data", 200, app(`id="__NEXT_DATA__" type="application/json"`), Fetched},
		{"article in data of another type", 200, app(`type=text/template`), Fetched},
		{"article in data of a refusal", 403, app(`type=application/ld+json`), Denied},

		{"section front, one of it not free", 200, data(`[{"url": "/1", ` + unfree + `}, {"@type": "NewsArticle", "url": "/2"}]`), Fetched},
		{"section front, all of it not free", 200, data(`[{"url": "/1", ` + unfree + `}, {"mainEntityOfPage": {"@id": "http://a.test/2"}, ` + unfree + `}]`), Fetched},
		{"section front, one of it described", 200, data(`{"@id": "http://a.test/1", ` + unfree + `}`), Fetched},
		{"section front, in blocks", 200, data(`{`+unfree+`}`) + data(`{"@type": ["BlogPosting"]}`), Fetched},
		{"section front, in a graph", 200, data(`{"@graph": [{` + unfree + `}, {"@type": "NewsArticle"}]}`), Fetched},
		{"free article with a teaser", 200, data(`[{"@type": "NewsArticle", "url": "http://a.test/account"}, {` + unfree + `}]`), Fetched},
		{"article with a teaser that is free", 200, data(`[{"@type": "NewsArticle", "url": "/2"}, {"url": "https://www.a.test/account/#article", ` + unfree + `}]`), Payment},
		{"article with an unnamed one that is free", 200, data(`[{"@type": "NewsArticle"}, {"mainEntityOfPage": {"@id": "/account"}, ` + unfree + `}]`), Payment},
		{"article that is described twice", 200, data(`[{"@type": "NewsArticle", "url": "/account"}, {"url": "/account?x=1", ` + unfree + `}]`), Payment},
		{"section front, with names of its own", 200, data(`[{"@id": "#1", ` + unfree + `}, {"@id": "#2", "@type": "NewsArticle"}]`), Fetched},
		{"article with a name of its own", 200, data(`{"@id": "#article", ` + unfree + `}`), Payment},
	}
	asked, err := parseTarget("http://a.test/account?x=1")
	require.NoError(t, err)
	for _, c := range cases {
		class, mark := facts{status: c.status, media: "text/html", body: []byte(c.body), asked: asked}.class()
		assert.Equal(t, c.want, class, "%s: %s", c.name, mark)
	}
}

func TestARedirectIsNotTakenForALogin(t *testing.T) {
	for _, c := range []struct{ asked, place string }{
		{"http://a.test/en", "/en/sso?lang=en"},
		{"http://a.test/shop", "/auth?section=shop"},
		{"http://a.test/shop/", "/auth?section=shop%2F"},
		{"http://a.test/", "/auth/check?return=/&silent=1"},
		{"http://a.test/", "/sso?next="},
		{"http://a.test/x", "/sso?next=http://a.testx"},
	} {
		asked, err := parseTarget(c.asked)
		require.NoError(t, err)
		class, mark := facts{status: 302, header: http.Header{"Location": {c.place}}, asked: asked}.class()
		assert.Equal(t, Redirected, class, "%s: %s", c.place, mark)
	}
}

func TestWallsAreLookedForInLinearTime(t *testing.T) {
	for _, bomb := range []string{
		"<title>Log in</title>" + strings.Repeat("<input type=password ", 1<<16),
		"<title>Log in</title>" + strings.Repeat("<a href=", 1<<16),
		strings.Repeat("<title", 1<<16) + "password",
		strings.Repeat(`isAccessibleForFree application/ld+json>`, 1<<14) + "</script",
		`<script type="application/ld+json">isAccessibleForFree` + strings.Repeat("[", 1<<17),
		`isAccessibleForFree<script type="application/ld+json">` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "</script>",
		strings.Repeat("_cf_chl_opt<!--", 1<<14),
	} {
		f := facts{status: 403, media: "text/html", body: []byte(bomb)}
		start := time.Now()
		f.class()
		f.status = 200
		f.class()
		assert.Less(t, time.Since(start), time.Second, "%.40s", bomb)
	}
}
