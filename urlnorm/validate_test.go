package urlnorm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatHasAnEffectIsValid(t *testing.T) {
	sites := []string{"a.test", "127.0.0.1", "::1", "::ffff:102:304", "localhost", "co.uk", "me.github.io", "xn--bcher-kva.test"}
	names := []string{"", "a", "SID", "a%20b", "a+b", "%C3%BC", "it%27s", "a%3Db", "a%26b", "ids[]", "a;b", "%%4", "%FC"}
	for _, site := range sites {
		n := Standard{Params: map[string]map[string]Class{site: {}}, Rules: map[string][]Rule{site: {FoldIndex}}}
		for _, name := range names {
			n.Params[site][name] = Content
		}
		assert.NoError(t, n.Validate(), site)
		host := site
		if strings.Contains(site, ":") {
			host = "[" + site + "]"
		}
		plain := key(t, Standard{}, "http://"+host+"/").Version
		assert.NotEqual(t, plain, key(t, n, "http://"+host+"/").Version, "its rules are looked for")
		for _, name := range names {
			u, err := n.Normalize(nil, "http://"+host+"/?"+name+"=1")
			require.NoError(t, err)
			assert.Empty(t, u.Unknown, "the class of %q is found", name)
		}
	}
	assert.NoError(t, Standard{}.Validate())
	assert.NoError(t, StandardExact{}.Validate())
}

func TestASiteThatIsNoneIsRefusedWithTheOneThatWasMeant(t *testing.T) {
	const none = `is no site: write a registrable domain or an address, such as "example.com"`
	for site, want := range map[string]string{
		"https://shop.test/":           `is no site: write "shop.test"`,
		"http://www.shop.test:81/a?b":  `is no site: write "shop.test"`,
		"ftp://shop.test":              `is no site: write "shop.test"`,
		"//shop.test":                  `is no site: write "shop.test"`,
		"shop.test/":                   `is no site: write "shop.test"`,
		"shop.test:8080":               `is no site: write "shop.test"`,
		"shop.test.":                   `is no site: write "shop.test"`,
		" shop.test":                   `is no site: write "shop.test"`,
		"SHOP.test":                    `is no site: write "shop.test"`,
		"www.shop.test":                `is no site: write "shop.test"`,
		"*.shop.test":                  `is no site: write "shop.test"`,
		"b\u00fccher.test":             `is no site: write "xn--bcher-kva.test"`,
		"[::1]":                        `is no site: write "::1"`,
		"http://[::1]:8080/":           `is no site: write "::1"`,
		"2001:DB8::0:1":                `is no site: write "2001:db8::1"`,
		"0x7f.1":                       `is no site: write "127.0.0.1"`,
		"":                             none,
		"*":                            none,
		"*.*":                          none,
		"shop.*":                       none,
		"a b":                          none,
		"user@shop.test":               none,
		"shop.test:99999":              none,
		strings.Repeat("a", MaxLength): none,
	} {
		params := Standard{Params: map[string]map[string]Class{site: {"x": Tracking}}}.Validate()
		rules := StandardExact{Rules: map[string][]Rule{site: {FoldIndex}}}.Validate()
		for field, err := range map[string]error{"Params": params, "Rules": rules} {
			require.Error(t, err, "%q", site)
			assert.True(t, strings.HasPrefix(err.Error(), "urlnorm: "+field+": "), err)
			assert.True(t, strings.HasSuffix(err.Error(), want), "%v, and not: %s", err, want)
			assert.Less(t, len(err.Error()), 500)
		}
	}
}

func TestAParameterThatNoKeyHasIsRefused(t *testing.T) {
	for name, want := range map[string]string{
		"a b":            `no parameter is called "a b": write it as URL.Unknown does, such as "a%20b"`,
		"%61":            `such as "a"`,
		"\u00fc":         `such as "%C3%BC"`,
		"%c3%bc":         `such as "%C3%BC"`,
		"it's":           `such as "it%27s"`,
		"a=1":            `such as "a"`,
		"a&b":            `such as "a"`,
		"a#b":            `such as "a"`,
		"\tutm_campaign": `such as "utm_campaign"`,
	} {
		err := Standard{Params: map[string]map[string]Class{"a.test": {name: Tracking}}}.Validate()
		assert.ErrorContains(t, err, "urlnorm: Params of \"a.test\": ")
		assert.ErrorContains(t, err, want)
	}
}

func TestFaultsAreToldInOneOrder(t *testing.T) {
	n := Standard{
		Params: map[string]map[string]Class{"www.a.test": {"x": Tracking}, "b.test": {"p": Class(99), "o": Ordered + 1, "a b": Content}, "*": nil},
		Rules: map[string][]Rule{
			"www.a.test": {"trailing-slash", FoldTracking}, "b.test": {FoldToBare, FoldToWWW}, "A.test": {FoldIndex},
		},
	}
	want := strings.Join([]string{
		`urlnorm: Params: "*" is no site: write a registrable domain or an address, such as "example.com"`,
		`urlnorm: Params of "b.test": no parameter is called "a b": write it as URL.Unknown does, such as "a%20b"`,
		`urlnorm: Params of "b.test": Class(4) of "o" is none: use a constant of type Class`,
		`urlnorm: Params of "b.test": Class(99) of "p" is none: use a constant of type Class`,
		`urlnorm: Params: "www.a.test" is no site: write "a.test"`,
		`urlnorm: Rules: "A.test" is no site: write "a.test"`,
		`urlnorm: Rules of "b.test": to_bare and to_www contradict each other: choose the host that answers`,
		`urlnorm: Rules: "www.a.test" is no site: write "a.test"`,
		`urlnorm: Rules of "www.a.test": no site can be given the rule "trailing-slash": use a constant of type Rule`,
		`urlnorm: Rules of "www.a.test": no site can be given the rule "tracking": use a constant of type Rule`,
	}, "\n")
	for range 20 {
		assert.EqualError(t, n.Validate(), want)
	}
}
