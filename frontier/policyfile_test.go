package frontier

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestABadPolicyFileKeepsTheOldVersionInForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, path, `{"version": "one", "default": {"delay": "2s"}}`)
	var log bytes.Buffer
	p, err := OpenPolicyFile(path, PolicyFileConfig{Every: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	defer p.Close()
	good := p.Policy("http://a.test")
	require.Equal(t, 2*time.Second, good.Delay)
	require.Regexp(t, `^one@[0-9a-f]{16}$`, good.Version)
	for i, c := range []struct {
		name  string
		spoil func()
		fault string
	}{
		{"torn", func() { writeFile(t, path, `{"version": "two", "default": {"delay": "3s"`) }, "unexpected end"},
		{"empty", func() { writeFile(t, path, "") }, "unexpected end"},
		{"an unknown key", func() { writeFile(t, path, `{"default": {"dealy": "3s"}}`) }, "dealy"},
		{"invalid", func() { writeFile(t, path, `{"default": {"delay": "48h"}}`) }, "pause the origin instead"},
		{"too large", func() { writeFile(t, path, `{"version": "`+strings.Repeat("x", maxPolicyFile)+`"}`) }, "more than 8388608 bytes"},
		{"gone", func() { require.NoError(t, os.Remove(path)) }, "no such file"},
		{"a directory", func() { require.NoError(t, os.Mkdir(path, 0o700)) }, "no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spoil()
			log.Reset()
			assert.ErrorContains(t, p.Reload(), c.fault)
			assert.ErrorContains(t, p.Reload(), c.fault, "it is rejected once, and stays so")
			assert.ErrorContains(t, p.Err(), c.fault)
			assert.Equal(t, good, p.Policy("http://a.test"))
			s := p.Status()
			assert.Equal(t, []any{path, good.Version, int64(1), int64(i + 1)}, []any{s.Path, s.Version, s.Loaded, s.Rejected})
			assert.Equal(t, 1, strings.Count(log.String(), "policy file rejected"))
			assert.Contains(t, log.String(), good.Version)
		})
	}
	require.NoError(t, os.Remove(path))
	writeFile(t, path, `{"version": "two", "default": {"delay": "3s"}}`)
	require.NoError(t, p.Reload())
	assert.Equal(t, 3*time.Second, p.Policy("http://a.test").Delay)
	assert.NoError(t, p.Err())
	assert.Equal(t, int64(2), p.Status().Loaded)
}

func TestTheSameVersionWithOtherBytesIsAnotherVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, path, `{"version": "one", "default": {"delay": "2s"}}`)
	p, err := OpenPolicyFile(path, PolicyFileConfig{})
	require.NoError(t, err)
	defer p.Close()
	was := p.Policy("http://a.test").Version
	writeFile(t, path, `{"version": "one", "default": {"delay": "4s"}}`)
	require.NoError(t, p.Reload())
	assert.NotEqual(t, was, p.Policy("http://a.test").Version)
	assert.LessOrEqual(t, len(p.Policy("http://a.test").Version), maxReason)
}

func TestAPolicyFileThatComesBackIsNoNewVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, path, `{}`)
	p, err := OpenPolicyFile(path, PolicyFileConfig{})
	require.NoError(t, err)
	defer p.Close()
	writeFile(t, path, `{`)
	require.Error(t, p.Reload())
	writeFile(t, path, `{}`)
	require.NoError(t, p.Reload())
	assert.NoError(t, p.Err())
	assert.Equal(t, int64(1), p.Status().Loaded)
}

func TestAPolicyFileIsFollowedUntilClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, path, `{"default": {"delay": "2s"}}`)
	synctest.Test(t, func(t *testing.T) {
		p, err := OpenPolicyFile(path, PolicyFileConfig{Every: 30 * time.Second})
		require.NoError(t, err)
		writeFile(t, path, `{"default": {"delay": "3s"}}`)
		time.Sleep(29 * time.Second)
		assert.Equal(t, 2*time.Second, p.Policy("").Delay, "not yet")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 3*time.Second, p.Policy("").Delay)
		require.NoError(t, p.Close())
		require.NoError(t, p.Close())
		writeFile(t, path, `{"default": {"delay": "4s"}}`)
		time.Sleep(time.Hour)
		assert.Equal(t, 3*time.Second, p.Policy("").Delay, "nobody follows it")
	})
}

func TestAPolicyFileMustBeginWithAGoodVersion(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	path := filepath.Join(t.TempDir(), "policy.json")
	_, err := OpenPolicyFile(path, PolicyFileConfig{})
	assert.ErrorContains(t, err, "no such file")
	writeFile(t, path, `{"defaults": {}}`)
	_, err = OpenPolicyFile(path, PolicyFileConfig{})
	assert.ErrorContains(t, err, "defaults")
	_, err = OpenPolicyFile(path, PolicyFileConfig{Every: time.Millisecond})
	assert.ErrorContains(t, err, "100ms is the least")
}
