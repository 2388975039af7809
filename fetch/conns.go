package fetch

import (
	"net"
	"sync"
)

// openConns are the connections of a Client that are open. net/http closes those
// that it takes for idle, and a server can keep one of HTTP/2 from looking so.
type openConns struct {
	mu   sync.Mutex
	open map[*openConn]struct{}
}

// An openConn is one of them until it is closed.
type openConn struct {
	net.Conn
	of *openConns
}

// add returns conn as one of c.
func (c *openConns) add(conn net.Conn) net.Conn {
	added := &openConn{conn, c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*openConn]struct{}{}
	}
	c.open[added] = struct{}{}
	return added
}

// Close closes the connection.
func (c *openConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// closeAll closes every connection.
func (c *openConns) closeAll() {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range open {
		_ = conn.Conn.Close() // nobody uses it
	}
}
