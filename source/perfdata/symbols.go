package perfdata

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Names come from the binaries that the recording names, which anybody can have
// written: so only plain files are opened, at absolute paths and not below
// /proc, /sys and /dev, of a bounded size, and only if whoever opens the
// recording allows it (source.Input.Binaries). A file whose build id is not the
// recorded one is not used, since its names would be wrong.
//
// Where a binary has been stripped, or replaced, there may be a file with its
// names elsewhere, under its build id: where Debian, Fedora and others install
// debug symbols, and where perf record keeps copies.

// symbols are the functions of a file by their addresses.
type symbols struct {
	id       []byte // its build id
	segments []elf.ProgHeader
	list     []function
}

// function is a symbol of code. Addresses are the file's own.
type function struct {
	start, end uint64
	name       string
	rank       int // among those of one address
}

const (
	maxBinary  = 8 << 30
	maxSymbols = 512 << 20 // bytes of a symbol table, and of its names
)

var errBuildID = errors.New("its build id is another")

// lookUp finds the symbols of a binary. checked is false if there is no build id
// to compare.
func lookUp(path string, id []byte) (s *symbols, checked bool, err error) {
	if runtime.GOOS != "linux" {
		return nil, false, errors.New("it is a binary of Linux")
	}
	s, checked, err = readSymbols(path, id)
	if err == nil && s.full() {
		return s, checked, nil
	}
	if len(id) == 0 && s != nil {
		id = s.id
	}
	for _, debug := range debugFiles(id) {
		if d, ok, derr := readSymbols(debug, id); derr == nil && ok && len(d.list) > 0 {
			if s != nil {
				d.segments = s.segments // those of a debug file are said to be empty
				ok = checked
			}
			return d, ok, nil
		}
	}
	return s, checked, err
}

// full reports whether there are more than the names that other binaries use.
func (s *symbols) full() bool {
	return slices.ContainsFunc(s.list, func(f function) bool { return f.rank < rankWeak })
}

// debugFiles are where the names of a build id may be.
func debugFiles(id []byte) []string {
	if len(id) < 2 {
		return nil
	}
	name := hex.EncodeToString(id)
	name = filepath.Join(".build-id", name[:2], name[2:])
	files := []string{filepath.Join("/usr/lib/debug", name) + ".debug"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".debug", name, "elf"))
	}
	return files
}

// lookUpKernel finds the functions of a kernel in perf's own copy of its list of
// symbols, /proc/kallsyms at the time of the recording.
func lookUpKernel(id []byte) *symbols {
	home, err := os.UserHomeDir()
	if err != nil || len(id) < 2 {
		return nil
	}
	name := hex.EncodeToString(id)
	f, err := openBinary(filepath.Join(home, ".debug", ".build-id", name[:2], name[2:], "kallsyms"))
	if err != nil {
		return nil
	}
	defer f.Close()
	s := &symbols{}
	lines := bufio.NewScanner(io.LimitReader(f, maxSymbols))
	for lines.Scan() { // ffffffff81000000 T _text [module]
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 3 || !bytes.ContainsAny(fields[1], "tTwW") {
			continue
		}
		if at, err := strconv.ParseUint(string(fields[0]), 16, 64); err == nil && at != 0 {
			s.list = append(s.list, function{start: at, name: string(fields[2])})
		}
	}
	s.sort()
	return s
}

// openBinary opens what may be a binary.
func openBinary(path string) (*os.File, error) {
	clean := filepath.Clean(path)
	for _, no := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(clean, no) {
			return nil, errors.New("it is no file of a binary")
		}
	}
	plain := func(info os.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return errors.New("it is no plain file")
		case info.Size() > maxBinary:
			return fmt.Errorf("it has more than %d bytes", int64(maxBinary))
		}
		return nil
	}
	if err := plain(os.Stat(clean)); err != nil { // before it is opened, which a pipe would not return from
		return nil, err
	}
	f, err := os.Open(clean)
	if err != nil {
		return nil, err
	}
	if err := plain(f.Stat()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readSymbols reads those of a file, if it has the build id.
func readSymbols(path string, id []byte) (s *symbols, checked bool, err error) {
	file, err := openBinary(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, false, errors.New("it is no ELF file")
	}
	has := buildID(f)
	if len(id) > 0 && len(has) > 0 {
		if !bytes.Equal(id, has) {
			return nil, false, errBuildID
		}
		checked = true
	}
	s = &symbols{id: has}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			s.segments = append(s.segments, p.ProgHeader)
		}
	}
	for _, section := range f.Sections {
		if (section.Type == elf.SHT_SYMTAB || section.Type == elf.SHT_DYNSYM || section.Type == elf.SHT_STRTAB) && section.FileSize > maxSymbols {
			return s, checked, fmt.Errorf("its symbols have more than %d bytes", maxSymbols)
		}
	}
	all, err := f.Symbols()
	dynamic, derr := f.DynamicSymbols()
	if err != nil && derr != nil {
		return s, checked, errors.New("it has no symbols")
	}
	for _, symbol := range all {
		s.add(f, symbol, 0)
	}
	for _, symbol := range dynamic {
		s.add(f, symbol, rankWeak)
	}
	s.sort()
	return s, checked, nil
}

