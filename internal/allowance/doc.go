// Package allowance answers: how fast may one origin be asked, after all that it has
// answered?
//
// # Words
//
//	Terms     what the operator and the site allow: where an origin starts, and its best
//	State     what the origin's answers have made of it
//	rate      requests per time, in thousandths of those at the start
//	incident  the origin asked for less (429, 503), or failed several times in a row
//	wait      the time between the starts of two requests
//
// # How one answer travels
//
// Each answer is one of [State.Good], [State.Busy] and [State.Trouble]. A good one
// that came as fast as others before raises the rate by a tenth of the start, up
// to the best that Terms allow. An incident halves it, once: what was requested
// before an incident was known belongs to it. Quiet time forgives: the rate doubles
// after each [Quiet] without an incident, up to the start. That is AIMD, additive
// increase and multiplicative decrease, as TCP has it.
//
// # What it guarantees
//
//   - Every function is pure: state, answer and moment in, state out. Whoever keeps
//     a State may restart in between, and a clock that was wrong once freezes nothing.
//   - The wait is never shorter than the site's own, nor than the operator's best.
//   - No origin is slowed beyond [Slowest], unless its own start is slower.
//
// # What it leaves to others
//
// How long an origin rests after an incident (Retry-After, backoff), when a request
// was sent, and who is next: package frontier.
package allowance
