// Command quickstart crawls a site and accounts for every URL.
//
// Without an argument it serves a built-in site of several hosts on loopback and
// crawls that. With URLs it crawls those, under the library's defaults:
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -max 200 https://example.com/
//
// Ctrl-C stops it, a second one kills it; started again it goes on either way.
// Each time it prints the receipt, and writes one line for every URL to
// pages.jsonl. Once the run is over it shows that run; -again begins a new one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
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
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "stopped; start it again to go on")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the flags and arguments of one start.
type options struct {
	dir, out     string
	max          int64
	depth        int
	workers      int
	delay        time.Duration
	allowPrivate bool
	again        bool
	json         bool
	seeds        []string
}

// parse reads the arguments. After flag.ErrHelp it has written the usage to help.
func parse(args []string, help io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to print, once
	flags.StringVar(&o.dir, "dir", "", "folder of the crawl (default crawl, or quickstart for the built-in site)")
	flags.StringVar(&o.out, "out", "", "file for the results (default pages.jsonl in the folder)")
	flags.Int64Var(&o.max, "max", 0, "most URLs (default 10,000, or 1,000 for the built-in site)")
	flags.IntVar(&o.depth, "depth", 0, "most links from a seed (default 16)")
	flags.IntVar(&o.workers, "concurrency", 0, "pages in work at once (default 64)")
	flags.DurationVar(&o.delay, "delay", 0, "between two requests to one origin (default 1s, or 10ms for the built-in site; negative: none)")
	flags.BoolVar(&o.allowPrivate, "allow-private", false, "also request private and loopback addresses (always for the built-in site)")
	flags.BoolVar(&o.again, "again", false, "begin a new run after a finished one")
	flags.BoolVar(&o.json, "json", false, "print the receipt as one JSON object")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "usage: quickstart [flags] [url ...]\nWithout a URL it crawls a built-in site.")
		flags.SetOutput(help)
		flags.PrintDefaults()
		return o, err
	}
	if err != nil {
		return o, fmt.Errorf("%w; -h lists the flags", err)
	}
	o.seeds = flags.Args()
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
	cfg := weir.Config{UserAgent: "quickstart/1.0 (+https://github.com/weircrawl/weir)", OnPage: title}
	if len(o.seeds) == 0 {
		site, err := serveDemo()
		if err != nil {
			return err
		}
		defer site.Close()
		site.configure(&cfg, &o)
	}
	o.configure(&cfg)
	return crawl(ctx, cfg, o, stdout, stderr)
}

// configure sets what the flags say.
func (o *options) configure(cfg *weir.Config) {
	if o.dir == "" {
		o.dir = "crawl"
	}
	if o.out == "" {
		o.out = filepath.Join(o.dir, "pages.jsonl")
	}
	cfg.Dir, cfg.Workers = o.dir, o.workers
	cfg.Budget.URLs, cfg.Budget.Depth = o.max, o.depth
	cfg.Policy = frontier.Policy{Delay: o.delay}
	if o.allowPrivate {
		cfg.Fetch.Allow = append(cfg.Fetch.Allow, private...)
	}
}

var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
}

// title keeps the title of a page.
func title(_ context.Context, p *weir.Page) error {
	return p.Emit("page", map[string]any{"title": p.Doc().Find("title").First().Text(), "links": len(p.Links())})
}

// crawl runs, shows how it goes, and delivers.
func crawl(ctx context.Context, cfg weir.Config, o options, stdout, stderr io.Writer) error {
	crawler, err := weir.New(cfg)
	if err != nil {
		return err
	}
	defer crawler.Close()
	if err := creatable(o.out); err != nil {
		return err
	}
	receipt, found, err := crawler.Last(ctx)
	if err != nil {
		return err
	}
	if found && receipt.Phase.Terminal() && receipt.Phase != frontier.FailedRun && !o.again {
		return errors.Join(print(receipt, o, stdout), tellOver(ctx, crawler, o, receipt, stderr))
	}
	stop := progress(crawler, stderr)
	receipt, err = crawler.Run(ctx, o.seeds...)
	stop()
	if receipt.Run == "" {
		return err
	}
	if failed := deliver(crawler, o.out); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(print(receipt, o, stdout), err)
}

// print shows the receipt, and where the results lie.
func print(receipt ledger.Receipt, o options, stdout io.Writer) error {
	if o.json {
		return json.NewEncoder(stdout).Encode(receipt)
	}
	_, err := fmt.Fprintf(stdout, "%s\nresults: %s\n", receipt, o.out)
	return err
}
