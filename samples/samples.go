// Package samples bundles a few real profiles, so that there is something to
// look at before one has a profile of one's own. See README.md for what they
// are and how they were made.
package samples

import (
	"embed"
	"io/fs"
)

//go:embed xalan.cct.csv.zst gowork.cpu.pb.gz sqlite.folded
var files embed.FS

// Sample is one bundled profile.
type Sample struct{ Name, Description string }

// All lists the samples; the first is the one to show when none is named.
var All = []Sample{
	{"xalan.cct.csv.zst", "Xalan (Java) transforms a document: every call, counted in bytecodes; 274,848 calling contexts"},
	{"gowork.cpu.pb.gz", "a small Go worker: CPU samples of 75 seconds, with labels"},
	{"sqlite.folded", "the sqlite3 shell (C) runs a script: perf samples as folded stacks"},
}

// Open opens a sample.
func (s Sample) Open() (fs.File, error) { return files.Open(s.Name) }
