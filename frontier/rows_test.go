package frontier

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/allowance"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// A rowKind is one kind of value that a store keeps: how a sample of it is made,
// and how it is read back and made again.
type rowKind struct {
	sample []byte
	again  func(v []byte) ([]byte, error)
}

// rowKinds lists every kind of value of version 1 with a sample in which no
// field is zero.
func rowKinds() map[string]rowKind {
	at := place{0x0102030405060708, ordinal(1, 9)}
	digest := storage.Sum([]byte("body"))
	evidence := Evidence{Status: 200, Bytes: 1234, Latency: 5 * time.Millisecond, Digest: digest, Artifact: storage.Ref{Segment: "seg", Offset: 7, Length: 8, Digest: storage.Sum([]byte("other"))},
		ETag: `"e"`, LastModified: "Mon", Parser: "p1", Truncated: "bytes", Detail: "one line"}
	tries := []try{{gen: 1, seq: 2}, {gen: 2, outcome: OutcomeRetry, hash: [16]byte{1, 2, 3}, seq: 4}}
	url := urlRow{place: at, key: urlnorm.Key{Version: "1t1", Text: "http://a.test/k"}, url: "http://a.test/u", seed: true, source: admissionRef{3, 1, 2}, from: place{5, 6},
		state: Waiting, reason: "timeout", class: 2, depth: 3, hop: 1, gen: 2, attempts: 1, losses: 2, busies: 3, handlers: 1, ready: 77, stored: &evidence,
		settled: admissionRef{4, 5, 6}, result: 88, ended: Failed, endedFor: "dns", back: 9, tries: tries}
	pc := pace{head: [classes]uint64{1, 2, 3}, due: 4, why: "busy", allowance: allowance.State{Incidents: 5}, pause: "throttled", gate: gate{state: gateOpen, reason: "open", ends: Failed, until: 6, due: 7,
		gen: 8, attempts: 1, losses: 2, delay: 9, note: []byte("rules"), back: 10}}
	org := origin{id: at.origin, text: "http://a.test", pace: pc, next: [classes]uint64{4, 5, 6}, ready: [classes]uint32{1, 2, 3}, states: [8]int64{0, 1, 2, 3, 4, 5, 6, 7}, again: 1, wake: 99, gateTry: tries[1]}
	hd := head{name: "run", number: 2, began: 3, phase: Stopped, reason: "wall", since: 4, seq: 5, at: 6, contract: contract{Budget: Budget{URLs: 7}.WithDefaults(), Scope: Scope{Hosts: []string{"a.test"}}, Seeds: true, Versions: Versions{Policy: "v"}},
		states: [8]int64{0, 1, 2, 3, 4, 5, 6, 7}, finish: 8, tallies: map[tallyKey]*tally{{tallyEnd, uint8(Done), "fetched"}: {9, "http://a.test/"}, {tallyStop, 0, "wall"}: {1, "24h"}}}
	for i, n := range hd.counters() {
		*n = int64(i + 1)
	}
	res := Result{Position: 1, ID: LeaseID{0, 1, at.origin, at.n, 2}, URL: "http://a.test/", Origin: "http://a.test", State: Done, Outcome: OutcomeRedirected, Reason: "redirected", Attempts: 1, Depth: 2,
		Evidence: evidence, Target: "/t", Supersedes: 3, Was: Failed, WasFor: "dns"}
	att := attempt{stale: 1, conflicts: 2, at: 3, outcome: OutcomeFailed, reason: "dns", hash: [16]byte{4}, evidence: evidence}
	off := offer{kind: offerSource, origin: 1, n: 2, from: admissionRef{3, 4, 0}, to: admissionRef{5, 6, 0}, chunk: 7, depth: 8, parent: place{9, 10}}
	bk := book{latest: 3, active: 2, writer: 4}
	k := keys{run: 1}
	return map[string]rowKind{
		"book": {bk.encode(), func(v []byte) ([]byte, error) {
			b, err := decodeBook(v)
			return b.encode(), err
		}},
		"head": {hd.encode(), func(v []byte) ([]byte, error) {
			h, err := decodeHead(v)
			return h.encode(), err
		}},
		"url": {url.encode(), func(v []byte) ([]byte, error) {
			u, err := decodeURL(at, v)
			return u.encode(), err
		}},
		"origin": {org.encode(), func(v []byte) ([]byte, error) {
			o, err := decodeOrigin(at.origin, v)
			return o.encode(), err
		}},
		"result": {res.encode(11, 12), func(v []byte) ([]byte, error) {
			r, n, err := decodeResult(k, k.seq(1), v)
			return r.encode(r.Finished.UnixMicro(), n), err
		}},
		"attempt": {att.encode(), func(v []byte) ([]byte, error) {
			a, err := decodeAttempt(v)
			return a.encode(), err
		}},
		"offer": {off.encode(), func(v []byte) ([]byte, error) {
			o, err := decodeOffer(nil, v)
			return o.encode(), err
		}},
		"edge":             {sampleEdge(Link, edgeVersion), edgeAgain},
		"edge of an offer": {sampleEdge(Offer, edgeVersion), edgeAgain},
		"leases": {sampleLeases(at), func(v []byte) ([]byte, error) {
			row, err := decodeLeases(k.seq(5), v)
			return packLeases(row.owner, row.granted, row.items), err
		}},
		"log": {sampleLog(at, url, pc, tries[1], evidence), logAgain},
	}
}

