//go:build !linux

package bench

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
