// Package all links in every visualization that comes with cambium. It is the
// one list of them; a program with charts of its own imports them beside it.
package all

import (
	_ "github.com/cambium-prof/cambium/viz/bar"
	_ "github.com/cambium-prof/cambium/viz/correlation"
	_ "github.com/cambium-prof/cambium/viz/fan"
	_ "github.com/cambium-prof/cambium/viz/gaps"
	_ "github.com/cambium-prof/cambium/viz/hotspot"
	_ "github.com/cambium-prof/cambium/viz/icicle"
	_ "github.com/cambium-prof/cambium/viz/matches"
	_ "github.com/cambium-prof/cambium/viz/overview"
	_ "github.com/cambium-prof/cambium/viz/prediction"
	_ "github.com/cambium-prof/cambium/viz/ring"
	_ "github.com/cambium-prof/cambium/viz/table"
	_ "github.com/cambium-prof/cambium/viz/timeline"
	_ "github.com/cambium-prof/cambium/viz/treetable"
)