// rankWeak is that of symbols which others go before.
const rankWeak = 8

// add takes a symbol if it is a function.
func (s *symbols) add(f *elf.File, symbol elf.Symbol, rank int) {
	kind, bind := elf.ST_TYPE(symbol.Info), elf.ST_BIND(symbol.Info)
	const indirect = elf.SymType(10) // STT_GNU_IFUNC
	switch {
	case symbol.Section == elf.SHN_UNDEF || int(symbol.Section) >= len(f.Sections) || symbol.Name == "":
		return
	case kind == elf.STT_FUNC || kind == indirect:
	case kind == elf.STT_NOTYPE && bind == elf.STB_GLOBAL && f.Sections[symbol.Section].Flags&elf.SHF_EXECINSTR != 0:
		rank += 4 // written in assembler
	default:
		return
	}
	switch {
	case symbol.Size == 0:
		rank += 2
	case bind == elf.STB_WEAK:
		rank++
	}
	end := symbol.Value + symbol.Size
	s.list = append(s.list, function{symbol.Value, end, symbol.Name, rank})
}

func byStart(a, b function) int { return cmp.Compare(a.start, b.start) }

// sort puts functions in order, one at each address: of several names the one
// that perf would take, if it can be told.
func (s *symbols) sort() {
	underscores := func(name string) int { return len(name) - len(strings.TrimLeft(name, "_")) }
	slices.SortFunc(s.list, func(a, b function) int {
		return cmp.Or(byStart(a, b), cmp.Compare(a.rank, b.rank),
			cmp.Compare(underscores(a.name), underscores(b.name)), cmp.Compare(len(b.name), len(a.name)), strings.Compare(a.name, b.name))
	})
	s.list = slices.CompactFunc(s.list, func(a, b function) bool { return a.start == b.start })
	for i := range s.list {
		if f := &s.list[i]; f.end <= f.start { // it does not say: up to the next
			f.end = f.start + 1<<12
			if i+1 < len(s.list) {
				f.end = s.list[i+1].start
			}
		}
	}
}

// name gives the function at a place in the file, or "".
func (s *symbols) name(offset uint64) string {
	if at, ok := s.address(offset); ok {
		return s.at(at)
	}
	return ""
}

// address gives the address of a place in the file.
func (s *symbols) address(offset uint64) (at uint64, ok bool) {
	for _, p := range s.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// at gives the function at an address, or "".
func (s *symbols) at(at uint64) string {
	i, ok := slices.BinarySearchFunc(s.list, at, func(f function, at uint64) int { return cmp.Compare(f.start, at) })
	if !ok {
		i--
	}
	if i >= 0 && at < s.list[i].end {
		return demangled(s.list[i].name)
	}
	return ""
}

// demangled is how names of linkers are shown.
func demangled(name string) string {
	return demangle.Filter(name, demangle.NoParams, demangle.NoClones)
}

// buildID gives the build id in a file's notes.
func buildID(f *elf.File) []byte {
	for _, section := range f.Sections {
		if section.Type != elf.SHT_NOTE || section.FileSize > 1<<20 {
			continue
		}
		raw, err := section.Data()
		if err != nil && err != io.EOF {
			continue
		}
		for len(raw) >= 12 {
			name, desc, kind := uint64(f.ByteOrder.Uint32(raw)), uint64(f.ByteOrder.Uint32(raw[4:])), f.ByteOrder.Uint32(raw[8:])
			descAt := 12 + (name+3)&^3
			end := descAt + (desc+3)&^3
			if end > uint64(len(raw)) {
				break
			}
			const gnuBuildID = 3
			if kind == gnuBuildID && name == 4 && string(raw[12:16]) == "GNU\x00" {
				return raw[descAt:][:min(desc, buildIDBytes)]
			}
			raw = raw[end:]
		}
	}
	return nil
}
