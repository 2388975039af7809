// Package weir answers: how do I crawl a site and account for every URL?
//
// A [Config] says what to crawl, within which bounds, and what to do with a page.
// [New] makes a [Crawler] of it, whose Run ends with a receipt: how many URLs
// were admitted, what became of each, and whether that is all there was.
//
//	receipt, err := weir.Run(ctx, weir.Config{
//		UserAgent: "examplebot/1.0 (+https://example.com/bot)",
//		OnPage: func(ctx context.Context, p *weir.Page) error {
//			return p.Emit("page", map[string]any{"url": p.URL, "title": p.Doc().Find("title").Text()})
//		},
//	}, "https://example.com/")
//
// # Words
//
// One word per idea, here and in every package below:
//
//	reference   what a page wrote
//	URL         what is requested
//	key         what is compared, with the normalizer's version in it
//	identity    the hash of a key
//	origin      scheme, host and port
//	admission   the decision on one reference, kept with its reason
//	lease       permission to fetch one URL, under one generation, until a deadline
//	attempt     what happened under one lease
//	completion  the report of an attempt; accepted only under the lease's generation
//	evidence    the facts of a response, and where its bytes lie
//	artifact    the bytes of one exchange, kept before anything refers to them
//	run         one crawl with one finite contract
//	receipt     the account of a run
//
// # How one URL travels
//
// A reference, from a seed or a page, becomes a URL and a key (package urlnorm).
// The frontier decides on it in one commit: a duplicate, a policy stop, over a
// limit, or admitted and queued. When its origin's time has come, the frontier
// leases it. The crawler makes one request under that lease (package fetch),
// having asked robots.txt (package robots) and the address guard; a redirect is
// a new reference. The bytes go to the artifact sink, which is synced (package
// storage). OnPage sees the page. What it emitted and the links it offered travel
// in the completion, and the frontier accepts all of it in one commit, or none.
// At the end package ledger walks what was kept, once, and writes the receipt.
//
//	reference -> urlnorm -> frontier -> lease -> robots, fetch -> artifact
//	    ^                                                            |
//	    +---- links ---- completion <---- OnPage, Emit <-------------+
//
// # What it guarantees
//
// No admitted URL is lost, wherever the process dies. A result is accepted once,
// from the lease's owner alone. No bound is exceeded, and each has a finite
// default. A record that OnPage emitted is neither lost nor doubled. Robots.txt
// is obeyed, private addresses are refused, and an origin gets one request at a
// time, a second apart, unless the operator says otherwise. Nothing disappears
// without a counted reason.
//
// # What it leaves to others
//
// This package joins the parts and owns every goroutine; each part decides alone
// and can be used alone: urlnorm, robots, fetch, frontier, storage, ledger. What
// a page means is OnPage's. Effects of OnPage outside of Emit happen at least
// once. The package neither prints nor reads the environment, and there is no
// switch that ignores robots.txt.
package weir
