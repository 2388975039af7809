package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/weircrawl/weir/storage"
)

// digest is the sum of a sequence of results: of their identities, or of all that
// they are. Each part comes after its length and the whole after its domain, so
// that no two sequences read alike.
type digest struct {
	hash hash.Hash
	buf  []byte
}

// The domains of digests.
const (
	domainIDs     = "weir ledger identities 1"
	domainContent = "weir ledger contents 1"
	domainSeal    = "weir ledger receipt 1"
)

func newDigest(domain string) *digest {
	d := &digest{hash: sha256.New()}
	d.part(domain)
	d.flush()
	return d
}

// identity adds what r is named.
func (d *digest) identity(r Result) {
	d.part(r.ID)
	d.flush()
}

// content adds all of r.
func (d *digest) content(r Result) {
	d.part(r.ID)
	flags := byte(r.State) << 1
	if r.Supersedes {
		flags |= 1
	}
	d.buf = append(d.buf, flags)
	d.flush()
	d.bytes(r.Data)
}

func (d *digest) part(s string) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
}

// bytes adds b without a copy of it.
func (d *digest) bytes(b []byte) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(b)))
	d.flush()
	d.hash.Write(b)
}

func (d *digest) flush() {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}

func (d *digest) sum() storage.Digest {
	return storage.Digest("sha256:" + hex.EncodeToString(d.hash.Sum(nil)))
}

// digests are both sums of one sequence.
type digests struct{ ids, content *digest }

func newDigests() digests { return digests{newDigest(domainIDs), newDigest(domainContent)} }

func (d digests) add(r Result) {
	d.ids.identity(r)
	d.content.content(r)
}
