package bench

import (
	"syscall"
	"time"
)

// rusageThread asks for the present thread alone.
const rusageThread = 1

// cpuTime is the processor time that the present thread has had: unlike time on
// the clock, it means something while other programs want the processor too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
