package perfdata

import (
	"cmp"
	"context"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Compilers write many functions out where they are called. An address has one
// symbol, but may be within several such calls, one in another. The debug
// information (DWARF, http://dwarfstd.org) of a binary tells which, and where
// functions are declared.
//
// It may be many times as large as the program, so only those compile units are
// read that samples are in, the ones with most places first, up to a limit.
// Within a unit, entries come in the order of their nesting: of the entries
// that stand for calls written out around an address, the outermost is first.

// declared is a function as its debug information has it.
type declared struct {
	name string // demangled
	file string
	line int64
	// at is the entry that name is of, if it does not say what it is a member of.
	at dwarf.Offset
}

// nest is what an address is within: the entry of a function, and those of the
// calls that were written out there, the outermost first. It is empty if that is
// not known.
type nest []dwarf.Offset

// debugInfo is that of a binary.
type debugInfo struct {
	*dwarf.Data
	count int                       // of units
	left  *int                      // how much may be read yet, of all binaries
	units []unit                    // in order
	known map[dwarf.Offset]declared // entry -> its function
}

// unit is a compile unit.
type unit struct {
	entry *dwarf.Entry
	files []*dwarf.LineFile
	lined bool // files were read
}

const (
	maxDebugInfo = 512 << 20 // bytes of a binary's debug information in memory
	maxEntries   = 24 << 20  // entries that are read of all binaries; a second has a few million
	maxNest      = 256       // calls within each other
	maxOrigins   = 8         // steps from an entry to what it is an instance of
)

var (
	errNoDebugInfo = errors.New("it has no debug information")
	errTooMuch     = errors.New("it is too much to read")
)

// debugSections are those that are needed here.
var debugSections = []string{"abbrev", "info", "str", "line", "ranges", "addr", "line_str", "rnglists", "str_offsets"}

// openDebugInfo reads that of a file, which must have the build id if there is one.
func openDebugInfo(path string, id []byte, left *int) (*debugInfo, error) {
	file, err := openBinary(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, errors.New("it is no ELF file")
	}
	if has := buildID(f); len(id) > 0 && !slices.Equal(id, has) {
		return nil, errBuildID
	}
	return readDebugInfo(f, left)
}

func readDebugInfo(f *elf.File, left *int) (*debugInfo, error) {
	raw, total := map[string][]byte{}, uint64(0)
	for _, name := range debugSections {
		s := f.Section(".debug_" + name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		if total += max(s.Size, s.FileSize); total > maxDebugInfo || total < s.Size {
			return nil, errTooMuch
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		raw[name] = data
	}
	if len(raw["info"]) == 0 {
		return nil, errNoDebugInfo
	}
	d, err := dwarf.New(raw["abbrev"], nil, nil, raw["info"], raw["line"], nil, raw["ranges"], raw["str"])
	if err != nil {
		return nil, err
	}
	for _, name := range debugSections[5:] {
		if err := d.AddSection(".debug_"+name, raw[name]); err != nil {
			return nil, err
		}
	}
	return &debugInfo{Data: d, count: countUnits(raw["info"], f.ByteOrder), left: left, known: map[dwarf.Offset]declared{}}, nil
}

// countUnits goes from one header of a unit to the next. (At the last unit
// dwarf.Reader cannot skip what is in it.)
func countUnits(info []byte, order binary.ByteOrder) (n int) {
	for len(info) >= 4 {
		header, size := uint64(4), uint64(order.Uint32(info))
		if size == 1<<32-1 && len(info) >= 12 {
			header, size = 12, order.Uint64(info[4:])
		}
		if size > uint64(len(info))-header {
			break
		}
		if size > 0 {
			n++
		}
		info = info[header+size:]
	}
	return n
}

// spend counts what is read.
func (x *debugInfo) spend(ctx context.Context, n int) error {
	if *x.left -= n; *x.left < 0 {
		return errTooMuch
	}
	if *x.left&4095 == 0 {
		return ctx.Err()
	}
	return nil
}

// nests gives what each of the addresses is within; they are in order. What was
// found before an error remains.
func (x *debugInfo) nests(ctx context.Context, addresses []uint64) (all []nest, err error) {
	defer damaged(&err)
	all = make([]nest, len(addresses))
	type hit struct{ unit, places int }
	var hits []hit
	r := x.Reader()
	for i := range x.count {
		entry, err := r.Next()
		if err != nil || entry == nil {
			return all, err
		}
		x.units = append(x.units, unit{entry: entry})
		n, err := x.each(ctx, entry, addresses, func(int) {})
		if err != nil {
			return all, err
		}
		if n > 0 && entry.Children {
			hits = append(hits, hit{i, n})
		}
		if i < x.count-1 {
			r.SkipChildren()
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.places, a.places) })
	for _, h := range hits {
		if err := x.within(ctx, x.units[h.unit].entry, addresses, all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// damaged makes an error of a panic: debug/dwarf promises nothing of damaged data.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it is damaged: %v", p)
	}
}

// each calls f with the index of each address in the ranges of an entry.
func (x *debugInfo) each(ctx context.Context, e *dwarf.Entry, addresses []uint64, f func(int)) (n int, err error) {
	ranges, err := x.Ranges(e)
	if err != nil {
		return 0, err
	}
	for _, r := range ranges {
		i, _ := slices.BinarySearch(addresses, r[0])
		for ; i < len(addresses) && addresses[i] < r[1]; i++ {
			f(i)
			n++
		}
	}
	return n, x.spend(ctx, 1+len(ranges)+n)
}

// within reads a unit for those of the addresses that are in it.
func (x *debugInfo) within(ctx context.Context, unit *dwarf.Entry, addresses []uint64, all []nest) error {
	r := x.Reader()
	r.Seek(unit.Offset)
	if _, err := r.Next(); err != nil {
		return err
	}
	// Code that a linker has made one of two functions has two entries: the
	// first that comes has it.
	owner := map[int]dwarf.Offset{}
	const nothing = 0                 // in an entry that has none of the addresses
	around := []dwarf.Offset{nothing} // functions around the entry, the innermost last
	for len(around) > 0 {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			around = around[:len(around)-1]
			continue
		}
		if err := x.spend(ctx, 1); err != nil {
			return err
		}
		in := around[len(around)-1]
		switch {
		case e.Tag == dwarf.TagSubprogram:
			in = e.Offset
			n, err := x.each(ctx, e, addresses, func(i int) {
				if len(all[i]) == 0 {
					owner[i] = in
					all[i] = append(all[i], e.Offset)
				}
			})
			if err != nil {
				return err
			}
			if n == 0 {
				in = nothing
			}
		case e.Tag == dwarf.TagInlinedSubroutine && in != nothing:
			n, err := x.each(ctx, e, addresses, func(i int) {
				if owner[i] == in && len(all[i]) < maxNest {
					all[i] = append(all[i], e.Offset)
				}
			})
			if err != nil {
				return err
			}
			if n == 0 {
				in = nothing
			}
		}
		if !e.Children {
			continue
		}
		around = append(around, in)
	}
	return nil
}
