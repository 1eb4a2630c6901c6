//go:build race

package datatest

// Race tells that the race detector is on: what takes minutes with it is left
// out then, and scripts/test-go.sh runs it without.
const Race = true
