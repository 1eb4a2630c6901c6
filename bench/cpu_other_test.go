//go:build !linux

package bench

import "time"

var began = time.Now()

// cpuTime is time on the clock where that of the processor is not known.
func cpuTime() time.Duration { return time.Since(began) }
