package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/weircrawl/weir/internal/links"
)

// w3libLinkRow is a call of one function of w3lib, with its result.
type w3libLinkRow struct {
	Fn, Test, BaseURL string
	Text, Result      json.RawMessage
	Options           struct {
		IgnoreTags []string `json:"ignore_tags"`
	}
}

// judgeW3lib judges the functions that find a base or a refresh.
func judgeW3lib(_ fs.FS, row w3libLinkRow) verdict {
	var text string
	if json.Unmarshal(row.Text, &text) != nil {
		return verdict{foreign: true} // bytes: their encoding is judged elsewhere
	}
	id := row.Test + " " + show(text)
	switch row.Fn {
	case "get_base_url":
		return row.judgeBase(id, text)
	case "get_meta_refresh":
		if !row.ours(text) {
			return verdict{foreign: true}
		}
		return row.judgeRefresh(id, text)
	}
	return verdict{foreign: true}
}

func (row w3libLinkRow) judgeBase(id, text string) verdict {
	var want string
	if err := json.Unmarshal(row.Result, &want); err != nil {
		return verdict{id: id, failure: "unreadable result: " + err.Error()}
	}
	found := links.Extract([]byte(text), links.Options{})
	got := found.BaseOf(row.BaseURL, relativeTo(row.BaseURL))
	return compare(id, absolute(want), absolute(got))
}

// absolute writes a URL as requests do, if it is one.
func absolute(url string) string {
	if u, err := relativeTo(url)(""); err == nil {
		return u
	}
	return url
}

// judgeRefresh compares the first refresh that leads to a URL; w3lib passes over
// those that load the page again, and keeps fractions of a second, which browsers
// do not.
func (row w3libLinkRow) judgeRefresh(id, text string) verdict {
	var seconds *float64
	var url *string
	if err := json.Unmarshal(row.Result, &[]any{&seconds, &url}); err != nil {
		return verdict{id: id, failure: "unreadable result: " + err.Error()}
	}
	found := links.Extract([]byte(text), links.Options{})
	i := slices.IndexFunc(found.Links, func(l links.Link) bool { return l.Rule == "meta[refresh]" && l.Observed != "" })
	switch {
	case i < 0 && url == nil:
		return verdict{id: id}
	case i < 0 || url == nil || seconds == nil:
		return verdict{id: id, failure: fmt.Sprintf("want %s, got %s", row.Result, show(found.Links))}
	}
	base := found.BaseOf(row.BaseURL, relativeTo(row.BaseURL))
	got, _ := relativeTo(base)(found.Links[i].Observed)
	delay := time.Duration(math.Floor(*seconds)) * time.Second
	return compare(id, []any{delay, absolute(*url)}, []any{found.Links[i].Delay, got})
}

// ours reports whether w3lib's result is meant to be ours: it looks into scripts
// and not into noscript as its caller likes, where we do as a browser without
// scripts; and it finds a refresh in a tag that never ends, which browsers drop.
func (row w3libLinkRow) ours(text string) bool {
	ignored := row.Options.IgnoreTags
	if ignored == nil {
		ignored = []string{"script", "noscript"}
	}
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "<noscript") && slices.Contains(ignored, "noscript"):
		return false
	case strings.Contains(lower, "<script") && !slices.Contains(ignored, "script"):
		return false
	}
	return !endsInTag(text)
}

// endsInTag reports whether a page ends within a tag.
func endsInTag(page string) bool {
	tokens := html.NewTokenizer(strings.NewReader(page))
	for tokens.Next() != html.ErrorToken {
	}
	return len(tokens.Raw()) > 0
}
