// Package render says how an admitted URL becomes the document that a browser
// shows.
//
// A [Renderer] is a browser, or several, behind one method. A [Request] is one
// page; its Fetch is the browser's only way to the network. A [Result] is the
// document once it is quiet, with what the page tried to do.
//
// # How one URL travels
//
//	a lease that allows a render
//	   | Renderer.Render(ctx, Request{URL, Fetch, Wait})
//	   |    the browser asks for the page, its scripts, its data ...
//	   |    ... each through Fetch: scope, robots, address guard, bytes
//	Result{Document, Status, Header, Moves, Blocked, Console, Quiet}
//	   | links of the document, and Moves, go back to the frontier
//
// # What a Renderer guarantees
//
//   - Nothing reaches the network but through Request.Fetch.
//   - A page never navigates away: where it wants to go is in Result.Moves, and the
//     frontier decides.
//   - Every wait ends: Request.Wait for quiet, the context for everything.
//   - Nothing that Render started outlives it, on any path.
//   - An error is the browser's: the attempt is repeated. Whatever a page does
//     wrong is a Result.
//
// # What is left to others
//
// Whether a page is worth a browser, and how many renders a run may spend: the
// root and the frontier. This package holds no browser: an implementation is a
// package of its own.
package render
