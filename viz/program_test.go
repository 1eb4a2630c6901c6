package viz

import (
	"testing"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data/datatest"
)

// In a trace of what waits, hardly a package costs anything itself.
func TestPackagesDifferInHueWhenOthersCostAll(t *testing.T) {
	set := datatest.Drawn(t, `
go/parser.Parse 0
  io.ReadAll 0
    [waiting] 1000000
  runtime.gcStart 0
    [waiting] 2000000
`)
	tree, err := cct.Build(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	p := NewProgram(set, tree)
	parser, io, runtime := p.PackageColor("go/parser", false), p.PackageColor("io", false), p.PackageColor("runtime", false)
	if parser == io || io == runtime {
		t.Errorf("packages have the colours %08x, %08x and %08x", parser, io, runtime)
	}
}
