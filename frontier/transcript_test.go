package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// TestTranscripts runs the files of testdata/transcripts: commands and, below a
// line of dashes, what each came to. Every file is a run on virtual time; verify
// follows each. Rewrite them with -update, and review the difference.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var got string
			inBubble(t, func(t *testing.T) { got = transcribe(t, string(text)) })
			golden(t, strings.TrimPrefix(file, "testdata/"), []byte(got))
		})
	}
}

// transcribe runs a transcript's commands and writes them with their outcomes.
func transcribe(t *testing.T, text string) string {
	tr := &transcript{t: t, mem: memory.New(), policy: &policies{m: map[string]Policy{}}, leases: map[string]Lease{}, began: time.Now()}
	defer tr.close()
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var commands []string
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			if line == "----" {
				break
			}
			out.WriteString(line + "\n")
			if !strings.HasPrefix(line, "#") && line != "" {
				commands = append(commands, line)
			}
		}
		if len(commands) > 0 {
			out.WriteString("----\n")
		}
		for _, c := range commands {
			out.WriteString(tr.do(c))
		}
		out.WriteString("\n")
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

type transcript struct {
	t      *testing.T
	mem    *memory.Store
	policy *policies
	f      *Frontier
	cfg    Config
	leases map[string]Lease // the latest by URL or "gate:" and origin, each by URL@generation
	began  time.Time
}

func (tr *transcript) close() {
	if tr.f != nil {
		require.NoError(tr.t, tr.f.Close())
		verify(tr.t, tr.mem)
		tr.f = nil
	}
}

// args are a command's words: plain ones in order, and name=value.
type args struct {
	t     *testing.T
	plain []string
	named map[string]string
}

func (a args) duration(name string) time.Duration {
	if a.named[name] == "" {
		return 0
	}
	d, err := time.ParseDuration(a.named[name])
	require.NoError(a.t, err)
	return d
}

func (a args) number(name string) int64 {
	if a.named[name] == "" {
		return 0
	}
	n, err := strconv.ParseInt(a.named[name], 10, 64)
	require.NoError(a.t, err)
	return n
}

// do runs one command and returns the lines that it came to.
func (tr *transcript) do(line string) string {
	words := strings.Fields(line)
	a := args{t: tr.t, named: map[string]string{}}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok && !strings.Contains(k, "/") {
			a.named[k] = v
		} else {
			a.plain = append(a.plain, w)
		}
	}
	switch words[0] {
	case "open":
		return tr.open(a)
	case "close":
		tr.close()
		return ""
	case "enqueue":
		return tr.enqueue(a)
	case "lease":
		return tr.lease(a)
	case "wait":
		d, err := time.ParseDuration(a.plain[0])
		require.NoError(tr.t, err)
		time.Sleep(d)
		synctest.Wait()
		return ""
	case "sent":
		return verdict("sent", tr.f.Sent(tr.leases[a.plain[0]], time.Now()))
	case "extend":
		l, err := tr.f.Extend(tr.leases[a.plain[0]])
		return verdict("deadline "+tr.at(l.Deadline), err)
	case "pause":
		return tr.pause(a.plain[0], a.named["why"])
	case "stop":
		return verdict("stopped", tr.f.Stop(tr.t.Context(), Reason(a.plain[0])))
	case "summary":
		return tr.summary()
	case "admissions":
		return tr.admissions()
	}
	return tr.complete(words[0], a)
}

func verdict(good string, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	return good + "\n"
}

// at shows a moment as it lies from the transcript's beginning.
func (tr *transcript) at(when time.Time) string { return when.Sub(tr.began).String() }

func (tr *transcript) open(a args) string {
	tr.close()
	tr.policy.m[""] = Policy{Delay: a.duration("delay"), Concurrency: int(cmp.Or(a.number("concurrency"), 1))}
	tr.cfg = Config{Store: tr.mem, Policy: steady{tr.policy}, Gates: a.named["gates"] == "yes", TTL: a.duration("ttl"), Deadline: a.duration("deadline"),
		Budget: Budget{URLs: a.number("urls"), Depth: int(a.number("depth")), Attempts: int(a.number("attempts")), Losses: int(a.number("losses")), Redirects: int(a.number("redirects")),
			Bytes: a.number("bytes"), Response: a.number("response"), Wall: a.duration("wall")}}
	if a.named["hosts"] != "" {
		tr.cfg.Scope.Hosts = strings.Split(a.named["hosts"], ",")
	}
	if tr.cfg.Budget.Response > 0 {
		tr.cfg.GateLimit = tr.cfg.Budget.Response
	}
	f, err := Open(tr.t.Context(), tr.cfg)
	require.NoError(tr.t, err)
	tr.f = f
	s := f.Summary()
	return fmt.Sprintf("run %s %s {%s}\n", s.Run, s.Phase, s.Reason)
}

// steady is a PolicySource that is the same for every origin, but for pauses.
type steady struct{ *policies }

func (s steady) Policy(o urlnorm.Origin) Policy {
	p := s.policies.Policy("")
	p.Paused = s.policies.Policy(o).Paused
	return p
}

func (tr *transcript) pause(origin, why string) string {
	tr.policy.mu.Lock()
	defer tr.policy.mu.Unlock()
	tr.policy.m[origin] = Policy{Paused: why}
	return ""
}

