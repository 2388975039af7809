package robots

import (
	"encoding/json"
	"fmt"
	"time"
)

// maxNote is the most bytes of an encoded note: what a frontier keeps for an
// origin.
const maxNote = 1 << 10

// Note is a Record in little space, to be kept where its body is not. It holds
// only records that say what is allowed: an unreachable file is not noted.
type Note struct {
	Status   int           `json:"status"`
	Fetched  time.Time     `json:"fetched"`
	Expires  time.Time     `json:"expires"`
	Parser   string        `json:"parser"`
	Protocol Verdict       `json:"protocol"`           // what RFC 9309 says: ByRules or Allow
	Policy   Verdict       `json:"policy,omitempty"`   // Deny if the operator is stricter
	Delay    time.Duration `json:"delay,omitempty"`    // Crawl-delay for the agent that asked
	Digest   string        `json:"digest,omitempty"`   // of the body; empty if there were no rules to read
	Artifact string        `json:"artifact,omitempty"` // where the body is, in the words of whoever keeps it
	Hops     int           `json:"hops,omitempty"`     // redirects followed
}

// note returns the note of r. Where its body is kept is for the caller to add.
func (r Record) note() Note {
	return Note{
		Status: r.Status, Fetched: r.Fetched.UTC(), Expires: r.Expires.UTC(), Parser: r.Parser,
		Protocol: r.Verdict(), Digest: r.Digest(), Hops: len(r.Hops),
	}
}

// Encode returns n in at most 1 KiB.
func (n Note) Encode() ([]byte, error) {
	data, err := json.Marshal(n)
	if err == nil && len(data) > maxNote {
		err = fmt.Errorf("%d bytes, of which the artifact takes %d; %d are allowed", len(data), len(n.Artifact), maxNote)
	}
	if err != nil {
		return nil, fmt.Errorf("robots: encode note: %w", err)
	}
	return data, nil
}

// DecodeNote reads what Encode wrote. No bytes are the zero Note.
func DecodeNote(data []byte) (n Note, err error) {
	if len(data) == 0 {
		return Note{}, nil
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return Note{}, fmt.Errorf("robots: decode note: %w", err)
	}
	return n, nil
}

// IsZero reports whether there is no record.
func (n Note) IsZero() bool { return n == Note{} }

// NeedsBody reports whether Rules need the body that Artifact names.
func (n Note) NeedsBody() bool { return n.Digest != "" }

// Rules returns the rules of the record, of which body is the body.
func (n Note) Rules(body []byte) Rules {
	rules := accessRules(Record{Status: n.Status}.access())
	if n.NeedsBody() {
		rules = Parse(body)
	}
	rules.denied = n.Policy == Deny
	return rules
}
