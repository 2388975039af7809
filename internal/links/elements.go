package links

import "maps"

// element is what is known of the elements of one name.
type element struct {
	traits traits
	refers []reference // in the order in which they are reported
	inSVG  []reference // instead, if there are any
}

// reference is an attribute that refers to something.
type reference struct {
	attribute attribute
	rule      string
	holds     syntax
}

// syntax is how an attribute holds references.
type syntax uint8

const (
	oneURL     syntax = iota
	words             // URLs between white space
	candidates        // of images: URLs with descriptors
	buttonURL         // one URL, of an input that is an image
	otherURL          // one URL, unless it names a part of the page
)

// traits say what an element does to the document around it.
type traits uint32

const (
	anchorElement traits = 1 << iota
	baseElement
	metaElement
	linkElement
	headElement
	frameElement
	noscriptElement
	template
	frameset
	svgElement
	mathElement
	svgHTML   // holds HTML, in SVG
	mathHTML  // holds HTML, in MathML
	breaksOut // of SVG and MathML
	ofHead    // may stand in the head
	endsHead  // by its end tag
	fills     // the body, so that no frameset can take its place
	table
	cell
	row          // a part of a table that is not a cell
	holder       // holds a part of the document that elements outside do not reach into
	foreignScope // SVG or MathML, while it is open
	shadowRoot   // a template that is shown
)

func (el *element) is(any traits) bool { return el.traits&any != 0 }

var unknown element

var elementNames = newNames(maps.All(elements))

// Rules that have one name whatever the element says.
const ruleRefresh = "meta[refresh]"

// one is the reference of an element that has one attribute for it, as its name
// says.
func one(a attribute, rule string) []reference { return []reference{{a, rule, oneURL}} }

var images = []reference{{src, "img", oneURL}, {srcset, "img[srcset]", candidates}, {lowsrc, "img[lowsrc]", oneURL}, {longdesc, "img[longdesc]", oneURL}}

// elements are those that refer to something, or that say where the pass is.
// What data-* attributes hold is for scripts, and never a reference.
var elements = map[string]*element{
	"a":          {traits: anchorElement, refers: []reference{{href, "a", oneURL}, {ping, "a[ping]", words}}},
	"area":       {traits: fills, refers: []reference{{href, "area", oneURL}, {ping, "area[ping]", words}}},
	"audio":      {refers: one(src, "audio")},
	"base":       {traits: baseElement | ofHead},
	"bgsound":    {traits: ofHead, refers: one(src, "bgsound")},
	"blockquote": {traits: breaksOut, refers: one(cite, "blockquote")},
	"body":       {traits: breaksOut | endsHead | fills, refers: one(background, "body")},
	"button":     {traits: fills, refers: one(formaction, "button")},
	"del":        {refers: one(cite, "del")},
	"embed":      {traits: breaksOut | fills, refers: one(src, "embed")},
	"form":       {refers: one(action, "form")},
	"frame":      {traits: frameElement | ofHead, refers: []reference{{src, "frame", oneURL}, {longdesc, "frame[longdesc]", oneURL}}},
	"html":       {traits: ofHead | endsHead, refers: one(manifest, "html")},
	"iframe":     {traits: fills, refers: []reference{{src, "iframe", oneURL}, {longdesc, "iframe[longdesc]", oneURL}}},
	"image":      {traits: fills, refers: images, inSVG: one(href, "image[href]")},
	"img":        {traits: breaksOut | fills, refers: images},
	"input":      {traits: fills, refers: []reference{{src, "input", buttonURL}, {formaction, "input[formaction]", oneURL}}},
	"ins":        {refers: one(cite, "ins")},
	"link":       {traits: linkElement | ofHead, refers: []reference{{href, "link", oneURL}, {imagesrcset, "link[imagesrcset]", candidates}}},
	"meta":       {traits: metaElement | ofHead | breaksOut},
	"object":     {traits: fills | holder, refers: one(data, "object")},
	"q":          {refers: one(cite, "q")},
	"script":     {traits: ofHead, refers: one(src, "script"), inSVG: []reference{{src, "script", oneURL}, {href, "script[href]", oneURL}}},
	"source":     {refers: []reference{{src, "source", oneURL}, {srcset, "source[srcset]", candidates}}},
	"table":      {traits: breaksOut | fills | table, refers: one(background, "table")},
	"td":         {traits: cell, refers: one(background, "td")},
	"th":         {traits: cell, refers: one(background, "th")},
	"track":      {refers: one(src, "track")},
	"video":      {refers: []reference{{src, "video", oneURL}, {poster, "video[poster]", oneURL}}},

	"feimage": {inSVG: one(href, "feimage[href]")},
	"use":     {inSVG: []reference{{href, "use[href]", otherURL}}},

	"applet":   {traits: fills | holder},
	"basefont": {traits: ofHead},
	"br":       {traits: fills | breaksOut},
	"caption":  {traits: cell},
	"col":      {traits: row},
	"colgroup": {traits: row},
	"dd":       {traits: fills | breaksOut},
	"dt":       {traits: fills | breaksOut},
	"frameset": {traits: frameset | ofHead},
	"head":     {traits: headElement | ofHead | breaksOut},
	"hr":       {traits: fills | breaksOut},
	"keygen":   {traits: fills},
	"li":       {traits: fills | breaksOut},
	"listing":  {traits: fills | breaksOut},
	"marquee":  {traits: fills | holder},
	"noframes": {traits: ofHead},
	"noscript": {traits: ofHead | noscriptElement},
	"pre":      {traits: fills | breaksOut},
	"select":   {traits: fills},
	"style":    {traits: ofHead},
	"tbody":    {traits: row},
	"template": {traits: ofHead | template},
	"textarea": {traits: fills},
	"tfoot":    {traits: row},
	"thead":    {traits: row},
	"tr":       {traits: row},
	"wbr":      {traits: fills},
	"xmp":      {traits: fills},

	"svg":           {traits: svgElement},
	"math":          {traits: mathElement},
	"desc":          {traits: svgHTML},
	"foreignobject": {traits: svgHTML},
	"title":         {traits: ofHead | svgHTML},
	"mi":            {traits: mathHTML},
	"mn":            {traits: mathHTML},
	"mo":            {traits: mathHTML},
	"ms":            {traits: mathHTML},
	"mtext":         {traits: mathHTML},

	"b": breaker, "big": breaker, "center": breaker, "code": breaker, "div": breaker, "dl": breaker, "em": breaker, "h1": breaker,
	"h2": breaker, "h3": breaker, "h4": breaker, "h5": breaker, "h6": breaker, "i": breaker, "menu": breaker, "nobr": breaker,
	"ol": breaker, "p": breaker, "ruby": breaker, "s": breaker, "small": breaker, "span": breaker, "strike": breaker, "strong": breaker,
	"sub": breaker, "sup": breaker, "tt": breaker, "u": breaker, "ul": breaker, "var": breaker,
}

// shadow is a template that says what its element shows: a declarative shadow root.
var shadow = &element{traits: template | shadowRoot | ofHead}

// breaker is an element of which nothing is known but that it is HTML (13.2.6.5).
var breaker = &element{traits: breaksOut}
