// Command conformance answers: how much of what third parties have measured does
// this module get right?
//
// A suite judges the rows of one table (URLs of web-platform-tests, robots.txt of
// Google's tests, links as jsdom finds them, ...). The command runs every suite of
// which the table is there, and prints rows, rows passed, and every row that
// failed with the reason why that is accepted:
//
//	go run ./internal/conformance -data DIR [-json]
//
// A row about something that this module does not do, as another method than GET or
// a robots.txt on which programs do not agree, is skipped and counted as that. The
// exit status is 0 whatever passes; an error is only what keeps the command from
// judging: no table, or one that cannot be read.
//
// DIR is any folder of the layout of testdata: url, robots, html, http, sitemap, sites. Of
// the rows of testdata itself a test allows no other failure than the accepted
// ones, and the README quotes the numbers.
package main
