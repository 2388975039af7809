package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	dir := flag.String("data", "internal/conformance/testdata", "folder of the tables")
	asJSON := flag.Bool("json", false, "print an array of {suite, rows, passed, failed, skipped, failures}")
	flag.Parse()
	err := unexpected(flag.Args())
	if err == nil {
		err = run(os.Stdout, *dir, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// unexpected refuses what is no flag: it would be passed over in silence.
func unexpected(arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	return fmt.Errorf("%q is no flag: is -data %[1]s meant?", arguments[0])
}

// run judges what is in dir and prints the report.
func run(out io.Writer, dir string, asJSON bool) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-data %s: no such folder: name one that holds url, robots, html, http, sitemap or sites", dir)
	}
	results, err := judge(os.DirFS(dir), suites())
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("-data %s: there is no table of any suite, such as url/admission.jsonl or robots/cases.jsonl", dir)
	}
	if !asJSON {
		return printTable(out, results)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(results)
}

// suites lists every suite in the order in which it is printed.
func suites() (all []suite) {
	for _, of := range [][]suite{urlSuites, robotsSuites, htmlSuites, encodingSuites, httpSuites, sitemapSuites, siteSuites} {
		all = append(all, of...)
	}
	return all
}