// refs reads references: a leading "+" or "-" is a priority.
func (tr *transcript) refs(words []string) (rs []Reference) {
	for _, w := range words {
		r := Reference{Observed: strings.TrimLeft(w, "+-"), Rule: "a"}
		switch w[0] {
		case '+':
			r.Priority = 1
		case '-':
			r.Priority = -1
		}
		rs = append(rs, r)
	}
	return rs
}

func (tr *transcript) enqueue(a args) string {
	e, err := tr.f.Enqueue(tr.t.Context(), Seed, tr.refs(a.plain)...)
	if err != nil {
		return err.Error() + "\n"
	}
	text := fmt.Sprintf("accepted=%d known=%d", e.Accepted, e.Known)
	for _, o := range e.Others {
		text += fmt.Sprintf(" %s=%s{%s}", o.Reference.Observed, o.Decision, o.Reason)
	}
	return text + "\n"
}

// lease asks for leases for a time, ten minutes by default, and says when they
// came.
func (tr *transcript) lease(a args) string {
	ctx, cancel := context.WithTimeout(tr.t.Context(), cmp.Or(a.duration("for"), 10*time.Minute))
	defer cancel()
	leases, err := tr.f.Lease(ctx, int(cmp.Or(a.number("max"), 1)))
	now := tr.at(time.Now())
	synctest.Wait()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return now + " nothing\n"
	case err != nil:
		return now + " " + err.Error() + "\n"
	}
	var text strings.Builder
	for _, l := range leases {
		name := l.URL
		if l.Gate {
			name = "gate " + string(l.Origin)
		}
		tr.leases[strings.ReplaceAll(name, " ", ":")] = l
		tr.leases[fmt.Sprintf("%s@%d", name, l.ID.Generation)] = l
		tr.leases["latest"] = l
		fmt.Fprintf(&text, "%s %s generation=%d attempt=%d depth=%d", now, name, l.ID.Generation, l.Attempt, l.Depth)
		if l.Hop > 0 {
			fmt.Fprintf(&text, " hop=%d", l.Hop)
		}
		if l.Stored != nil {
			text.WriteString(" stored")
		}
		if len(l.Note) > 0 {
			fmt.Fprintf(&text, " note=%s", l.Note)
		}
		fmt.Fprintf(&text, " until %s\n", tr.at(l.Deadline))
	}
	return text.String()
}

// complete reports on a lease: the command is the outcome.
func (tr *transcript) complete(outcome string, a args) string {
	l, ok := tr.leases[a.plain[0]]
	require.True(tr.t, ok, "no lease of %s", a.plain[0])
	why, after := Reason(a.named["why"]), a.duration("after")
	e := Evidence{Status: 200, Bytes: a.number("bytes")}
	var c Completion
	switch outcome {
	case "fetched":
		c = l.Fetched(e)
		c.References = tr.refs(a.plain[1:])
	case "retry":
		c = l.Retry(why, after, e)
	case "busy":
		c = l.Busy(why, after, e)
	case "failed":
		c = l.Failed(why, e)
	case "refused":
		c = l.Refused(why, e)
	case "release":
		c = l.Release("given back")
	case "redirect":
		c = l.Redirected(a.plain[1], e)
	case "handler":
		c = l.HandlerFailed(e)
		c.After = after
	case "opened":
		c = l.Open([]byte(a.named["note"]), time.Now().Add(a.duration("fresh")), a.duration("delay"), e)
	case "ended":
		c = l.Ended(OutcomeRefused, why, e)
	default:
		require.Fail(tr.t, "no such command", outcome)
	}
	ans, err := tr.f.Complete(tr.t.Context(), c)
	synctest.Wait()
	if err != nil {
		return err.Error() + "\n"
	}
	if l.Gate {
		return fmt.Sprintf("%s\n", ans.Kind)
	}
	return fmt.Sprintf("%s: %s {%s}\n", ans.Kind, ans.State, ans.Reason)
}

// summary is one line of what is not zero.
func (tr *transcript) summary() string {
	synctest.Wait()
	s := tr.f.Summary()
	text := fmt.Sprintf("%s {%s}", s.Phase, s.Reason)
	for _, st := range States {
		if s.States[st] > 0 {
			text += fmt.Sprintf(" %s=%d", st, s.States[st])
		}
	}
	for _, n := range []struct {
		name string
		n    int64
	}{{"paused", s.Paused}, {"slots", s.Slots}, {"moved", s.Moved}, {"requests", s.Requests}, {"bytes", s.Bytes}, {"reserved", s.Reserved}, {"late", s.Late}, {"conflicts", s.Conflict}} {
		if n.n > 0 {
			text += fmt.Sprintf(" %s=%d", n.name, n.n)
		}
	}
	for _, list := range [][]Tally{s.Ends, s.Stops} {
		for _, e := range list {
			text += fmt.Sprintf(" %s{%s}=%d", cmp.Or(e.State.String(), "stop"), e.Reason, e.Count)
		}
	}
	return text + "\n"
}

// admissions lists what was decided on references so far, each kind once.
func (tr *transcript) admissions() string {
	synctest.Wait()
	var lines []string
	for _, d := range tr.f.Summary().Decided {
		lines = append(lines, fmt.Sprintf("%s{%s}=%d", d.Decision, d.Reason, d.Count))
	}
	slices.Sort(lines)
	return strings.Join(lines, " ") + "\n"
}
