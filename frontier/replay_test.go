package frontier

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// changes of one field of a row each, with a checksum that is right.
var (
	urlChanges = map[string]func(u *urlRow){
		"key":      func(u *urlRow) { u.key.Text += "x" },
		"version":  func(u *urlRow) { u.key.Version += "x" },
		"url":      func(u *urlRow) { u.url += "x" },
		"seed":     func(u *urlRow) { u.seed = !u.seed },
		"source":   func(u *urlRow) { u.source.offset++ },
		"from":     func(u *urlRow) { u.from.n++ },
		"state":    func(u *urlRow) { u.state = u.state%Cancelled + 1 },
		"reason":   func(u *urlRow) { u.reason += "x" },
		"class":    func(u *urlRow) { u.class++ },
		"depth":    func(u *urlRow) { u.depth++ },
		"hop":      func(u *urlRow) { u.hop++ },
		"gen":      func(u *urlRow) { u.gen++ },
		"attempts": func(u *urlRow) { u.attempts++ },
		"losses":   func(u *urlRow) { u.losses++ },
		"busies":   func(u *urlRow) { u.busies++ },
		"handlers": func(u *urlRow) { u.handlers++ },
		"ready":    func(u *urlRow) { u.ready++ },
		"stored": func(u *urlRow) {
			u.stored = &Evidence{Status: 599}
		},
		"settled": func(u *urlRow) { u.settled.seq++ },
		"result":  func(u *urlRow) { u.result++ },
		"back":    func(u *urlRow) { u.back++ },
		"tries":   func(u *urlRow) { u.tries = append(u.tries, try{gen: 99}) },
	}
	originChanges = map[string]func(o *origin){
		"text":      func(o *origin) { o.text += "x" },
		"head":      func(o *origin) { o.pace.head[1]++ },
		"due":       func(o *origin) { o.pace.due++ },
		"why":       func(o *origin) { o.pace.why += "x" },
		"incidents": func(o *origin) { o.pace.allowance.Incidents++ },
		"lag":       func(o *origin) { o.pace.allowance.Lag++ },
		"troubles":  func(o *origin) { o.pace.allowance.Troubles++ },
		"pause":     func(o *origin) { o.pace.pause += "x" },
		"gate":      func(o *origin) { o.pace.gate.state++ },
		"until":     func(o *origin) { o.pace.gate.until++ },
		"gate due":  func(o *origin) { o.pace.gate.due++ },
		"gate gen":  func(o *origin) { o.pace.gate.gen++ },
		"delay":     func(o *origin) { o.pace.gate.delay++ },
		"note":      func(o *origin) { o.pace.gate.note = append(o.pace.gate.note, 1) },
		"gate back": func(o *origin) { o.pace.gate.back++ },
		"next":      func(o *origin) { o.next[1]++ },
		"ready":     func(o *origin) { o.ready[1]++ },
		"states":    func(o *origin) { o.states[Done]++ },
		"again":     func(o *origin) { o.again++ },
		"gate try":  func(o *origin) { o.gateTry.gen++ },
	}
	headChanges = map[string]func(h *head){
		"phase":    func(h *head) { h.phase++ },
		"reason":   func(h *head) { h.reason += "x" },
		"since":    func(h *head) { h.since++ },
		"contract": func(h *head) { h.contract.Budget.Depth++ },
		"states":   func(h *head) { h.states[Done]++ },
		"finish":   func(h *head) { h.finish++ },
		"tally":    func(h *head) { h.count(h.tallyKeys()[0], 1, "") },
		"example":  func(h *head) { h.tallies[h.tallyKeys()[0]].example += "x" },
	}
)

// TestReplayRebuildsEveryField changes one field of one row at a time: Replay
// must rebuild the right one, and name the row that differs.
func TestReplayRebuildsEveryField(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := lived(t)
		r, err := NewReader(t.Context(), s, "life")
		require.NoError(t, err)
		require.NoError(t, r.Replay(t.Context()))
		try := func(name string, c cell, value []byte) {
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: value})
			var f *Faults
			if assert.ErrorAs(t, r.Replay(t.Context()), &f, "%s %s", c.space.Name, name) {
				assert.Positive(t, f.Count)
			}
			rewrite(t, s, storage.Op{Space: c.space, Key: c.key, Value: c.value})
		}
		for _, c := range cells(t, s) {
			switch c.space {
			case spaceURL:
				for name, change := range urlChanges {
					u, err := decodeURL(place{field(c.key, 0), field(c.key, 1)}, c.value)
					require.NoError(t, err)
					change(u)
					try(name, c, u.encode())
				}
			case spaceOrigin:
				for name, change := range originChanges {
					o, err := decodeOrigin(field(c.key, 0), c.value)
					require.NoError(t, err)
					change(o)
					try(name, c, o.encode())
				}
			case spaceHead:
				for name, change := range headChanges {
					h, err := decodeHead(c.value)
					require.NoError(t, err)
					change(h)
					try(name, c, h.encode())
				}
				for i := range (&head{}).counters() {
					h, err := decodeHead(c.value)
					require.NoError(t, err)
					*h.counters()[i]++
					try(fmt.Sprintf("counter %d", i), c, h.encode())
				}
			}
		}
		require.NoError(t, r.Replay(t.Context()), "all is as it was")
	})
}

// TestTransitionsTellALifeInOrder reads what the log says of one URL.
func TestTransitionsTellALifeInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := open(t, s, func(c *Config) { c.TTL = time.Minute })
		seed(t, f, "http://a.test/x")
		complete(t, f, one(t, f).Retry("timeout", time.Second, Evidence{Artifact: artifact("one")}))
		one(t, f)
		l := one(t, f) // the one before has expired
		complete(t, f, page(l))
		done(t, f)
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		var told []string
		last := uint64(0)
		for tr, err := range r.Transitions(t.Context()) {
			require.NoError(t, err)
			told = append(told, fmt.Sprintf("%d %s -%s-> %s {%s} %s", tr.ID.Generation, tr.From, tr.Event, tr.To, tr.Reason, tr.Policy))
			assert.Equal(t, "http://a.test/x", tr.URL)
			assert.Equal(t, "1", tr.Run)
			assert.False(t, tr.Time.IsZero())
			assert.GreaterOrEqual(t, tr.Sequence, last)
			last = tr.Sequence
			assert.Equal(t, tr.Event == Retry, tr.Evidence == artifact("one"), "evidence alone may be empty")
		}
		assert.Equal(t, []string{
			"0  -admit-> queued {seed} static/1",
			"1 queued -grant-> leased {ready} static/1",
			"1 leased -retry-> waiting {timeout} static/1",
			"1 waiting -due-> queued {due} static/1",
			"2 queued -grant-> leased {ready} static/1",
			"2 leased -expire-> queued {expired} static/1",
			"3 queued -grant-> leased {ready} static/1",
			"3 leased -finish-> done {fetched} static/1",
		}, told)
	})
}
