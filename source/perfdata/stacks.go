package perfdata

import (
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source/perfsamples"
)

// place is an address in a file: what stays the same from run to run. In what is
// no file all addresses are one place.
type place struct {
	binary int32 // noBinary where nothing is mapped
	offset uint64
}

const noBinary = -1

// stacks makes contexts of places, which become contexts of methods later.
type stacks struct {
	places  []place // by their numbers
	numbers map[place]data.EntityID
	trie    *data.Trie
	perfsamples.Stacks

	frames []data.EntityID // of the sample at hand, the innermost first

	recent [1 << 12]recentPlace
}

// recentPlace remembers where an address was in a process.
type recentPlace struct {
	at      uint64
	pid     int32
	mode    uint16
	known   bool
	changes int // of mappings, at that time
	number  data.EntityID
}

func newStacks() stacks {
	trie := data.NewTrie(0)
	return stacks{numbers: map[place]data.EntityID{}, trie: trie, Stacks: perfsamples.Stacks{Child: trie.Child}}
}

// place gives the number of the place of an address.
func (r *reader) place(pid int32, mode uint16, at uint64) data.EntityID {
	slot := &r.stacks.recent[(at*0x9e3779b97f4a7c15)>>52]
	if slot.known && slot.at == at && slot.pid == pid && slot.mode == mode && slot.changes == r.changes {
		return slot.number
	}
	p := r.find(pid, mode, at)
	number, ok := r.stacks.numbers[p]
	if !ok {
		number = data.EntityID(len(r.stacks.places))
		r.stacks.places = append(r.stacks.places, p)
		r.stacks.numbers[p] = number
	}
	*slot = recentPlace{at, pid, mode, true, r.changes, number}
	return number
}

// find gives the place of an address.
func (s *spaces) find(pid int32, mode uint16, at uint64) place {
	switch {
	case mode == modeKernel || mode == modeUnknown && int64(at) < 0:
		if m := s.system.find(at); m != nil {
			return place{m.binary, m.place(at)}
		}
		return place{s.named("[kernel]"), 0}
	case mode == modeHypervisor:
		return place{s.named("[hypervisor]"), 0}
	case mode >= modeGuestKernel:
		return place{s.named("[guest]"), 0}
	}
	if process := s.byPID[pid]; process != nil {
		if m := process.find(at); m != nil {
			if !s.binaries[m.binary].isCode() {
				if number, ok := s.generated(pid); ok {
					return place{number, at}
				}
				return place{m.binary, 0}
			}
			return place{m.binary, m.place(at)}
		}
	}
	return place{noBinary, 0}
}

// named gives the binary of a name that no mapping has.
func (s *spaces) named(name string) int32 {
	number, ok := s.byPath[name]
	if !ok {
		number = int32(len(s.binaries))
		s.byPath[name] = number
		s.binaries = append(s.binaries, image{path: name})
	}
	return number
}

// isCode reports whether places in it mean the same in another run: files do, and
// what the kernel brings; what a program makes while it runs does not.
func (b *image) isCode() bool {
	return b.kernel || b.isFile() || b.path == "[vdso]" || b.path == "[vsyscall]"
}

func (b *image) isFile() bool {
	return strings.HasPrefix(b.path, "/") && !strings.HasPrefix(b.path, "//") &&
		!strings.HasPrefix(b.path, "/memfd:") && !strings.HasPrefix(b.path, "/SYSV") && !strings.HasPrefix(b.path, "/dev/")
}
