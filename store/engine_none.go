//go:build !(duckdb && cgo && (((linux || darwin) && (amd64 || arm64)) || (windows && amd64)))

package store

import (
	"context"

	"github.com/cambium-prof/cambium/data"
)

// duckDB tells whether DuckDB is part of this build.
const duckDB = false

func (e *events) reduceInDuckDB(context.Context, data.Reduction) (data.Reduced, error) {
	panic("store: there is no DuckDB in this build")
}
