package weir

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
)

func TestEveryClassHasOneOutcome(t *testing.T) {
	const attempts = 4
	noHost := fmt.Errorf("lookup: %w", fetch.ErrNoHost)
	for _, c := range []struct {
		response fetch.Response
		attempt  int
		want     frontier.Outcome
		why      frontier.Reason
		after    time.Duration
	}{
		{fetch.Response{Class: fetch.Fetched}, 1, frontier.OutcomeFetched, "fetched", 0},
		{fetch.Response{Class: fetch.Fetched, Truncated: fetch.TruncatedLength}, 1, frontier.OutcomeTruncated, "truncated", 0},
		{fetch.Response{Class: fetch.Fetched, Truncated: fetch.TruncatedTime}, 1, frontier.OutcomeRetry, ReasonIncomplete, 0},
		{fetch.Response{Class: fetch.Fetched, Truncated: fetch.TruncatedDisconnect}, 3, frontier.OutcomeRetry, ReasonIncomplete, 0},
		{fetch.Response{Class: fetch.Fetched, Truncated: fetch.TruncatedDisconnect}, attempts, frontier.OutcomeTruncated, "truncated", 0},
		{fetch.Response{Class: fetch.Unchanged}, 1, frontier.OutcomeUnchanged, "unchanged", 0},
		{fetch.Response{Class: fetch.Redirected}, 1, frontier.OutcomeRedirected, "redirected", 0},
		{fetch.Response{Class: fetch.Missing}, 1, frontier.OutcomeMissing, "missing", 0},
		{fetch.Response{Class: fetch.Denied}, 1, frontier.OutcomeRefused, "denied", 0},
		{fetch.Response{Class: fetch.Login}, 1, frontier.OutcomeRefused, "login", 0},
		{fetch.Response{Class: fetch.Payment}, 1, frontier.OutcomeRefused, "payment", 0},
		{fetch.Response{Class: fetch.Challenge}, 1, frontier.OutcomeRefused, "challenge", 0},
		{fetch.Response{Class: fetch.Legal}, 1, frontier.OutcomeRefused, "legal", 0},
		{fetch.Response{Class: fetch.PrivateAddress}, 1, frontier.OutcomeRefused, "private_address", 0},
		{fetch.Response{Class: fetch.Busy, RetryAfter: 9 * time.Second}, 1, frontier.OutcomeBusy, "busy", 9 * time.Second},
		{fetch.Response{Class: fetch.ServerError}, 1, frontier.OutcomeRetry, "server_error", 0},
		{fetch.Response{Class: fetch.Untimely}, 1, frontier.OutcomeRetry, "untimely", 0},
		{fetch.Response{Class: fetch.DNS, Err: errors.New("server failure")}, 2, frontier.OutcomeRetry, "dns", 0},
		{fetch.Response{Class: fetch.DNS, Err: noHost}, 1, frontier.OutcomeRetry, "dns", 0},
		{fetch.Response{Class: fetch.DNS, Err: noHost}, 2, frontier.OutcomeFailed, "dns", 0},
		{fetch.Response{Class: fetch.Connect}, 1, frontier.OutcomeRetry, "connect", 0},
		{fetch.Response{Class: fetch.TLS}, 1, frontier.OutcomeRetry, "tls", 0},
		{fetch.Response{Class: fetch.Timeout}, 1, frontier.OutcomeRetry, "timeout", 0},
		{fetch.Response{Class: fetch.Protocol}, 1, frontier.OutcomeRetry, "protocol", 0},
		{fetch.Response{Class: fetch.ClientError}, 1, frontier.OutcomeFailed, "client_error", 0},
		{fetch.Response{Class: fetch.Content}, 1, frontier.OutcomeFailed, "content", 0},
		{fetch.Response{Class: fetch.Malformed}, 1, frontier.OutcomeFailed, "malformed", 0},
		{fetch.Response{Class: fetch.Cancelled}, 1, frontier.OutcomeReleased, "cancelled", 0},
		{fetch.Response{Class: "a class of tomorrow"}, 1, frontier.OutcomeFailed, "a class of tomorrow", 0},
	} {
		t.Run(fmt.Sprintf("%s%s attempt %d", c.response.Class, c.response.Truncated, c.attempt), func(t *testing.T) {
			lease := frontier.Lease{URL: "http://a.test/", Attempt: c.attempt}
			got := outcome(lease, c.response, evidence(c.response, "p/1"), attempts)
			assert.Equal(t, c.want, got.Outcome)
			assert.Equal(t, c.why, got.Reason)
			assert.Equal(t, c.after, got.After)
			assert.Equal(t, lease, got.Lease)
		})
	}
}

func TestARedirectNamesItsTargetAsWritten(t *testing.T) {
	r := fetch.Response{Class: fetch.Redirected, Status: 302, Location: "/b c#d"}
	assert.Equal(t, "/b c#d", outcome(frontier.Lease{}, r, frontier.Evidence{}, 4).Target)
}

func TestEvidenceSaysWhatWentWrong(t *testing.T) {
	for _, c := range []struct {
		response fetch.Response
		want     string
	}{
		{fetch.Response{Class: fetch.Fetched, Status: 200}, ""},
		{fetch.Response{Class: fetch.Fetched, Status: 200, Defect: "gzip: unexpected EOF"}, "gzip: unexpected EOF"},
		{fetch.Response{Class: fetch.Login, Status: 401, Mark: "www-authenticate: basic", Defect: "gzip: unexpected EOF"}, "www-authenticate: basic"},
		{fetch.Response{Class: fetch.DNS, Err: errors.New("no such host")}, "no such host"},
	} {
		assert.Equal(t, c.want, evidence(c.response, "").Detail)
	}
}
