package fetchtest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// maxBody bounds a body that the directive repeat makes.
const maxBody = 1 << 30

// read takes every section of archive into w, or returns all faults.
func (w *Web) read(name string, archive []byte) error {
	var faults []error
	parsed := txtar.Parse(archive)
	line := 1 + bytes.Count(parsed.Comment, []byte("\n"))
	for _, f := range parsed.Files {
		if off, err := w.section(f); err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, line+off, err))
		}
		line += 1 + bytes.Count(f.Data, []byte("\n"))
	}
	return errors.Join(faults...)
}

// section takes one section. On a fault it returns its line too, counted from
// the section's own.
func (w *Web) section(f txtar.File) (int, error) {
	if want, ok := strings.CutPrefix(f.Name, "want "); ok {
		if _, twice := w.want[want]; twice {
			return 0, fmt.Errorf("a second section %q", f.Name)
		}
		w.want[want] = string(f.Data)
		return 0, nil
	}
	pattern, err := cleanPattern(f.Name)
	if err != nil {
		return 0, fmt.Errorf("section %q: %w", f.Name, err)
	}
	a, off, err := parseAnswer(pattern, f.Data)
	if err != nil {
		return off, err
	}
	if ofHost(a.fail) && pattern != originOf(pattern)+"/*" {
		return off, fmt.Errorf("%q breaks a whole host: name the section %s/*", a.fail, originOf(pattern))
	}
	if a.fail == failTLS && !strings.HasPrefix(pattern, "https:") {
		return off, errors.New("tls breaks https hosts only")
	}
	s := w.script(pattern)
	s.answers = append(s.answers, a)
	return 0, nil
}

// parseAnswer reads a section's data: its head, if it has one, and its body. On
// a fault it returns the line, counted from the section's own.
func parseAnswer(pattern string, data []byte) (answer, int, error) {
	a := newAnswer()
	if !bytes.HasPrefix(data, []byte("HTTP ")) && !bytes.HasPrefix(data, []byte("!")) {
		a.body = data
		return a, 0, a.finish(pattern)
	}
	var line []byte
	var shapes []shape
	for at := 1; len(data) > 0; at++ {
		line, data, _ = bytes.Cut(data, []byte("\n"))
		text := strings.TrimSpace(string(line))
		if text == "" {
			break
		}
		s, err := a.headLine(text, at == 1)
		if err != nil {
			return a, at, err
		}
		if s.name != "" {
			shapes = append(shapes, s)
		}
	}
	a.body = data
	for _, s := range inOrder(shapes) {
		if err := s.apply(&a); err != nil {
			return a, 0, err
		}
	}
	return a, 0, a.finish(pattern)
}

// headLine takes one line of a head: the status line if it is the first, a
// directive or a header. A directive that changes the body is returned, because
// the body is not known yet.
func (a *answer) headLine(text string, first bool) (shape, error) {
	if status, ok := strings.CutPrefix(text, "HTTP "); ok && first {
		return shape{}, a.statusLine(status)
	}
	if directive, ok := strings.CutPrefix(text, "!"); ok {
		return a.directive(strings.Fields(directive))
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return shape{}, fmt.Errorf("%q is neither \"Name: value\" nor a directive; an empty line ends the head", text)
	}
	a.header.Add(textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value))
	return shape{}, nil
}

func (a *answer) statusLine(text string) error {
	code, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	status, err := strconv.Atoi(code)
	if err != nil || status < 200 || status > 999 {
		return fmt.Errorf("%q is no status from 200 to 999", text)
	}
	a.status = status
	return nil
}

// directive takes one directive, split into words.
func (a *answer) directive(words []string) (shape, error) {
	if len(words) == 0 {
		return shape{}, errors.New("a directive without a name")
	}
	name, args := words[0], words[1:]
	kind, ok := directives[name]
	if !ok {
		return shape{}, fmt.Errorf("unknown directive %q: one of %s", name, strings.Join(directiveNames(), ", "))
	}
	if len(args) < kind.least || len(args) > kind.most {
		return shape{}, fmt.Errorf("! %s takes %s", name, kind.args())
	}
	number, wait, err := argument(args, kind.wait)
	if err != nil {
		return shape{}, fmt.Errorf("! %s %s: %w", name, args[0], err)
	}
	switch name {
	case "delay":
		a.delay = wait
	case "trickle":
		a.trickle = wait
	case "chunked":
		a.chunked = true
	case "truncate":
		a.end, a.stop = number, endClose
	case "stall":
		a.end, a.stop = number, endStall
	case "gzip", "base64", "repeat":
		return shape{name, number}, nil
	case "reset":
		if len(args) == 1 {
			a.end, a.stop = number, endReset
			break
		}
		fallthrough
	default:
		a.fail = name
	}
	return shape{}, nil
}

