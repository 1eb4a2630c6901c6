//go:build !unix

package bench

import "time"

var processBegan = time.Now()

// processorTime is time on the clock where that of the processor is not known.
func processorTime() time.Duration { return time.Since(processBegan) }
