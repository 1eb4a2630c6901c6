package bench

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of the present thread to the nanosecond,
// for what takes less than a tick: cpuTime is only brought up to date with
// those.
func threadTime() time.Duration {
	const clockThread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
