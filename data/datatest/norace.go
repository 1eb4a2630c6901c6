//go:build !race

package datatest

// Race tells that the race detector is on.
const Race = false
