package frontier

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/internal/faults"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// siblings are the root URLs of n hosts of one site.
func siblings(n int, site string) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://h%d.%s/", i, site))
	}
	return urls
}

func TestASiteHasFourRequestsAtOnceWhateverItsHosts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) {
			c.Policy, c.Scope = Policy{Delay: -1}, Scope{Sites: []string{"many.test", "few.test"}}
		})
		seed(t, f, append(siblings(20, "many.test"), siblings(2, "few.test")...)...)
		under := map[string]Lease{}
		served, most := map[string]int{}, map[string]int{}
		for range 22 {
			for _, l := range lease(t, f, 22) {
				under[l.URL] = l
				served[l.URL]++
			}
			count := map[string]int{}
			for _, l := range under {
				count[l.Origin.Site()]++
			}
			for site, n := range count {
				most[site] = max(most[site], n)
			}
			if len(served) == 22 {
				break
			}
			for url, l := range under { // one of them is over
				if l.Origin.Site() == "many.test" {
					complete(t, f, l.Fetched(Evidence{}))
					delete(under, url)
					break
				}
			}
		}
		assert.Len(t, served, 22, "every host had its turn")
		assert.Equal(t, map[string]int{"many.test": 4, "few.test": 2}, most)
	})
}

func TestASitesLidHoldsAfterReopeningAndAfterAnUnknownCommit(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := newShaky(memory.New())
		store.shared = true // the leases of another incarnation last until they end
		f := open(t, store, func(c *Config) { c.Policy, c.Scope = Policy{Delay: -1}, Scope{Sites: []string{"many.test"}} })
		seed(t, f, siblings(20, "many.test")...)
		require.Len(t, lease(t, f, 20), 4)
		store.on(once(faults.AfterCommit, errBroken))
		seed(t, f, "http://h30.many.test/")
		require.NoError(t, f.Close())
		f = open(t, store, func(c *Config) { c.Policy = Policy{Delay: -1} })
		_, full := f.sitesOf(t)["many.test"]
		require.True(t, full)
		require.Equal(t, 4, f.sitesOf(t)["many.test"].inflight, "what a predecessor requested may still be under way")
	})
}

// sitesOf copies the writer's sites.
func (f *Frontier) sitesOf(t *testing.T) (all map[string]site) {
	all = map[string]site{}
	require.NoError(t, f.submit(t.Context(), &call{decide: func(tx *tx) error {
		for name, s := range tx.f.sites {
			all[name] = *s
		}
		return nil
	}}))
	return all
}

// Whoever stands in line is told of a place, in order, and nobody is forgotten
// while there is one.
func TestTheLineOfASiteForgetsNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := sites{}, rapid.IntRange(1, 5).Draw(t, "lid")
		origins := make([]*origin, 12)
		for i := range origins {
			origins[i] = &origin{id: uint64(i), text: urlnorm.Origin(fmt.Sprintf("http://h%d.many.test", i))}
		}
		var under []*origin
		var line, told []uint64
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "ask") {
				o := rapid.SampledFrom(origins).Draw(t, "origin")
				full := s.full(o, most)
				require.Equal(t, len(under) >= most, full)
				if !full {
					s.take(o)
					under = append(under, o)
				} else if !slices.Contains(line, o.id) {
					line = append(line, o.id)
				}
				continue
			}
			if len(under) == 0 {
				continue
			}
			i := rapid.IntRange(0, len(under)-1).Draw(t, "over")
			told = s.leave(under[i], most)
			under = slices.Delete(under, i, i+1)
			require.True(t, slices.Equal(line[:len(told)], told), "in order")
			line = line[len(told):]
			if len(under) == 0 {
				require.Empty(t, line, "nobody is left who could tell them")
			} else if len(told) < most-len(under) {
				require.Empty(t, line)
			}
		}
	})
}
