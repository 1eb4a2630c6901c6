//go:build unix

package sourcetest

import (
	"syscall"
	"time"
)

// ProcessorTime is what all threads of the process have used: on a machine that
// others use, too, the clock says less.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
