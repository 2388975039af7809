package ledger

import (
	"encoding"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
)

var (
	small     = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	textual   = reflect.TypeFor[encoding.TextMarshaler]()
	marshaler = reflect.TypeFor[json.Marshaler]()
)

// TestEveryKeyIsInSmallLettersAndADurationNamesItsUnit reads the tags of whatever a
// program may read as JSON: rows, receipts, statuses and explanations.
func TestEveryKeyIsInSmallLettersAndADurationNamesItsUnit(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			look(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] || of.Implements(textual) || of.Implements(marshaler) {
			return
		}
		seen[of] = true
		for field := range of.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if key == "-" || !field.IsExported() {
				continue
			}
			if look(field.Type); field.Anonymous {
				continue
			}
			assert.Regexp(t, small, key, "%s.%s", of, field.Name)
			stored := of == reflect.TypeFor[frontier.Budget]() || of == reflect.TypeFor[Used]() // as they stand in every store, and beside it
			if field.Type == reflect.TypeFor[time.Duration]() && !stored {
				assert.True(t, strings.HasSuffix(key, "_ns"), "%s.%s is %q: how long is that?", of, field.Name, key)
			}
		}
	}
	for _, v := range []any{encoded{}, lead{}, Result{}, kept{}, Status{}, Explanation{}, frontier.Generation{}, frontier.Transition{}} {
		look(reflect.TypeOf(v))
	}
	assert.Greater(t, len(seen), 15)
}
