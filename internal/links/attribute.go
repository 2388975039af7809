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
	src
	srcset
	typeOf
	xlinkHref
	attributeCount
)

var attributeNames = [attributeCount]string{
	"", "action", "background", "cite", "content", "data", "http-equiv", "formaction", "href", "hreflang", "imagesrcset", "longdesc",
	"lowsrc", "manifest", "name", "ping", "poster", "rel", "src", "srcset", "type", "xlink:href",
}

func (a attribute) String() string { return attributeNames[a] }

func attributeOf(key []byte) attribute {
	switch string(key) {
	case "action":
		return action
	case "background":
		return background
	case "cite":
		return cite
	case "content":
		return content
	case "data":
		return data
	case "http-equiv":
		return equiv
	case "formaction":
		return formaction
	case "href":
		return href
	case "hreflang":
		return hreflang
	case "imagesrcset":
		return imagesrcset
	case "longdesc":
		return longdesc
	case "lowsrc":
		return lowsrc
	case "manifest":
		return manifest
	case "name":
		return nameOf
	case "ping":
		return ping
	case "poster":
		return poster
	case "rel":
		return rel
	case "src":
		return src
	case "srcset":
		return srcset
	case "type":
		return typeOf
	case "xlink:href":
		return xlinkHref
	}
	return noAttribute
}

// values are the attributes of one tag, as written; nil is an absent one.
type values [attributeCount][]byte

// read takes the attributes of tag. Of two with one name the first counts.
func (v *values) read(tag *attributes) {
	*v = values{}
	var buffer [maxName]byte
	for tag.scan() {
		if a := attributeOf(lower(tag.key, &buffer)); a != noAttribute && v[a] == nil {
			v[a] = tag.value
		}
	}
}
