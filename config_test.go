package weir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

func TestEveryFaultOfAConfigIsReportedAtOnce(t *testing.T) {
	var store *memory.Store
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := New(Config{
		Dir: filepath.Join(file, "crawl"), Workers: -1, HandlerTimeout: -1, ParserVersion: strings.Repeat("x", 65), Run: strings.Repeat("x", 129),
		Render: func(*Page) bool { return true }, Store: store,
		Budget: Budget{URLs: -1, Depth: -1}, Scope: frontier.Scope{Hosts: []string{"http://a.test/"}},
	})
	var config *ConfigError
	require.ErrorAs(t, err, &config)
	for _, want := range []string{"UserAgent is empty", "Workers is -1", "HandlerTimeout is -1", "ParserVersion has 65", "Run has 129",
		"Render is set and Renderer is nil", "Store is a nil *memory.Store", "urls is -1", "depth is -1", "is not a host", "Dir"} {
		assert.ErrorContains(t, err, want)
	}
	assert.Len(t, config.Faults, 11)
}

func TestAFaultNamesItsField(t *testing.T) {
	good := func() Config {
		mem := memory.New()
		return Config{UserAgent: "examplebot/1.0", Store: mem, Artifacts: mem}
	}
	crawler, err := New(good())
	require.NoError(t, err)
	require.NoError(t, crawler.Close())
	for _, c := range []struct {
		name string
		harm func(*Config)
		want string
	}{
		{"no user agent", func(c *Config) { c.UserAgent = "" }, "UserAgent is empty"},
		{"no product token", func(c *Config) { c.UserAgent = "(my bot)" }, "product token"},
		{"a line break", func(c *Config) { c.UserAgent = "bot/1.0\r\nX: y" }, "no header may have"},
		{"two user agents", func(c *Config) { c.Fetch.UserAgent = "other/1.0" }, "set UserAgent alone"},
		{"a handler that may hold a page longer than its lease", func(c *Config) { c.HandlerTimeout = 20*time.Minute + 1 }, "HandlerTimeout is 20m0.000000001s of at most 20m0s"},
		{"a site under which no rule is found", func(c *Config) {
			c.Normalizer = urlnorm.Standard{Rules: map[string][]urlnorm.Rule{"www.a.test": {urlnorm.FoldIndex}}}
		}, `"www.a.test" is no site: write "a.test"`},
		{"a robots policy that is none", func(c *Config) { c.Robots.Forbidden = "maybe" }, `Robots.Forbidden is "maybe"`},
		{"a bad timeout", func(c *Config) { c.Fetch.Timeout = -1 }, "Timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := good()
			c.harm(&cfg)
			_, err := New(cfg)
			var config *ConfigError
			require.ErrorAs(t, err, &config)
			assert.Len(t, config.Faults, 1)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestAnUnwritableDirIsNamed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may write everywhere: a file in the way stands in for missing rights")
	}
	path := filepath.Join(t.TempDir(), "crawl")
	require.NoError(t, os.WriteFile(path, []byte("not a folder"), 0o400))
	_, err := New(Config{UserAgent: "examplebot/1.0", Dir: path})
	var config *ConfigError
	require.ErrorAs(t, err, &config)
	assert.ErrorContains(t, err, path)
}

func TestJoinedFaultsAreCountedOneByOne(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	assert.Equal(t, []error{a, b, c}, flatten([]error{nil, errors.Join(a, errors.Join(b)), c}))
}
