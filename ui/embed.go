// Package ui embeds the built page. Its TypeScript sources are beside this
// file; `make ui` builds them into dist, which is not kept in the repository.
package ui

import (
	"embed"
	"io/fs"
)

// A clone that was never built has only dist/.keep, so that Go alone builds.
//
//go:embed all:dist
var dist embed.FS

// Files gives the built page; ok is false if it was not built.
func Files() (files fs.FS, ok bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