// laterKinds lists the kinds of value that have a second version, with a sample in
// which no field is zero, and those that came later.
func laterKinds() map[string]rowKind {
	kinds := map[string]rowKind{
		"edge of version 2":             {sampleEdge(Link, edgeVersion2), edgeAgain},
		"edge of an offer of version 2": {sampleEdge(Offer, edgeVersion2), edgeAgain},
		"rekey": {sampleRekeying(), func(v []byte) ([]byte, error) {
			k, err := decodeRekeying(v)
			return k.encode(), err
		}},
	}
	kinds["pattern"] = rowKind{(&patternRow{admitted: 1, pattern: "a.test/{n}"}).encode(), func(v []byte) ([]byte, error) {
		p, err := decodePattern(v)
		return p.encode(), err
	}}
	head := rowKinds()["head"]
	kinds["head of version 2"] = rowKind{sampleLaterHead(head.sample), head.again}
	origin := rowKinds()["origin"]
	o, err := decodeOrigin(1, origin.sample)
	if err != nil {
		panic(err)
	}
	o.pace.allowance = allowance.State{Incidents: 5, Last: 11, Calm: 12, Lag: 13, Latency: 14, Troubles: 15}
	kinds["origin of version 2"] = rowKind{o.encode(), origin.again}
	kinds["log of version 2"] = rowKind{packLog(15, []*entry{{kind: entryPace, place: place{origin: 1}, pace: &o.pace}}), logAgain}
	kinds["log of a generation"] = rowKind{packLog(15, []*entry{{kind: entryFreeze, gen: 16}}), logAgain}
	result := rowKinds()["result"]
	res, n, err := decodeResult(keys{run: 1}, keys{run: 1}.seq(1), result.sample)
	if err != nil {
		panic(err)
	}
	res.Carried = "0.1.0102030405060708.4000000000000009.2"
	hint := res
	hint.Hint = true
	kinds["result of a hint"] = rowKind{hint.encode(hint.Finished.UnixMicro(), n), result.again}
	kinds["edge of version 3"] = rowKind{sampleEdge(Link, edgeVersion3), edgeAgain}
	kinds["head of version 3"] = rowKind{sampleHeadOfHints(sampleLaterHead(head.sample)), head.again}
	kinds["result of version 2"] = rowKind{res.encode(res.Finished.UnixMicro(), n), result.again}
	return kinds
}

func sampleLaterHead(sample []byte) []byte {
	h, err := decodeHead(sample)
	if err != nil {
		panic(err)
	}
	h.contract.Versions = Versions{Policy: "v", Normalizer: "1t1", Weir: "v1.0.0", Store: 2, Engine: "bbolt", Robots: "r1"}
	h.terms, h.frozen, h.queue = nil, 17, 18
	h.hold(LimitReached, ReasonURLs, 19, "http://a.test/item/1?b=2", "/item/1?b=2")
	h.hold(LimitReached, ReasonDepth, 20, "http://a.test/", "/")
	return h.encode()
}

