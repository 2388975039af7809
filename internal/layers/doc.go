// Package layers answers: which package may import which?
//
// The answer is [Table], one [Row] a package. A [Package] is what a folder's
// files import, tests apart, whatever system they are built for. The test of
// this package reads every folder of the module and compares it with its row: a
// package without a row, or an import that no row allows, fails the build.
//
// It guarantees that arrows point down only, that no package imports a nested
// module, that only kits import testing and only tests import kits, and that a
// third-party module is used where a row names it and nowhere else. What the
// packages say to each other is left to them.
package layers
