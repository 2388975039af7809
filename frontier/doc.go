// Package frontier answers: which URL may be requested now, by whom, and whose
// answer counts?
//
// A [Frontier] owns the URLs of one run. It decides on every [Reference] that it
// is offered, hands out what is due, and accepts what came of it. It requests
// nothing and waits for nobody: a fetcher of any kind works above it, a
// [storage.Store] of any kind lies below.
//
// # Words
//
//	run         one crawl with one Budget and one Scope; a store holds many, one unfinished
//	reference   what a page, a seed or another source named
//	admission   the decision on a reference, kept with its reason
//	identity    a URL that was admitted; it stands in one State
//	gate        what opens an origin before its first URL: its robots.txt
//	lease       permission to request one URL, under one generation, until a deadline
//	completion  the report on a lease; the Lease's methods make it
//	result      one accepted, final outcome, at its position in the order of acceptance
//	Generation  the results up to one commit, frozen with their counters (a lease's is a number)
//
// # How one URL travels
//
//	Enqueue --> admission --> Queued --> Lease --> Leased --> Complete --> Done, Refused, Failed
//	                ^            ^                   |  |                       |
//	                |            +---- Waiting <-----+  +--- lost: Queued       v
//	                +------------- references of the page ------------------- Result
//
// [Frontier.Enqueue] and each completion offer references. A reference becomes a
// key (package urlnorm), and is a duplicate, a policy stop, over a bound, or
// admitted and queued at its origin. [Frontier.Lease] waits until an origin is
// due, and grants its URLs in order. Whoever holds a lease calls [Frontier.Sent]
// just before the request, [Frontier.Extend] while it lasts, and
// [Frontier.Complete] after it. A retry waits and is granted again under the next
// generation; a lease whose deadline has passed goes back to the queue. Where
// nothing is queued, leased or waiting, the run is over: Lease answers [ErrDone].
//
// The commit that stops or ends a run, and each [Frontier.Freeze], closes a
// [Generation]: an ordered set of results that never changes, however long it is
// read. What comes later is of the next one.
//
// Every call is decided by one writer, in groups, and answers after the commit
// of its group. [Open] on a store whose run is unfinished goes on with it.
// [NewReader] reads any run, also while it goes on.
//
// Why something was, or was not, crawled is in the decisions: [Reader.Admissions]
// has the record of each, [Reader.Graph] the link graph, [Reader.Patterns] what is
// held back, by pattern. [Reader.Explain] tells all of one URL, and [Reader.Preview]
// what would be decided on a reference now.
//
// How an origin is treated is a [Policy]: from a [PolicySource], such as a [PolicyTable]
// or a [PolicyFile], under what operators have set. An [Admin] changes that, the scope
// and the bounds while the run goes on, pauses, cancels and reopens; [Reader.Audits]
// lists each change. Policy and scope are asked at admission, again at the grant, and
// once more by Sent: a [BarredError] says that its request must not be made.
//
// [Rekey] makes a run out of an earlier one, under another Normalizer: it replays
// what that run was told, and needs no request for what it has fetched.
//
// # What it guarantees
//
//   - An admitted URL ends in exactly one result, wherever the process dies.
//   - A result is accepted from the owner of the lease alone, once; what comes too
//     late joins the history and changes nothing.
//   - No bound of the Budget is exceeded, under any concurrency. A lost lease is
//     charged the bytes that were set aside for it, all of them: nobody knows what
//     it has received.
//   - An origin has at most Policy.Concurrency requests under way, Policy.Delay
//     apart, counted from Sent.
//   - What a policy, a scope or a pause forbids is not requested after the commit that
//     put it in force; an operator's change and its audit row are one commit.
//   - A run that is rekeyed from the whole of another ends like one that began under
//     its Normalizer, and the other keeps every row.
//   - A frozen generation is never rewritten, and a crash leaves it whole or not at
//     all. Log and edges recompute its counters ([Reader.Check], [Reader.Replay]).
//   - Where more slots are spent than the Budget has, nothing is admitted until an
//     operator raises it.
//   - A decision has one record, whoever asks for it; no field of it is empty, and
//     their Counts add up to the references that were observed.
//   - Nothing disappears: each decision and transition is in a log, from which the
//     state can be replayed ([Reader.Replay]).
//
// # What it leaves to others
//
// Requests, robots rules and retries within one exchange: packages fetch and
// robots. Bytes: they must be durable before the completion that refers to them.
// What keys are equal: package urlnorm. The account of a run: package ledger.
package frontier
