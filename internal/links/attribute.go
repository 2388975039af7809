package links

// attribute is one that some element refers with, or that says how.
type attribute uint8

const (
	noAttribute attribute = iota
	action
	background
	cite
	content
	data
	equiv
	formaction
	href
	hreflang
	imagesrcset
	longdesc
	lowsrc
	manifest
	nameOf
	ping
	poster
	rel
	shadowRootMode
	src
	srcset
	typeOf
	xlinkHref
	attributeCount
)

var attributeNames = [attributeCount]string{
	"", "action", "background", "cite", "content", "data", "http-equiv", "formaction", "href", "hreflang", "imagesrcset", "longdesc",
	"lowsrc", "manifest", "name", "ping", "poster", "rel", "shadowrootmode", "src", "srcset", "type", "xlink:href",
}

func (a attribute) String() string { return attributeNames[a] }

var attributesByName = newNames(func(yield func(string, attribute) bool) {
	for a := noAttribute + 1; a < attributeCount; a++ {
		if !yield(a.String(), a) {
			return
		}
	}
})

// values are the attributes of one tag, as written; nil is an absent one.
type values [attributeCount][]byte

// read takes the attributes of tag. Of two with one name the first counts.
func (v *values) read(tag *attributes) {
	*v = values{}
	for tag.scan() {
		if a := attributesByName.find(tag.key, noAttribute); a != noAttribute && v[a] == nil {
			v[a] = tag.value
		}
	}
}
