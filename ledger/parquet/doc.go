// Package parquet answers how a dataset stands in a file of Apache Parquet
// (https://parquet.apache.org), for tools that read columns.
//
// A [Format] is given to a ledger.File, which does the rest:
//
//	ledger.File{Path: "pages.parquet", Format: parquet.Format{}}
//
// A row has the columns id, state and supersedes, then those of Format.Columns as
// text, and last data, which has the whole row as JSON. They are compressed with
// zstd, and no more than one row group is in memory at a time.
//
// It guarantees that Decode gives back what Encode was given, byte for byte, and
// that a file it cannot read is a *ledger.RowError, never a panic. But the library
// trusts the lengths in a file, and one that is damaged can make it take more memory
// than there is: a ledger.File compares every byte with what was published before
// Decode sees one. Whoever calls Decode alone must know where the file comes from.
//
// It is a module of its own, because its library is heavier than all of weir.
package parquet
