package fetch_test

import (
	"context"
	"errors"
	"net"
)

func noDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("no network")
}
