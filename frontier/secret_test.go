package frontier

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

func TestUserInformationIsKeptNowhere(t *testing.T) {
	for ref, want := range map[string]string{
		"http://user:pw@a.test/x?y@z":       "http://***@a.test/x?y@z",
		"HTTPS://pw@a.test":                 "HTTPS://***@a.test",
		"//user:pw@a.test/":                 "//***@a.test/",
		`\\user:pw@a.test/`:                 `\\***@a.test/`,
		"http:user:pw@b.test/":              "http:***@b.test/",
		" http:\n/\\user:p@pw@a.test#x":     " http:\n/\\***@a.test#x",
		"//user:pw@a.test:80?http://b.test": "//***@a.test:80?http://b.test",
		"ht\ttp://user:pw@a.test/":          "ht\ttp://***@a.test/",
	} {
		base := "https://a.test/"
		got, err := candidates(t.Context(), urlnorm.Standard{}, base, []Reference{{Observed: ref}, {Observed: ref}})
		require.NoError(t, err)
		for _, c := range got { // the second is remembered
			assert.EqualValues(t, urlnorm.UserInfo, c.reject, "%q", ref)
			assert.Equal(t, want, c.ref.Observed)
		}
		again, err := candidates(t.Context(), urlnorm.Standard{}, base, []Reference{got[0].ref})
		require.NoError(t, err)
		assert.EqualValues(t, urlnorm.UserInfo, again[0].reject, "decided again, %q is refused again", want)
		assert.Equal(t, want, again[0].ref.Observed)
		assert.Equal(t, want, hiddenExample(urlnorm.Standard{}, base, ref))
	}
	assert.Equal(t, "/x@y", hiddenExample(urlnorm.Standard{}, "http://a.test/", "/x@y"))
}

func FuzzNoPasswordIsKept(f *testing.F) {
	f.Add("http://", "/x")
	f.Add("//", "?@")
	f.Add("\thttp:\\", "#")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "s3cr3t"
		got, err := candidates(t.Context(), urlnorm.Standard{}, "http://a.test/", []Reference{{Observed: before + "me:" + secret + "@a.test" + after}})
		require.NoError(t, err)
		if got[0].reject == Reason(urlnorm.UserInfo) {
			if !strings.Contains(before+after, "@") { // else ours may stand in the path
				assert.NotContains(t, got[0].ref.Observed, secret)
			}
			again, err := candidates(t.Context(), urlnorm.Standard{}, "http://a.test/", []Reference{got[0].ref})
			require.NoError(t, err)
			assert.Equal(t, got[0].reject, again[0].reject)
		}
	})
}
