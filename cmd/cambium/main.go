// Command cambium is the workbench with everything that comes with it.
package main

import (
	"os"

	"github.com/cambium-prof/cambium/cmd"

	_ "github.com/cambium-prof/cambium/source/all"
	_ "github.com/cambium-prof/cambium/viz/all"
)

func main() { os.Exit(cmd.Run(os.Args[1:])) }
