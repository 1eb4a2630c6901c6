package perfdata

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// What is mapped where: per process, and for the kernel.

// image is what a mapping names: a file, or [kernel.kallsyms], [vdso] and the
// like, or //anon.
type image struct {
	path   string
	id     []byte // build id, if the mapping told
	kernel bool
	// generated are the names of code that a process made, whose places are
	// addresses; nil of all others.
	generated *symbols
}

// mapping is a part of an address space. It is not changed once it is in one.
type mapping struct {
	start, end uint64 // end is not in it
	offset     uint64 // in the file
	binary     int32
}

// space is the memory of a process: mappings in order, that do not overlap.
type space struct {
	maps   []mapping
	shared bool // with another process, until one of them changes
	last   int  // found last
}

// spaces are those of all processes.
type spaces struct {
	binaries  []image
	byPath    map[string]int32
	byPID     map[int32]*space
	system    space           // the kernel
	jits      map[int32]int32 // process -> number of its image of generated code, or noBinary
	jitFolder string          // where names of generated code are; "" to look for none
	total     int             // mappings that are kept
	unmapped  int             // mappings that were left out, as there are too many
	changes   int             // of any of them
}

func newSpaces() spaces {
	return spaces{byPath: map[string]int32{}, byPID: map[int32]*space{}, jits: map[int32]int32{}}
}

// What a hostile recording can make us keep: a process of Linux can have 65530
// mappings, but has a few hundred that are executable.
const (
	maxMapsOfOne = 16 << 10
	maxMaps      = 4 << 20
)

const kernelPID = -1

// mapped takes a mapping.
func (s *spaces) mapped(pid int32, mode uint16, m mapping, path string, id []byte) {
	if m.end <= m.start {
		return
	}
	kernel := mode == modeKernel || pid == kernelPID
	to := &s.system
	if kernel {
		// [kernel.kallsyms]_text: what follows is the symbol at which it begins.
		if at := strings.IndexByte(path, ']'); at >= 0 && path[0] == '[' {
			path = path[:at+1]
		}
	} else if to = s.byPID[pid]; to == nil {
		to = &space{}
		s.byPID[pid] = to
	}
	key := path + "\x00" + string(id)
	if kernel {
		key += "\x00kernel"
	}
	number, ok := s.byPath[key]
	if !ok {
		number = int32(len(s.binaries))
		s.byPath[key] = number
		s.binaries = append(s.binaries, image{path: path, id: bytes.Clone(id), kernel: kernel})
	}
	m.binary = number
	if kernel {
		m.offset = 0 // its place in memory at the recording; see [mapping.place]
	}
	if len(to.maps) >= maxMapsOfOne || s.total >= maxMaps {
		s.unmapped++
		return
	}
	s.changes++
	s.total += to.insert(m)
}

// insert puts m over what was there, and gives how many mappings more there are.
func (s *space) insert(m mapping) int {
	before := len(s.maps)
	if s.shared {
		s.maps, s.shared, before = slices.Clone(s.maps), false, 0
	}
	from, _ := slices.BinarySearchFunc(s.maps, m.start, func(x mapping, at uint64) int { return cmp.Compare(x.end, at+1) })
	to := from
	var parts [3]mapping
	with := parts[:0]
	for ; to < len(s.maps) && s.maps[to].start < m.end; to++ {
		old := s.maps[to]
		if old.start < m.start { // what is left of it in front
			front := old
			front.end = m.start
			with = append(with, front)
		}
		if old.end > m.end {
			back := old
			back.offset += m.end - old.start
			back.start = m.end
			with = append(with, m, back)
			s.maps = slices.Replace(s.maps, from, to+1, with...)
			return len(s.maps) - before
		}
	}
	s.maps = slices.Replace(s.maps, from, to, append(with, m)...)
	return len(s.maps) - before
}

// find gives the mapping of an address, or nil.
func (s *space) find(at uint64) *mapping {
	if s.last < len(s.maps) {
		if m := &s.maps[s.last]; at >= m.start && at < m.end {
			return m
		}
	}
	i, _ := slices.BinarySearchFunc(s.maps, at, func(x mapping, at uint64) int {
		if x.end <= at {
			return -1
		}
		return 1
	})
	if i == len(s.maps) || s.maps[i].start > at {
		return nil
	}
	s.last = i
	return &s.maps[i]
}

// place is where an address is in the file of its mapping, or in the kernel.
func (m *mapping) place(at uint64) uint64 { return at - m.start + m.offset }

// fork gives a new process the memory of its parent.
func (s *spaces) fork(parent, child int32) {
	from := s.byPID[parent]
	if from == nil {
		delete(s.byPID, child)
		return
	}
	from.shared = true
	s.byPID[child] = &space{maps: from.maps, shared: true}
	s.changes++
}

// exec empties the memory of a process: a new program is mapped next.
func (s *spaces) exec(pid int32) {
	delete(s.byPID, pid)
	s.changes++
}
