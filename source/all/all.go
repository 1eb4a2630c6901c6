// Package all links every format that Cambium comes with into a binary. A
// program with formats of its own imports this and its own list.
package all

import (
	_ "github.com/cambium-prof/cambium/source/alloccsv"
	_ "github.com/cambium-prof/cambium/source/austin"
	_ "github.com/cambium-prof/cambium/source/callgrind"
	_ "github.com/cambium-prof/cambium/source/cctcsv"
	_ "github.com/cambium-prof/cambium/source/chrometrace"
	_ "github.com/cambium-prof/cambium/source/evolve"
	_ "github.com/cambium-prof/cambium/source/folded"
	_ "github.com/cambium-prof/cambium/source/gecko"
	_ "github.com/cambium-prof/cambium/source/gotrace"
	_ "github.com/cambium-prof/cambium/source/gperftools"
	_ "github.com/cambium-prof/cambium/source/heaptrack"
	_ "github.com/cambium-prof/cambium/source/hprof"
	_ "github.com/cambium-prof/cambium/source/jfr"
	_ "github.com/cambium-prof/cambium/source/ndjson"
	_ "github.com/cambium-prof/cambium/source/otlpprofile"
	_ "github.com/cambium-prof/cambium/source/otlptrace"
	_ "github.com/cambium-prof/cambium/source/perfdata"
	_ "github.com/cambium-prof/cambium/source/perfscript"
	_ "github.com/cambium-prof/cambium/source/pprof"
	_ "github.com/cambium-prof/cambium/source/pstats"
	_ "github.com/cambium-prof/cambium/source/speedscope"
	_ "github.com/cambium-prof/cambium/source/uftrace"
	_ "github.com/cambium-prof/cambium/source/v8profile"
	_ "github.com/cambium-prof/cambium/source/xdebugtrace"
)
