// Package ledger proves what a run admitted and what became of it, and delivers
// its results with that proof.
//
// A [Source] is a paged view of results: a frozen [Generation] of a run of ours, or
// another service's. [Materialize] walks a Source, page by page and cursor by
// cursor, into a [Sink], which keeps the dataset. A [Receipt] is the account of
// that walk and of the job behind it: how many references were decided and how,
// how many URLs stand in which state and why, what of the budget is spent, each
// page with its cursors and digests, and one [Verdict] that says what may be done
// with the results. [Reconcile] makes the receipt of a run without a dataset.
//
// # How a result gets into a dataset
//
//	frontier.Reader    the rows of a run, in the order in which they were accepted
//	        |
//	Generation         those of them that were there when it was frozen
//	        | Page, Cursor
//	Materialize        asks again for what fails; takes no page that is not what
//	        |          was asked for, and no cursor twice; counts, finds duplicates,
//	        |          digests identity and content
//	        | Write: a page and its line, both or neither
//	Sink               .partial, until the receipt is there
//	        |
//	compare            what the source counts and what was walked must agree
//	        |
//	verdict            the first rule that holds, of six
//	        | Finish
//	Sink               published, or kept as partial with the cursor to go on from
//
// # What it guarantees
//
//   - Nothing in a receipt is a counter alone: the walk counts again whatever has a
//     result. Where the two disagree the verdict is [Unknown], and Faults names what
//     disagrees.
//   - A page that failed, a bound, or a cursor that leads round never makes a
//     shorter dataset that looks whole: the receipt names what cut it off, and Next
//     is the exact cursor of the first result that is not in it.
//   - A walk that was killed anywhere goes on from there, and ends in the same
//     dataset and receipt, but for how often pages were asked for. Only where a
//     bound of time has ended a page its cut may differ; the digests of the whole do
//     not.
//   - What a page said of the whole stands in its line. So a walk that was ended and
//     gone on with has the verdict of one that was not: never a better one.
//   - The end of a job that goes on and that nothing has frozen is no end: its last
//     page is asked for again, and only what a page says with the last results counts.
//   - A dataset is of one generation, and generations and receipts never change: a
//     later run or walk cannot complete an earlier one.
//   - What changed afterwards is found by Receipt.Verify: in what a File has published
//     any byte, in any other dataset a row; and any byte of the receipt's file.
//   - A receipt of a run that goes on is of one commit: later results are not in it,
//     and its verdict is [PartialResumable] at best.
//   - The verdict is a pure function of what stands in the receipt.
//   - Every bound has a finite default. What is in memory grows by a bit for each
//     URL of ours, by 16 bytes for any other identity, and by a line for each page.
//
// Reading claims nothing and changes nothing. Whether the rows of a store are
// what its log says is frontier's question: Reader.Check and Reader.Replay. When a
// generation is frozen is frontier's, too.
package ledger
