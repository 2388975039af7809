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

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the next Ctrl-C ends the process
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "stopped; start it again to go on")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the flags of one start.
type options struct {
	dir, out string
	page     int
}

// parse reads the arguments. After flag.ErrHelp it has written the usage to help.
func parse(args []string, help io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("export", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to print, once
	flags.StringVar(&o.dir, "dir", "", "folder of an earlier crawl (default: export, for one of the built-in site)")
	flags.StringVar(&o.out, "out", "", "files to write, without their endings (default pages in the folder)")
	flags.IntVar(&o.page, "page", 0, "results that are read and kept at a time (default 1,000)")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q is no flag: -dir names the crawl to export", flags.Arg(0))
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "usage: export [flags]\nWithout -dir it crawls a built-in site.")
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
	if o.dir == "" {
		o.dir = "export"
		err = crawlDemo(ctx, o.dir)
	} else if _, none := os.Stat(filepath.Join(o.dir, "frontier.db")); none != nil {
		err = fmt.Errorf("there is no crawl in %s: %w", o.dir, none)
	}
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join(o.dir, "pages")
	}
	return export(ctx, o, stdout, stderr)
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
	for _, ending := range []string{".jsonl", ".csv"} {
		if receipt, err = write(ctx, o.out+ending, results, o.page, stdout, stderr); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "\n%s", receipt)
	return err
}

// write makes one file, and checks it.
func write(ctx context.Context, path string, results *ledger.Generation, page int, stdout, stderr io.Writer) (ledger.Receipt, error) {
	file := &ledger.File{Path: path}
	defer file.Close()
	pages := 0
	receipt, err := ledger.Materialize(ctx, ledger.Export{
		From: results, To: file, Page: ledger.PageRequest{Records: page},
		Trace: func(p ledger.PageReceipt) {
			pages++
			fmt.Fprintf(stderr, "%s: page %d, %d results\n", path, p.Ordinal, p.Results)
		},
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
	case pages == 0:
		how = "published before"
	}
	_, err = fmt.Fprintf(stdout, "%s: %s, and checked against its receipt\n", path, how)
	return receipt, err
}
