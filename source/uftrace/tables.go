package uftrace

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/source"
)

// tables are the text files beside the traces, which name functions, threads
// and processes.
type tables struct {
	processOf map[string]string    // thread -> process
	parents   map[string]string    // process -> the one it was forked from
	sessions  map[string][]session // process -> by time
	maps      map[string][]mapping // session -> by address
	symbols   map[string][]symbolAt
	events    map[uint64]string // number -> name
}

// session is a program that a process ran from some time on.
type session struct {
	at  uint64
	id  string
	exe string
}

// mapping is where a binary is in memory.
type mapping struct {
	from, to uint64
	file     string
}

// symbolAt is a symbol, by its offset from the start of the binary.
type symbolAt struct {
	offset uint64
	kind   byte // as in nm; ? is where the symbols end
	name   string
}

func newTables() *tables {
	return &tables{
		processOf: map[string]string{}, parents: map[string]string{}, sessions: map[string][]session{},
		maps: map[string][]mapping{}, symbols: map[string][]symbolAt{}, events: map[uint64]string{},
	}
}

// tasks reads lines such as TASK timestamp=2443.411311420 tid=6606 pid=6606.
func (t *tables) tasks(text []byte) {
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		values := map[string]string{}
		for _, f := range fields[1:] {
			if key, value, ok := strings.Cut(f, "="); ok {
				values[key] = value
			}
		}
		switch fields[0] {
		case "TASK":
			t.processOf[values["tid"]] = values["pid"]
		case "FORK":
			t.parents[values["pid"]] = values["ppid"]
			t.processOf[values["pid"]] = values["pid"]
		case "SESS":
			exe := ""
			if _, quoted, ok := strings.Cut(string(line), "exename="); ok {
				exe = strings.Trim(strings.TrimSpace(quoted), `"`)
			}
			pid := values["pid"]
			t.sessions[pid] = append(t.sessions[pid], session{seconds(values["timestamp"]), values["sid"], exe})
		}
	}
	for _, s := range t.sessions {
		slices.SortStableFunc(s, func(a, b session) int { return cmp.Compare(a.at, b.at) })
	}
}

// seconds reads 2443.411265740 as nanoseconds.
func seconds(text string) uint64 {
	whole, fraction, _ := strings.Cut(text, ".")
	s, _ := strconv.ParseUint(whole, 10, 32)
	ns, _ := strconv.ParseUint((fraction + "000000000")[:9], 10, 64)
	return s*1e9 + ns
}

// maxForks bounds the way from a process to the one whose program it runs.
const maxForks = 1000

// session is what a process ran at a time: a program of its own, or that of the
// process it was forked from.
func (t *tables) session(pid string, at uint64) (s session, ok bool) {
	for range maxForks {
		all := t.sessions[pid]
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].at <= at || i == 0 {
				return all[i], true
			}
		}
		if pid, ok = t.parents[pid]; !ok {
			break
		}
	}
	return session{}, false
}

// process gives the process of a thread, and its name.
func (t *tables) process(tid string) (pid, name string) {
	pid, ok := t.processOf[tid]
	if !ok {
		pid = tid
	}
	if s, ok := t.session(pid, ^uint64(0)); ok && s.exe != "" {
		name = source.BinaryName(s.exe)
	}
	return pid, name
}

// readMap reads lines such as those of /proc/PID/maps.
func readMap(text []byte) []mapping {
	var all []mapping
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) < 6 {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		from, err1 := strconv.ParseUint(low, 16, 64)
		to, err2 := strconv.ParseUint(high, 16, 64)
		if err1 == nil && err2 == nil && from < to {
			all = append(all, mapping{from, to, fields[5]})
		}
	}
	slices.SortFunc(all, func(a, b mapping) int { return cmp.Compare(a.from, b.from) })
	return all
}

// addSymbols reads lines such as 000000000000c030 P getenv.
func (t *tables) addSymbols(binary string, text []byte) {
	var all []symbolAt
	for line := range bytes.Lines(text) {
		if file, ok := bytes.CutPrefix(line, []byte("# path name:")); ok {
			binary = path.Base(strings.TrimSpace(string(file)))
			continue
		}
		offset, rest, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !ok || offset == "#" {
			continue
		}
		kind, name, ok := strings.Cut(rest, " ")
		at, err := strconv.ParseUint(offset, 16, 64)
		if ok && err == nil && len(kind) == 1 {
			all = append(all, symbolAt{at, kind[0], strings.TrimSpace(name)})
		}
	}
	slices.SortStableFunc(all, func(a, b symbolAt) int { return cmp.Compare(a.offset, b.offset) })
	t.symbols[binary] = all
}

// frame names a function; ok is false if it has no symbol.
func (t *tables) frame(f function) (frame source.Frame, ok bool) {
	pid := t.processOf[f.thread]
	if pid == "" {
		pid = f.thread
	}
	unknown := source.Frame{Name: fmt.Sprintf("0x%x", f.address)}
	s, ok := t.session(pid, f.at)
	if !ok {
		return unknown, false
	}
	maps := t.maps[s.id]
	i, _ := slices.BinarySearchFunc(maps, f.address+1, func(m mapping, address uint64) int { return cmp.Compare(m.from, address) })
	if i--; i < 0 || f.address >= maps[i].to {
		return unknown, false
	}
	file := maps[i].file
	base := maps[i].from
	for i > 0 && maps[i-1].file == file { // a binary may be mapped in parts
		i--
		base = maps[i].from
	}
	offset := f.address - base
	binary := source.BinaryName(file)
	symbols := t.symbols[binary]
	k, _ := slices.BinarySearchFunc(symbols, offset+1, func(s symbolAt, offset uint64) int { return cmp.Compare(s.offset, offset) })
	// Among several names of one place, the first.
	if k--; k < 0 || symbols[k].kind == '?' {
		return source.Frame{Name: fmt.Sprintf("%s+0x%x", binary, offset), Binary: binary}, false
	}
	for k > 0 && symbols[k-1].offset == symbols[k].offset {
		k--
	}
	return source.Frame{Name: symbols[k].name, Binary: binary}, true
}
