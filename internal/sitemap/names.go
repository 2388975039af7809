package sitemap

// rootOf says what a root of that name begins.
func rootOf(local []byte) (Kind, bool) {
	switch string(local) {
	case "urlset":
		return URLSet, true
	case "sitemapindex":
		return Index, true
	case "rss", "rdf":
		return RSS, true
	case "feed":
		return Atom, true
	}
	return "", false
}

// isPage reports whether an element in the place of a root is that of a page.
func isPage(local []byte) bool {
	switch string(local) {
	case "html", "head", "body":
		return true
	}
	return false
}

// entryOf reports whether an element of a kind of sitemap is an entry, and whether
// that is a sitemap.
func entryOf(kind Kind, local []byte) (child, ok bool) {
	switch string(local) {
	case "url":
		return false, kind == URLSet || kind == Index
	case "sitemap":
		return true, kind == URLSet || kind == Index
	case "item":
		return false, kind == RSS
	case "entry":
		return false, kind == Atom
	}
	return false, false
}

// A field is an element whose text is read.
type field uint8

const (
	noField field = iota
	fieldLoc
	fieldLastMod
	fieldChangeFreq
	fieldPriority
	fieldGUID    // of RSS, in place of a link
	fieldCreated // in place of a later time

	fieldTitle // of an extra, as all below
	fieldCaption
	fieldPlace
	fieldLicense
	fieldContent
	fieldPlayer
	fieldThumbnail
	fieldDescription
	fieldLength
	fieldPublished
	fieldName
	fieldLanguage
)

// isURL reports whether the text is one.
func (f field) isURL() bool {
	switch f {
	case fieldLoc, fieldGUID, fieldLicense, fieldContent, fieldPlayer, fieldThumbnail:
		return true
	}
	return false
}

// A group is an element of an entry that has fields of its own, or none.
type group uint8

const (
	noGroup group = iota
	groupImage
	groupVideo
	groupNews
	groupOpaque // text, and the source of an entry: no field in it is the entry's
)

func groupOf(kind Kind, local []byte) group {
	switch string(local) {
	case "image":
		return groupImage
	case "video":
		return groupVideo
	case "news":
		return groupNews
	case "pagemap":
		return groupOpaque
	case "title", "description", "summary", "content", "encoded", "source", "author", "contributor":
		if kind == RSS || kind == Atom {
			return groupOpaque
		}
	}
	return noGroup
}

// fieldOf returns what an element of that name is in an entry.
func fieldOf(kind Kind, g group, local []byte) field {
	switch g {
	case noGroup:
		if kind == RSS || kind == Atom {
			return feedField(kind, local)
		}
		return pageField(local)
	case groupImage:
		return imageField(local)
	case groupVideo:
		return videoField(local)
	case groupNews:
		return newsField(local)
	}
	return noField
}

func pageField(local []byte) field {
	switch string(local) {
	case "loc":
		return fieldLoc
	case "lastmod":
		return fieldLastMod
	case "changefreq":
		return fieldChangeFreq
	case "priority":
		return fieldPriority
	}
	return noField
}

func feedField(kind Kind, local []byte) field {
	switch string(local) {
	case "link":
		if kind == RSS {
			return fieldLoc
		}
	case "guid":
		return fieldGUID
	case "updated", "modified":
		return fieldLastMod
	case "pubdate", "date", "published", "issued":
		return fieldCreated
	}
	return noField
}

func imageField(local []byte) field {
	switch string(local) {
	case "loc":
		return fieldLoc
	case "title":
		return fieldTitle
	case "caption":
		return fieldCaption
	case "geo_location":
		return fieldPlace
	case "license":
		return fieldLicense
	}
	return noField
}

func videoField(local []byte) field {
	switch string(local) {
	case "content_loc":
		return fieldContent
	case "player_loc":
		return fieldPlayer
	case "thumbnail_loc":
		return fieldThumbnail
	case "title":
		return fieldTitle
	case "description":
		return fieldDescription
	case "duration":
		return fieldLength
	case "publication_date":
		return fieldPublished
	}
	return noField
}

func newsField(local []byte) field {
	switch string(local) {
	case "name":
		return fieldName
	case "language":
		return fieldLanguage
	case "title":
		return fieldTitle
	case "publication_date":
		return fieldPublished
	}
	return noField
}
