// Package sitemap answers: what does this sitemap list, and about which of it is it
// to be believed?
//
// A [Reader] reads one sitemap: a url set, an index, an RSS or Atom feed, or a list
// of one URL a line. An [Entry] is a page or one more sitemap, with what is said of
// it: a [Stamp], alternates, images, videos, news. A [Report] says what the text is
// or why it is none, and has a [Note] for every [Fault], with a count and an
// example. An [Authority] gives a [Ruling] on each entry.
//
// # How one entry travels
//
//	1f 8b 08 ...                           a body, whatever its name and type
//	   | source.go    gzip by its magic bytes, bounded; any encoding to UTF-8
//	<url><LOC> /p?a=1&amp;b=2 </loc><lastmod>2024-05-06</lastmod>
//	   | scanner.go   tokens of a window of 64 KiB; no tree, no definitions
//	   | assemble.go  which entry, group and field does this belong to?
//	   | value.go     references, space, broken bytes; fields.go, extras.go, stamp.go
//	Entry{N: 1, Loc: "/p?a=1&b=2", LastMod: Stamp{2024-05-06, ToTheDay}, ...}
//	   | urlnorm      Entry.Reference, resolved against the URL of the sitemap
//	   | authority.go is it a page of a host that the sitemap speaks for?
//	OwnHost
//
// # What it guarantees
//
//   - Entries come one by one, in their order, while the body is read. Memory is a
//     few windows and one entry (at most 1 MiB and the bounds of [Limits]), however
//     long the body is; time is linear in what is read.
//   - No bound of [Limits] is exceeded. Whatever a bound cuts off is counted, and
//     the first example kept. Bytes are bounded before and after each gzip.
//   - How the body is cut into reads does not matter.
//   - What was read stays: a damaged gzip, a text that breaks off, an error of the
//     source take back nothing. What was not whole at that place is left out, so
//     that the first part of a sitemap lists the first URLs of the whole.
//   - Neither a doctype nor an entity is believed: nothing is expanded, nothing is
//     fetched. A reference that only a definition explains is kept as it is written.
//   - A page, JSON or a binary file in place of a sitemap is a [Refusal], not an
//     empty sitemap; so a page that only quotes a sitemap stays a page (S-M5).
//
// # How lenient it is
//
// Case and namespaces of elements do not matter; a prefix does, so that the URL of an
// image is never taken for that of its page. An element without its end ends where
// the next one of its kind, or its parent, does. An "&" that begins no reference is
// an "&". Entities of HTML are known. Text before, between and behind the roots is
// junk, and passed over; before the first root, up to 64 KiB of it. An optional field
// that says nothing sensible is counted, and the entry stays. A caller that takes all
// or nothing asks [Report.Whole].
//
// # Whom it may speak for
//
// sitemaps.org lets a sitemap list what is below its folder, under its scheme, host
// and port, and what is of a host whose robots.txt names it. Search engines have
// dropped the folder, and so does [ByHost], the default; [ByFolder] is the letter,
// and [ByScope] is for a sitemap that the user names. Whatever an index is trusted
// with, its children are.
//
// # What is left to others
//
// Fetching, walking an index (one that lists itself is an index like any other), the
// order and number of what is enqueued, duplicates, and whether lastmod, changefreq
// and priority are worth anything: they are hints. URLs are resolved and compared by
// package urlnorm.
package sitemap
