// Polymorphism is cambium with a data source and a chart of somebody else's:
// a module of its own, that changes nothing in cambium.
//
//	go run . open calls.log
//	go run . chart calls.log --viz polymorphism
package main

import (
	"os"

	"github.com/cambium-prof/cambium/cmd"

	_ "github.com/cambium-prof/cambium/source/all"
	_ "github.com/cambium-prof/cambium/viz/all"
)

func main() { os.Exit(cmd.Run(os.Args[1:])) }
