// Package ledger proves what a run admitted and what became of it.
//
// A [Receipt] is the account of one run: how many references were decided and
// how, how many URLs stand in which state and why, what of the budget is spent,
// and one [Verdict] that says what may be done with the results.
//
// # How a receipt is made
//
//	frontier.Summary   the counters, kept in every commit
//	        |
//	Results            one walk, in order, as far as the counters count
//	        |          counts again, by state and reason; finds duplicates;
//	        |          digests identity and content
//	compare            counters and walk must agree
//	        |
//	verdict            the first rule that holds, of six
//
// # What it guarantees
//
//   - Nothing in a receipt is a counter alone: the walk counts again whatever
//     has a result. Where the two disagree the verdict is [Unknown], and Faults
//     names what disagrees.
//   - A receipt of a run that goes on is of one commit: later results are not in
//     it, and its verdict is [PartialResumable] at best.
//   - The verdict is a pure function of facts that stand in the receipt.
//
// Reading claims nothing and changes nothing. Whether the rows of a store are
// what its log says is frontier's question: Reader.Check and Reader.Replay.
package ledger
