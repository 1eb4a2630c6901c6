//go:build !unix

package sourcetest

import "time"

var processBegan = time.Now()

// ProcessorTime is time on the clock where that of the processor is not known.
func ProcessorTime() time.Duration { return time.Since(processBegan) }
