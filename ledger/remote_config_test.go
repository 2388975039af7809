package ledger

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARemoteThatCannotWorkIsRefusedBeforeAnythingIsAskedFor(t *testing.T) {
	s := newService(t, 3)
	for name, bend := range map[string]func(r *Remote){
		"no URL":            func(r *Remote) { r.URL = "" },
		"scheme":            func(r *Remote) { r.URL = "ftp://a.test/" + secret },
		"path":              func(r *Remote) { r.URL = "/x" },
		"host":              func(r *Remote) { r.URL = "a.test" },
		"no host":           func(r *Remote) { r.URL = "http://:80/" },
		"credentials":       func(r *Remote) { r.URL = "http://user:" + secret + "@a.test/" },
		"escape":            func(r *Remote) { r.URL = "http://%zz" + secret },
		"header's name":     func(r *Remote) { r.Header["X Key"] = []string{secret} },
		"header's value":    func(r *Remote) { r.Header.Set("X-Key", secret+"\n") },
		"bytes":             func(r *Remote) { r.MaxBytes = -1 },
		"timeout":           func(r *Remote) { r.Timeout = -time.Second },
		"no records":        func(r *Remote) { r.Fields.Records = "-" },
		"no ID":             func(r *Remote) { r.Fields.ID = "-" },
		"path of a field":   func(r *Remote) { r.Fields.Next = "meta..next" },
		"one parameter":     func(r *Remote) { r.Fields.Token, r.Fields.Limit = "c", "c" },
		"an empty total":    func(r *Remote) { r.Fields.Total = "." },
		"header and header": func(r *Remote) { r.Header["X Key"], r.MaxBytes = []string{secret}, -1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := s.remote()
			bend(r)
			path := t.TempDir() + "/pages.jsonl"
			e := Export{From: r, To: &File{Path: path}, Wait: func(context.Context, time.Duration) error {
				t.Error("nothing is tried again")
				return nil
			}}
			_, err := Materialize(t.Context(), e)
			var config *ConfigError
			require.ErrorAs(t, err, &config)
			want := 1
			if name == "header and header" {
				want = 2
			}
			assert.Len(t, config.Faults, want, "%v", err)
			assert.NotContains(t, err.Error(), secret)
			assert.Equal(t, 1, strings.Count(err.Error(), "ledger: "))
			assert.Empty(t, files(t, path), "nothing is written")
		})
	}
	assert.Empty(t, s.asked)
}
