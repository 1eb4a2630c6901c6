package perfdata

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Code that a program makes while it runs has no file. Programs that know of perf
// (Node.js with --perf-basic-prof, the JVM with an agent, .NET, PHP …) write its
// names to /tmp/perf-PID.map, a line for each piece: start, size, name. Addresses
// and numbers of processes come again, so it cannot be checked that the names
// are of the recorded process; a warning says where they come from. perf does
// the same.

// readJIT reads the names in such a file, or gives nil.
func readJIT(path string) *symbols {
	f, err := openBinary(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := &symbols{}
	lines := bufio.NewScanner(io.LimitReader(f, maxSymbols))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		start, rest, _ := bytes.Cut(lines.Bytes(), []byte{' '})
		size, name, ok := bytes.Cut(rest, []byte{' '})
		at, err1 := strconv.ParseUint(string(bytes.TrimPrefix(start, []byte("0x"))), 16, 64)
		n, err2 := strconv.ParseUint(string(bytes.TrimPrefix(size, []byte("0x"))), 16, 64)
		if !ok || err1 != nil || err2 != nil || n == 0 || at+n < at {
			continue
		}
		s.list = append(s.list, function{start: at, end: at + n, name: string(name)})
	}
	// Where something was made again, the last one counts.
	slices.Reverse(s.list)
	slices.SortStableFunc(s.list, byStart)
	s.list = slices.CompactFunc(s.list, func(a, b function) bool { return a.start == b.start })
	return s
}

// generated gives the number of what stands for the code that a process makes, or
// false if nothing is known of it.
func (s *spaces) generated(pid int32) (number int32, ok bool) {
	if number, ok = s.jits[pid]; !ok {
		number = noBinary
		if s.jitFolder != "" {
			path := fmt.Sprintf("%s/perf-%d.map", s.jitFolder, pid)
			if symbols := readJIT(path); symbols != nil {
				number = int32(len(s.binaries))
				s.binaries = append(s.binaries, image{path: path, generated: symbols})
			}
		}
		s.jits[pid] = number
	}
	return number, number != noBinary
}
