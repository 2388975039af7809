// Command export turns a crawl into files with a receipt: what was found, as JSONL
// and as CSV, and the proof that nothing is missing.
//
// Without -dir it crawls a small built-in site first. With -dir it takes the newest
// run of a folder that another program has crawled into, quickstart for one; that
// must not be at work in it:
//
//	go run ./examples/export
//	go run ./examples/quickstart -dir crawl -max 200 https://example.com/
//	go run ./examples/export -dir crawl
//
// Each file is checked against its receipt. Started again, it checks what it has
// published. Ctrl-C, or a kill, leaves what is there in a file that ends in
// .partial, and the next start goes on with that. What an unfinished crawl has
// found stays .partial: it is not the whole.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the next Ctrl-C ends the process
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, context.Canceled) {
		os.Exit(130)
	}
	os.Exit(1)
}

// options are the flags of one start.
type options struct {
	dir, out string
	page     int
	verbose  bool
}

// endings are those of the files, one for each format.
var endings = []string{".jsonl", ".csv"}

const usage = `usage: export [flags]

Writes what a crawl has found to files, each with a receipt, and checks them.
Without -dir it crawls a small built-in site first. With -dir it takes the newest
run of a folder that another program has crawled into, and that is not at work in
it now. Ctrl-C, or a kill, leaves what is there in a file that ends in .partial:
start it again to go on. What an unfinished crawl has found stays .partial.
`

// parse reads the arguments. After flag.ErrHelp it has written the usage to help.
func parse(args []string, help io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("export", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to print, once
	flags.StringVar(&o.dir, "dir", "", "`folder` of an earlier crawl (default: export, for one of the built-in site)")
	flags.StringVar(&o.out, "out", "", "`files` to write, without their endings (default: pages, in the folder of -dir)")
	flags.IntVar(&o.page, "page", 0, "`results` that are read and kept at a time (default: 1000)")
	flags.BoolVar(&o.verbose, "v", false, "print a line for every page (default: one a second)")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is no flag: -dir names the crawl to export", flags.Arg(0))
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage+"\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
		return o, err
	}
	if err != nil {
		return o, fmt.Errorf("%w; -h lists the flags", err)
	}
	return o, nil
}

// run is the whole command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	demo := o.dir == ""
	if demo {
		o.dir = "export"
	}
	if o.out == "" {
		o.out = filepath.Join(o.dir, "pages")
	}
	if demo {
		err = crawlDemo(ctx, o.dir)
	} else if _, none := os.Stat(filepath.Join(o.dir, "frontier.db")); none != nil {
		err = fmt.Errorf("there is no crawl in %s: %w", o.dir, none)
	}
	if err == nil {
		err = export(ctx, o, stdout, stderr)
	}
	if errors.Is(err, context.Canceled) {
		err = o.stopped()
	}
	return err
}

// A stop is why run has ended, for people.
type stop string

func (s stop) Error() string { return string(s) }

func (s stop) Is(target error) bool { return target == context.Canceled }

// stopped says what there is to do after a Ctrl-C.
func (o options) stopped() error {
	for _, ending := range endings {
		if _, err := os.Stat(o.out + ending); err != nil {
			return stop("stopped; start it again to go on")
		}
	}
	return stop("stopped; everything is published: start it again to check it")
}

// export writes the newest results of a folder into one file for each format.
func export(ctx context.Context, o options, stdout, stderr io.Writer) error {
	crawler, err := weir.New(weir.Config{Dir: o.dir, UserAgent: agent})
	if err != nil {
		return err
	}
	defer crawler.Close()
	// What is frozen never changes. A run freezes its results when it stops or ends;
	// Freeze does it for one that was killed.
	results, err := crawler.Freeze(ctx)
	if errors.Is(err, frontier.ErrNoRun) {
		return fmt.Errorf("nothing was crawled in %s yet: %w", o.dir, err)
	}
	if err != nil {
		return err
	}
	var receipt ledger.Receipt
	for _, ending := range endings {
		if receipt, err = write(ctx, o, o.out+ending, results, stdout, stderr); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "\n%s", receipt)
	return err
}

// write makes one file, and checks it.
func write(ctx context.Context, o options, path string, results *ledger.Generation, stdout, stderr io.Writer) (ledger.Receipt, error) {
	file := &ledger.File{Path: path}
	defer file.Close()
	walked := progress{path: path, out: stderr, all: o.verbose, last: time.Now()}
	receipt, err := ledger.Materialize(ctx, ledger.Export{
		From: results, To: file, Page: ledger.PageRequest{Records: o.page},
		Trace: func(p ledger.PageReceipt) { walked.page(time.Now(), p) },
	})
	if err != nil {
		if receipt.CutOff == ledger.CutContext {
			fmt.Fprintf(stderr, "%s.partial has %d of %d results\n", path, receipt.Results, results.Summary.Results)
		}
		return receipt, err
	}
	if err := receipt.Verify(ctx, file); err != nil {
		return receipt, fmt.Errorf("%s: %w", path, err)
	}
	how := "written"
	switch {
	case !receipt.Publishable():
		path, how = path+".partial", string(receipt.Verdict)
	case walked.pages == 0:
		how = "published before"
	}
	_, err = fmt.Fprintf(stdout, "%s: %s, and checked against its receipt\n", path, how)
	return receipt, err
}

// progress prints how far one file is.
type progress struct {
	path  string
	out   io.Writer
	all   bool      // a line for every page; else at most one a second
	last  time.Time // when a line was printed, or the start
	pages int       // of this start
}

func (w *progress) page(now time.Time, p ledger.PageReceipt) {
	w.pages++
	if !w.all && now.Sub(w.last) < time.Second {
		return
	}
	w.last = now
	fmt.Fprintf(w.out, "%s: page %d, %d results\n", w.path, p.Ordinal, p.Results)
}
