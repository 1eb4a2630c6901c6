// Package all links in every visualization that comes with cambium. It is the
// one list of them; a program with charts of its own imports them beside it.
package all

import (
	_ "github.com/cambium-prof/cambium/viz/ring"
)
