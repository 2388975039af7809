// Package charset answers: in which encoding is this body, and what does it say in
// UTF-8?
//
// A Source is a body with what its server has said of it. A Claim is an encoding
// and what names it. A Decision is the claim that is believed, with those that are
// not. Encodings, their labels and their decoders are those of the Encoding
// standard of the WHATWG.
//
// # How a body is decided
//
// The first claim that is there counts:
//
//  1. bom: a byte order mark.
//  2. header: the charset of the Content-Type header, if it is a known label.
//  3. Of HTML (and of what has no type) meta: what the standard's prescan of the
//     first 1024 bytes finds. It takes a declaration in a script or a title for
//     one; but a true meta element, if there is one, counts before it.
//  4. Of HTML and XML xml: the encoding of an XML declaration, or "<?x" in UTF-16.
//  5. Of HTML late meta: a meta element in the first 64 KiB that only a parser
//     finds, as after a comment of 2000 bytes.
//  6. utf-8: nothing is declared, and the bytes are valid UTF-8.
//  7. detected: most sequences are UTF-8, or a detector is sure of its guess.
//  8. default: UTF-8 for XML, windows-1252 for the rest.
//
// What an ASCII reader has found in the body is not UTF-16, whatever it says: that
// means UTF-8, and x-user-defined in a meta element means windows-1252.
//
// The header gives way in one case: the bytes are wrong under it, and right under
// what the body says of itself. UTF-8 with a few errors stays UTF-8, and an
// encoding of single bytes, in which every text is right, is believed only against
// several errors. The header is then in Lost.
//
// The labels of encodings that browsers refuse to read (iso-2022-kr, hz-gb-2312
// and others, called "replacement") give the text that browsers show: one U+FFFD.
// A body in them has no links, as for a browser; its bytes are still the caller's.
//
// # What it guarantees
//
// Text is always valid UTF-8 and not longer than three times the body and three
// bytes. A body in UTF-8 is not copied. Everything is linear in the length of the
// body; detection reads 4 KiB of it. Each sequence of bytes without a meaning is
// one U+FFFD and is counted (a U+FFFD that the body itself contains is not); the
// beginning of a character at the end of a body that was cut is neither. Decisions
// depend on the Source alone and are versioned by Version: the same bytes can be
// decided anew.
//
// # Where x/text differs
//
// The tables are those of golang.org/x/text, corrected where it differs from the
// standard as of 2026: it replaces 0x80 to 0x9f where an encoding of single bytes
// has nothing (the standard: control characters); it reads gbk without codes of
// four bytes, and gb18030 without users' areas and the changes of 2022; it has no
// users' area in Shift_JIS, no Roman and one more set in ISO-2022-JP; and after an
// error it often swallows the ASCII that follows, or counts more than one error.
//
// Which media type a header declares is for its caller to say, and what the text
// means for others.
package charset
