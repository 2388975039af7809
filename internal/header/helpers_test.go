package header

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fromTable returns the texts that a table of the conformance tests has in one
// field.
func fromTable(t testing.TB, file, field string) (texts []string) {
	t.Helper()
	raw, err := os.ReadFile("../conformance/testdata/" + file)
	require.NoError(t, err)
	if strings.HasSuffix(file, ".jsonl") {
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		raw = []byte("[" + strings.Join(lines, ",") + "]")
	}
	var rows []any
	require.NoError(t, json.Unmarshal(raw, &rows))
	for _, row := range rows {
		if fields, ok := row.(map[string]any); ok && fields[field] != nil {
			texts = append(texts, fields[field].(string))
		}
	}
	require.NotEmpty(t, texts)
	return texts
}
