package fetch_test

import (
	"context"
	"errors"
	"net"

	"github.com/weircrawl/weir/fetch"
)

func noDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("no network")
}

func isNoHost(err error) bool { return errors.Is(err, fetch.ErrNoHost) }
