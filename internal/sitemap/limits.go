package sitemap

// Limits are what the reader never exceeds. A field of zero means its default; no
// value means "unlimited".
type Limits struct {
	Bytes    int64 // before and after each unpacking; default 50 MiB (sitemaps.org)
	Entries  int   // pages; default 50,000 (sitemaps.org)
	Children int   // sitemaps of an index; default 50,000 (sitemaps.org)
	URL      int   // bytes of one URL; default 8 KiB, as in urlnorm
	Extras   int   // alternates, images, videos and news of an entry; default 1,000
	Depth    int   // elements that are open inside of an entry; default 32
}

func (l Limits) withDefaults() Limits {
	l.Bytes = or(l.Bytes, 50<<20)
	l.Entries = or(l.Entries, 50_000)
	l.Children = or(l.Children, 50_000)
	l.URL = or(l.URL, 8<<10)
	l.Extras = or(l.Extras, 1_000)
	l.Depth = or(l.Depth, 32)
	return l
}

func or[T int | int64](n, otherwise T) T {
	if n <= 0 {
		return otherwise
	}
	return n
}

// Bounds that need not be chosen.
const (
	window     = 64 << 10 // bytes of the text that are looked at together; a tag is read so far
	headMax    = 4 << 10  // bytes that show which form and which encoding it is
	prologMax  = 64 << 10 // bytes before a root
	nameMax    = 64       // bytes of an element's name that are read
	valueMax   = 2 << 10  // bytes of a title and other text that is no URL
	entryMax   = 1 << 20  // bytes of the extras of an entry
	exampleMax = 256      // bytes of an example
	layersMax  = 2        // gzip in gzip
)
