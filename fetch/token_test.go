package fetch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/robots"
)

// TestEveryAgentThatIsAcceptedCanBeNamedInRobots has each byte in a product token:
// what a Config takes, a robots.txt that names it must reach.
func TestEveryAgentThatIsAcceptedCanBeNamedInRobots(t *testing.T) {
	accepted := ""
	for c := byte(0x21); c < 0x7F; c++ {
		token := "weir" + string(c) + "bot"
		client, err := fetch.New(fetch.Config{UserAgent: token + "/1.0"})
		if err != nil {
			assert.ErrorContains(t, err, "product token that robots.txt can name")
			continue
		}
		client.Close()
		if c == '/' { // ends the token
			token = "weir"
		}
		accepted += string(c)
		rules := robots.Parse([]byte("User-agent: " + token + "\nDisallow: /\n"))
		assert.False(t, rules.Decide(token+"/1.0", "/x").Allowed, token)
	}
	assert.Equal(t, "-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", accepted)
	for _, agent := range []string{"/1.0", " examplebot/1.0", "examplebot\t/1.0", "(examplebot)", "b\u00f6t/1.0"} {
		_, err := fetch.New(fetch.Config{UserAgent: agent})
		assert.ErrorContains(t, err, "product token", agent)
	}
}