func sampleHeadOfHints(sample []byte) []byte {
	h, err := decodeHead(sample)
	if err != nil {
		panic(err)
	}
	h.hints = 21
	return h.encode()
}

func sampleRekeying() []byte {
	k := rekeying{earlier: 3, at: toldAt{seq: 4, chunk: 5, line: 6, edge: admissionRef{7, 8, 0}, edgeChunk: 9},
		Rekeyed: Rekeyed{Run: "second", From: "first", Normalizer: "2", Was: "1", Done: true, Read: 10, Total: 11, Admitted: 12, Duplicates: 13, Limited: 14, Stopped: 15,
			Answers: 16, Carried: 17, Spare: 18, Asked: 19, Merged: 20, Split: 21, MergedAs: []Merger{{URL: "http://a.test/?s=2", Into: "http://a.test/?s=1"}}, SplitOff: []string{"http://a.test/?s=3"}}}
	return k.encode()
}

func sampleEdge(kind Source, version byte) []byte {
	s := source{kind: kind, parent: place{1, 2}, gen: 3, base: "http://a.test/", depth: 4, hop: 5, policy: "v", limit: 6, slots: 7, again: admissionRef{8, 9, 0}, seed: true, overflow: Overflow{10, "/more"}}
	w := newEdgeWriter(11, 12, version, s, new([]byte))
	charset := ""
	if version == edgeVersion2 {
		charset = "windows-1251"
	}
	w.add(decided{ref: Reference{Observed: "/a", Charset: charset, Rule: "a", Priority: -1, Hint: version >= edgeVersion3, Base: "http://a.test/"}, decision: Admitted, reason: ReasonNew, to: place{13, ordinal(2, 14)}, was: LimitReached, wasFor: ReasonURLs})
	w.add(decided{ref: Reference{Observed: "/b", Rule: "a", Refused: "kind", Base: "http://b.test/"}, decision: PolicyStop, reason: "kind", was: LimitReached, wasFor: ReasonDepth})
	return w.finish()[0]
}

func edgeAgain(v []byte) ([]byte, error) {
	row, err := decodeEdge(v)
	if err != nil {
		return nil, err
	}
	version := byte(edgeVersion)
	switch {
	case row.lines[0].ref.Hint:
		version = edgeVersion3
	case row.lines[0].ref.Charset != "":
		version = edgeVersion2
	}
	w := newEdgeWriter(row.at, row.gen, version, row.source, new([]byte))
	for _, d := range row.lines {
		w.add(d)
	}
	return w.finish()[0], nil
}

func sampleLog(at place, url urlRow, pc pace, tr try, ev Evidence) []byte {
	bare := url
	bare.tries, bare.stored = nil, nil
	return packLog(15, []*entry{
		{kind: entryOrigin, place: place{origin: at.origin}, text: "http://a.test"},
		{kind: entryURL, event: Admit, place: at, reason: "seed", policy: "v", class: 1, depth: 2, hop: 1, row: &bare, moved: true},
		{kind: entryURL, event: Retry, was: Leased, place: at, reason: "timeout", policy: "v", back: 3, gen: 4, class: 1, depth: 2, hop: 3, attempts: 1, losses: 2, busies: 3, handlers: 4,
			ready: 5, result: 6, settled: admissionRef{7, 8, 0}, url: "http://a.test/new", stored: &ev, try: &tr, evidence: ev.Artifact, bytes: 9, reserved: -10, records: 11},
		{kind: entryPace, place: place{origin: at.origin}, pace: &pc},
		{kind: entryGate, event: Finish, from: gateLeased, place: place{origin: at.origin}, reason: "open", policy: "v", back: 2, bytes: 3, reserved: -4, evidence: ev.Artifact, try: &tr, pace: &pc},
		{kind: entryRun, phase: Stopped, reason: "wall", contract: []byte(`{}`), active: 1, offers: -1, stop: "wall", example: "24h", late: 2, conflict: 3},
	})
}