// argument reads the only argument of a directive, if there is one.
func argument(args []string, isWait bool) (int, time.Duration, error) {
	if len(args) == 0 {
		return 0, 0, nil
	}
	if isWait {
		wait, err := time.ParseDuration(args[0])
		if err != nil || wait < 0 {
			return 0, 0, errors.New("want a duration, such as 1.5s")
		}
		return 0, wait, nil
	}
	number, err := strconv.Atoi(args[0])
	if err != nil || number < 0 {
		return 0, 0, errors.New("want a number")
	}
	return number, 0, nil
}

// directives says what each directive takes.
var directives = map[string]arity{
	"delay": {least: 1, most: 1, wait: true}, "trickle": {least: 1, most: 1, wait: true},
	"truncate": {least: 1, most: 1}, "stall": {least: 1, most: 1}, "repeat": {least: 1, most: 1}, "reset": {most: 1},
	"chunked": {}, "gzip": {}, "base64": {},
	failTimeout: {}, failClose: {}, failGarbage: {}, failDNS: {}, failRefused: {}, failTLS: {},
}

// arity is how many arguments a directive takes, and whether they are waits.
type arity struct {
	least, most int
	wait        bool
}

func (k arity) args() string {
	switch {
	case k.most == 0:
		return "nothing"
	case k.wait:
		return "a duration"
	case k.least == 0:
		return "nothing or a number"
	}
	return "a number"
}

func directiveNames() []string {
	names := make([]string, 0, len(directives))
	for name := range directives {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// shape is a directive that changes the body.
type shape struct {
	name   string
	number int
}

// inOrder puts shapes in the order that makes sense: decode, repeat, compress.
func inOrder(shapes []shape) []shape {
	order := []string{"base64", "repeat", "gzip"}
	slices.SortStableFunc(shapes, func(a, b shape) int {
		return slices.Index(order, a.name) - slices.Index(order, b.name)
	})
	return shapes
}

func (s shape) apply(a *answer) error {
	switch s.name {
	case "base64":
		text := strings.Join(strings.Fields(string(a.body)), "")
		body, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("! base64: %w", err)
		}
		a.body = body
	case "repeat":
		if s.number*len(a.body) > maxBody {
			return fmt.Errorf("! repeat %d: the body would exceed %d bytes", s.number, maxBody)
		}
		a.body = bytes.Repeat(a.body, s.number)
	case "gzip":
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(a.body) // to memory; cannot fail
		_ = z.Close()
		a.body = packed.Bytes()
		a.header.Set("Content-Encoding", "gzip")
	}
	return nil
}

// cleanPattern checks a section's name, and writes its origin as Log does.
func cleanPattern(name string) (string, error) {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return "", errors.New(`want an http or https URL, or "want name"`)
	}
	host, path, ok := strings.Cut(rest, "/")
	switch {
	case host == "":
		return "", errors.New("the URL has no host")
	case !ok:
		return "", errors.New(`the URL has no path: end it in "/", or in "/*" for the whole host`)
	case strings.ContainsAny(name, "# \t"):
		return "", errors.New("no request has a space or a fragment in its URL")
	}
	if _, err := url.Parse(scheme + "://" + host); err != nil || strings.Contains(host, "@") {
		return "", fmt.Errorf("%q is no host", host)
	}
	return originOf(scheme+"://"+host) + "/" + path, nil
}

// originOf returns the scheme, host and port that rawURL begins with, as
// browsers write them.
func originOf(rawURL string) string {
	scheme, rest, _ := strings.Cut(rawURL, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	host = strings.ToLower(host)
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}

// hostOf returns the host of an origin, without its port.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return host
}
