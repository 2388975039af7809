package allowance

import "time"

// Terms are the limits within which an origin's pace moves. The zero Terms mean
// one request after the other, without a pause.
type Terms struct {
	Start       time.Duration // between two requests, as the operator says
	Best        time.Duration // what Start may shrink to, at most Start; 0: to none
	Site        time.Duration // between two requests, as the site says (Crawl-delay): never less
	Concurrency int           // requests at once, at the start; at least 1
}

// start is the wait at the rate of the start.
func (t Terms) start() time.Duration { return min(max(t.Start, t.Site, 0), longest) }

// longest keeps the arithmetic within its numbers.
const longest = 30 * 24 * time.Hour

// best is the shortest wait.
func (t Terms) best() time.Duration { return max(min(t.Best, t.start()), t.Site, 0) }

// top is the highest rate: that of best, within what the arithmetic takes.
func (t Terms) top() int64 {
	start, best := int64(t.start()), max(int64(t.best()), int64(t.start())/full, 1)
	return max((start*full+best-1)/best, full)
}

// State is what an origin's answers have made of it. Times are microseconds of the
// caller's clock. The zero State is that of an origin that was never asked.
type State struct {
	Lag       int64 // full less the rate: above 0 it is slowed, below 0 faster than at the start
	Latency   int64 // smoothed, of good answers, in microseconds
	Incidents int64 // Busy answers in a row: incidents without a good answer between
	Troubles  int64 // failures in a row
	Last      int64 // when the last incident became known
	Calm      int64 // since when quiet time counts
}

const (
	full = 1_000     // the rate of the start
	step = full / 10 // what a good answer adds
	unit = time.Second

	// Quiet is how long an origin must have no incident for its rate to double.
	Quiet = 5 * time.Minute
	// Slowest is the longest wait that incidents can lead to.
	Slowest = time.Minute
	// Repeated is how many failures in a row are an incident.
	Repeated = 2

	slowestRate = full / 64 // where halving ends
)

// Rate is how fast s is, in thousandths of the start.
func (s State) Rate(now int64) int { return int(full - s.calmed(now).Lag) }

// Slowed reports whether s is slower than at the start.
func (s State) Slowed(now int64) bool { return s.calmed(now).Lag > 0 }

// Wait is the time between the starts of two requests.
func (s State) Wait(t Terms, now int64) time.Duration {
	lag := s.calmed(now).Lag
	switch {
	case lag > 0:
		return t.slower(lag)
	case lag < 0:
		return max(t.start()*full/time.Duration(full-lag), t.best())
	}
	return t.start()
}

// slower is the wait of an origin whose rate is lag below the start. One that
// starts without a pause gets one.
func (t Terms) slower(lag int64) time.Duration {
	rate := time.Duration(max(full-lag, slowestRate))
	wait := t.start() * full / rate
	if t.start() == 0 {
		wait = unit * (full - rate) / rate
	}
	return min(wait, max(Slowest, t.start()))
}

// Concurrency is how many requests may be under way: fewer while it is slowed,
// never none.
func (s State) Concurrency(t Terms, now int64) int {
	if lag := s.calmed(now).Lag; lag > 0 {
		return max(int(int64(t.Concurrency)*(full-lag)/full), 1)
	}
	return max(t.Concurrency, 1)
}

// Good is s after a good answer that took latency; 0: nobody measured.
func (s State) Good(t Terms, latency time.Duration, now int64) State {
	s = s.calmed(now)
	took := latency.Microseconds()
	slow := s.Latency > 0 && took > 2*s.Latency
	if took > 0 {
		s.Latency = smoothed(s.Latency, took)
	}
	s.Incidents, s.Troubles = 0, 0
	if !slow {
		s.Lag = max(s.Lag-step, full-t.top())
	}
	return s
}

// smoothed moves an average an eighth of the way (RFC 6298, section 2).
func smoothed(average, sample int64) int64 {
	if average == 0 {
		return sample
	}
	return max(average+(sample-average)/8, 1)
}

// Busy is s after the origin has asked for less, to a request sent at since. It
// reports whether that is a new incident.
func (s State) Busy(since, now int64) (State, bool) {
	s, fresh := s.incident(since, now)
	if fresh {
		s.Incidents++
	}
	return s, fresh
}

// Trouble is s after the origin has failed to answer a request sent at since. It
// reports whether that is a new incident: one failure is none.
func (s State) Trouble(since, now int64) (State, bool) {
	s = s.calmed(now)
	if s.Troubles++; s.Troubles < Repeated {
		return s, false
	}
	return s.incident(since, now)
}

// incident halves the rate, unless the request was sent before the last incident
// was known.
func (s State) incident(since, now int64) (State, bool) {
	s = s.calmed(now)
	if since <= s.Last {
		return s, false
	}
	s.Lag = full - max((full-s.Lag)/2, slowestRate)
	s.Last, s.Calm = now, now
	return s, true
}

// calmed is s with what quiet time has forgiven, and without moments that lie
// ahead: a clock that was wrong has left them.
func (s State) calmed(now int64) State {
	if s.Last > now || s.Calm > now {
		s.Last, s.Calm = 0, now
	}
	for s.Lag > 0 && now-s.Calm >= Quiet.Microseconds() {
		s.Calm += Quiet.Microseconds()
		s.Lag = max(full-2*(full-s.Lag), 0)
		s.Incidents = max(s.Incidents-1, 0)
	}
	return s
}