func sampleLeases(at place) []byte {
	return packLeases("weir-1", 2, []grantItem{{at, 3, 4, 5, true}, {place{6, 0}, 7, 8, 9, false}})
}

// packLeases makes a lease row as flushLeases does.
func packLeases(owner string, now int64, items []grantItem) []byte {
	t := &tx{f: &Frontier{keys: keys{run: 1}, fence: storage.Fence{Owner: owner}, rowsLeft: map[uint64]int{}}, now: now, granted: items}
	t.flushLeases()
	return t.ops[0].Value
}

// packLog makes a log row as flushLog does.
func packLog(now int64, log []*entry) []byte {
	t := &tx{f: &Frontier{keys: keys{run: 1}}, now: now, log: log}
	t.flushLog()
	return t.ops[0].Value
}

func logAgain(v []byte) ([]byte, error) {
	lines, err := decodeLog(keys{run: 1}.chunk(1, 0), v)
	if err != nil {
		return nil, err
	}
	var log []*entry
	for _, l := range lines {
		log = append(log, l.entry)
	}
	return packLog(lines[0].at, log), nil
}

// TestRowsOfEveryVersionAreReadForEver keeps the bytes of each kind of row in
// testdata: what was written once must be read, and made the same again.
func TestRowsOfEveryVersionAreReadForEver(t *testing.T) {
	for file, kinds := range map[string]map[string]rowKind{"rows.v1": rowKinds(), "rows.v2": laterKinds()} {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			k := kinds[name]
			again, err := k.again(k.sample)
			require.NoError(t, err, name)
			assert.Equal(t, k.sample, again, "%s loses something", name)
			fmt.Fprintf(&text, "%s: %s\n", name, hex.EncodeToString(k.sample))
		}
		golden(t, file, []byte(text.String()))
	}
}

// TestRowsWithoutAReaderOfTheirOwnStayAlike keeps the bytes of the smallest rows,
// which are read where they are needed. What an identity hashes to is left out: it
// changes with the version of the normalizer.
func TestRowsWithoutAReaderOfTheirOwnStayAlike(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var lines []string
		for _, c := range cells(t, lived(t)) {
			switch c.space {
			case spaceDedupe:
				require.Len(t, c.key, 30)
				lines = append(lines, fmt.Sprintf("%s %x: %x\n", c.space.Name, c.key[:14], c.value))
			case spaceRun, spaceRecord:
				lines = append(lines, fmt.Sprintf("%s %x: %x\n", c.space.Name, c.key, c.value))
			}
		}
		slices.Sort(lines)
		golden(t, "small-rows.v1", []byte(strings.Join(lines, "")))
	})
}

// TestEveryCutRowIsDamage cuts each kind of row after each byte: it is damage,
// and never a panic.
func TestEveryCutRowIsDamage(t *testing.T) {
	all := rowKinds()
	maps.Copy(all, laterKinds())
	for name, k := range all {
		for n := range len(k.sample) {
			func() {
				defer func() { require.Nil(t, recover(), "%s cut to %d bytes", name, n) }()
				var err error
				if name == "book" && n == 0 {
					return // no header yet
				}
				switch name {
				case "head", "head of version 2":
					_, err = decodeHead(k.sample[:n])
				case "url":
					_, err = decodeURL(place{}, k.sample[:n])
				case "origin":
					_, err = decodeOrigin(0, k.sample[:n])
				case "result", "result of version 2":
					_, _, err = decodeResult(keys{}, keys{}.seq(1), k.sample[:n])
				case "rekey":
					_, err = decodeRekeying(k.sample[:n])
				case "attempt":
					_, err = decodeAttempt(k.sample[:n])
				case "offer":
					_, err = decodeOffer(nil, k.sample[:n])
				case "book":
					_, err = decodeBook(k.sample[:n])
				case "leases":
					_, err = decodeLeases(keys{}.seq(1), k.sample[:n])
				case "log", "log of a generation":
					_, err = decodeLog(keys{}.chunk(1, 0), k.sample[:n])
				default:
					_, err = decodeEdge(k.sample[:n])
				}
				require.ErrorIs(t, err, storage.ErrCorrupt, "%s cut to %d bytes", name, n)
			}()
		}
	}
}
