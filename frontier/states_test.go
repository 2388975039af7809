package frontier

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// designed is the table of DESIGN.md, section 7, as it is printed there, with
// raise, which keeps the state of whatever was admitted, and carry, which gives
// it the answer of an earlier run.
const designed = `
from      | admit  | grant  | finish | refuse  | fail   | retry   | expire | release | lose   | due    | cancel    | reopen | raise     | carry
(none)    | queued |        |        |         |        |         |        |         |        |        |           |        |           |
queued    |        | leased |        | refused | failed |         |        |         |        |        | cancelled |        | queued    | done
leased    |        |        | done   | refused | failed | waiting | queued | queued  | queued |        | cancelled |        | leased    |
waiting   |        |        |        | refused | failed |         |        |         |        | queued | cancelled |        | waiting   |
done      |        |        |        |         |        |         |        |         |        |        |           | queued | done      |
refused   |        |        |        |         |        |         |        |         |        |        |           | queued | refused   |
failed    |        |        |        |         |        |         |        |         |        |        |           | queued | failed    |
cancelled |        |        |        |         |        |         |        |         |        |        |           | queued | cancelled |
`

// parseDesign reads a table: state, event -> state; absent where it is empty.
func parseDesign(text string) map[[2]string]string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	cells := func(line string) (cs []string) {
		for c := range strings.SplitSeq(line, "|") {
			cs = append(cs, strings.TrimSpace(c))
		}
		return cs
	}
	events, table := cells(lines[0]), map[[2]string]string{}
	for _, line := range lines[1:] {
		row := cells(line)
		for i, to := range row[1:] {
			if to != "" {
				table[[2]string{row[0], events[i+1]}] = to
			}
		}
	}
	return table
}

// differences lists the pairs on which a machine does not do what is designed.
func differences(next func(State, Event) (State, error)) []string {
	table := parseDesign(strings.Replace(designed, "(none)", "unseen", 1))
	word := func(s State) string {
		if s == Unseen {
			return "unseen"
		}
		return s.String()
	}
	var faults []string
	for _, from := range append([]State{Unseen}, States...) {
		for _, e := range append([]Event{NoEvent}, Events...) {
			want := table[[2]string{word(from), e.String()}]
			to, err := next(from, e)
			switch {
			case want == "" && err == nil:
				faults = append(faults, fmt.Sprintf("%s on %s: got %s, want none", word(from), e, to))
			case want == "" && to != from:
				faults = append(faults, fmt.Sprintf("%s on %s: refused, and yet it moved to %s", word(from), e, to))
			case want != "" && (err != nil || to.String() != want):
				faults = append(faults, fmt.Sprintf("%s on %s: got %s (%v), want %s", word(from), e, to, err, want))
			}
		}
	}
	return faults
}

func TestEveryStateTakesEveryEventAsDesigned(t *testing.T) {
	require.Len(t, States, len(stateNames)-1, "States lists every state but Unseen")
	require.Len(t, Events, len(eventNames)-1, "Events lists every event but NoEvent")
	assert.Len(t, parseDesign(designed), 29)
	assert.Empty(t, differences(State.Next))

	t.Run("and the comparison finds each pair that is wrong", func(t *testing.T) {
		for _, from := range append([]State{Unseen}, States...) {
			for _, e := range Events {
				wrong := func(s State, ev Event) (State, error) {
					to, err := s.Next(ev)
					if s != from || ev != e {
						return to, err
					}
					if err != nil {
						return Queued, nil
					}
					return s, &IllegalError{s, ev}
				}
				assert.Len(t, differences(wrong), 1, "%s on %s", from, e)
			}
		}
	})
}

func TestIllegalPairSaysWhichOneItIs(t *testing.T) {
	_, err := Done.Next(Grant)
	var illegal *IllegalError
	require.ErrorAs(t, err, &illegal)
	assert.Equal(t, IllegalError{From: Done, Event: Grant}, *illegal)
	assert.EqualError(t, err, "frontier: done has no event grant")
}

func TestOnlyReopenLeadsOutOfATerminalState(t *testing.T) {
	for _, s := range States {
		var out []Event
		for _, e := range Events {
			if to, err := s.Next(e); err == nil && to != s {
				out = append(out, e)
			}
		}
		if s.Terminal() {
			assert.Equal(t, []Event{Reopen}, out, s)
		} else {
			assert.NotContains(t, out, Reopen, s)
		}
	}
}

func TestWordsAreReadBack(t *testing.T) {
	type word interface {
		String() string
		MarshalText() ([]byte, error)
	}
	type parser interface {
		word
		UnmarshalText([]byte) error
	}
	check := func(w word, into parser) {
		t.Helper()
		b, err := w.MarshalText()
		require.NoError(t, err)
		require.NoError(t, into.UnmarshalText(b))
		assert.Equal(t, w.String(), into.String())
		assert.Error(t, into.UnmarshalText([]byte("no such word")))
	}
	for _, s := range States {
		check(s, new(State))
	}
	for _, e := range Events {
		check(e, new(Event))
	}
	for o := range Outcome(len(outcomeNames)) {
		check(o, new(Outcome))
	}
	for d := range Decision(len(decisionNames)) {
		check(d, new(Decision))
	}
	for s := range Source(len(sourceNames)) {
		check(s, new(Source))
	}
	for p := range Phase(len(phaseNames)) {
		check(p, new(Phase))
	}
	assert.Equal(t, "unknown(99)", State(99).String())
}

func TestDiagramOfStatesIsTheMachine(t *testing.T) {
	golden(t, "states.md", []byte(diagram()))
}

// diagram draws the machine by asking it about every pair.
func diagram() string {
	var b strings.Builder
	b.WriteString("# The states of a URL\n\nWritten by TestDiagramOfStatesIsTheMachine from the machine itself.\n\n```mermaid\nstateDiagram-v2\n")
	all := append([]State{Unseen}, States...)
	for _, from := range all {
		for _, to := range States {
			if words := between(from, to); len(words) > 0 {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", start(from), to, strings.Join(words, ", "))
			}
		}
	}
	b.WriteString("```\n\n| from \\ event |")
	for _, e := range Events {
		fmt.Fprintf(&b, " %s |", e)
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(Events)+1) + "\n")
	for _, from := range all {
		fmt.Fprintf(&b, "| %s |", strings.Replace(start(from), "[*]", "(none)", 1))
		for _, e := range Events {
			to, err := from.Next(e)
			if err != nil {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %s |", to)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// between lists the events that lead from one state to another; raise, which
// keeps every state, is left to the table.
func between(from, to State) (words []string) {
	for _, e := range Events {
		if got, err := from.Next(e); err == nil && got == to && e != Raise {
			words = append(words, e.String())
		}
	}
	return words
}

func start(s State) string {
	if s == Unseen {
		return "[*]"
	}
	return s.String()
}
