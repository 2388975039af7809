package urlnorm

import (
	_ "embed"
	"strings"
)

//go:embed params.txt
var paramsText string

// standardParams are the parameters that mean the same on every site.
var standardParams = readParams(paramsText)

// A paramSet is what params.txt says.
type paramSet struct {
	version  string
	tracking map[string]bool
	session  map[string]bool // in lower case
}

// readParams reads lines of name, class, maker and source.
func readParams(text string) paramSet {
	set := paramSet{tracking: map[string]bool{}, session: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if version, ok := strings.CutPrefix(line, "# version: "); ok {
			set.version = version
			continue
		}
		name, rest, _ := strings.Cut(line, "\t")
		switch class, _, _ := strings.Cut(rest, "\t"); class {
		case "tracking":
			set.tracking[name] = true
		case "session":
			set.session[name] = true
		}
	}
	return set
}
