package source

import (
	"context"
	"io"
)

// NewInputWithin is NewInput with a limit of its own on how much content that
// unpacks to more than expansion times its size may be read.
func NewInputWithin(ctx context.Context, r io.Reader, expansion, free int64) (*Input, error) {
	return newInput(ctx, "test", r, 0, limits{expansion: expansion, free: free})
}

// LimitContexts makes call graphs have fewer contexts until restore is called.
func LimitContexts(n int) (restore func()) {
	before := maxContexts
	maxContexts = n
	return func() { maxContexts = before }
}
