package cmd

import (
	_ "github.com/cambium-prof/cambium/source/all"
	_ "github.com/cambium-prof/cambium/viz/all"
)
