package layers

import "slices"

// A Row says what the files of one package may import, beside the standard
// library.
type Row struct {
	Uses    []string // packages of this module, by folder; "." is the root
	Modules []string // third-party modules
	Kit     bool     // imports testing, and is imported by tests and kits alone
}

// The third-party modules, by the name the table uses.
const (
	bbolt     = "go.etcd.io/bbolt"
	brotli    = "github.com/andybalholm/brotli"
	btree     = "github.com/tidwall/btree"
	chardet   = "github.com/wlynxg/chardet"
	compress  = "github.com/klauspost/compress"
	goquery   = "github.com/PuerkitoBio/goquery"
	robotstxt = "github.com/temoto/robotstxt"
	ssrf      = "code.dny.dev/ssrf"
	testify   = "github.com/stretchr/testify"
	xnet      = "golang.org/x/net"
	xsys      = "golang.org/x/sys"
	xtext     = "golang.org/x/text"
	xtools    = "golang.org/x/tools"
)

// ForTests are modules that any test may import.
var ForTests = []string{
	goquery, testify, xtools, xnet,
	"github.com/anishathalye/porcupine",
	"github.com/nlnwa/whatwg-url",
	"github.com/temoto/robotstxt",
	"go.uber.org/goleak",
	"golang.org/x/sys/unix", // CPU time of benchmarks
	"pgregory.net/rapid",
}

// Table is DESIGN.md's picture of the packages, from the leaves to the root.
var Table = map[string]Row{
	"internal/allowance": {},
	"internal/backoff":   {},
	"internal/codec":     {},
	"internal/charset":   {Modules: []string{chardet, xnet, xtext}},
	"internal/header":    {Modules: []string{xnet}},
	"internal/links":     {Uses: []string{"internal/header"}, Modules: []string{xnet}},
	"internal/layers":    {},
	"internal/lockfile":  {Modules: []string{xsys}},
	"internal/pathmatch": {},
	"internal/sheet":     {},
	"internal/sitemap":   {Uses: []string{"internal/charset", "internal/header", "urlnorm"}, Modules: []string{compress, xtext}},

	"urlnorm": {Modules: []string{xnet, xtext}},
	"fetch": {
		Uses:    []string{"internal/charset", "internal/header"},
		Modules: []string{brotli, compress, ssrf, xnet},
	},
	"robots": {Uses: []string{"fetch", "urlnorm", "internal/pathmatch"}, Modules: []string{robotstxt}},
	"render": {Uses: []string{"fetch"}},

	"storage":                {},
	"storage/internal/fence": {Uses: []string{"storage"}, Modules: []string{btree}},
	"storage/bolt":           {Uses: []string{"storage", "storage/internal/fence", "internal/codec"}, Modules: []string{bbolt, btree, xsys}},
	"storage/memory":         {Uses: []string{"storage", "storage/internal/fence"}, Modules: []string{btree}},
	"storage/dir":            {Uses: []string{"storage", "internal/lockfile"}, Modules: []string{xsys}},

	"frontier": {
		Uses:    []string{"storage", "urlnorm", "internal/allowance", "internal/backoff", "internal/codec", "internal/pathmatch", "internal/sheet"},
		Modules: []string{compress},
	},
	"ledger": {
		Uses:    []string{"frontier", "storage", "urlnorm", "internal/backoff", "internal/codec", "internal/header", "internal/lockfile", "internal/sheet"},
		Modules: []string{xnet},
	},
	".": {
		Uses: slices.Concat(parts, []string{
			"storage/bolt", "storage/dir",
			"internal/backoff", "internal/codec", "internal/header", "internal/links", "internal/sitemap",
		}),
		Modules: []string{goquery, xnet},
	},

	"fetch/fetchtest": {Modules: []string{xtools}}, // no testing: examples may use it
	"internal/faults": {Uses: []string{"storage"}},
	"internal/conformance": {
		Uses: slices.Concat(parts, []string{
			".", "fetch/fetchtest", "storage/memory", "internal/charset", "internal/header", "internal/links", "internal/sitemap",
		}),
		Modules: []string{goquery, robotstxt, xnet, xtext},
	},
	"urlnorm/normtest":  {Uses: []string{"urlnorm"}, Modules: []string{testify}, Kit: true},
	"storage/storetest": {Uses: []string{"storage", "storage/memory"}, Modules: []string{testify}, Kit: true},
	"storage/sinktest":  {Uses: []string{"storage"}, Modules: []string{testify}, Kit: true},
	"ledger/ledgertest": {Uses: []string{"fetch/fetchtest", "frontier", "ledger", "storage", "urlnorm"}, Modules: []string{testify}, Kit: true},

	"examples/quickstart":  example,
	"examples/resume":      example,
	"examples/customstore": example,
	"examples/crawltest":   example,
	"examples/export":      example,
}

// parts are the packages that a crawler is made of.
var parts = []string{"fetch", "frontier", "ledger", "render", "robots", "storage", "urlnorm"}

// An example uses what a user could: any public package, and a web to crawl.
var example = Row{Uses: slices.Concat(parts, []string{
	".", "storage/bolt", "storage/dir", "storage/memory", "fetch/fetchtest",
}), Modules: []string{goquery, btree, xsys}}
