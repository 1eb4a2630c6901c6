package match

import (
	"fmt"
	"regexp"

	"github.com/cambium-prof/cambium/symbol"
	"github.com/cambium-prof/cambium/trace"
)

// Names tells which methods of two traces are the same one. The zero value
// takes methods for the same if their names are equal.
type Names struct {
	// Stable compares names without what compilers make up in them, which is
	// different in every build (see symbol.Stable). Methods of one trace whose
	// stable names are equal are then one method, too.
	Stable bool
	// Short compares names without package and version besides.
	Short bool
	// Rename gives methods of the first trace the names that they have in the
	// second. Its keys are whole names.
	Rename map[string]string
}

// ReadNames reads how names are compared, as a person says it.
func ReadNames(text string) (Names, error) {
	switch text {
	case "exact":
		return Names{}, nil
	case "stable":
		return Names{Stable: true}, nil
	case "short":
		return Names{Short: true}, nil
	}
	return Names{}, fmt.Errorf("names are compared as %q, but can be exact, stable or short", text)
}

// Of is what a method of one of the sides is called for the comparison, whose
// language may be unknown.
func (n Names) Of(side Side, lang symbol.Language, name string) string {
	if side == A {
		if to, ok := n.Rename[name]; ok {
			name = to
		}
	}
	if n.Stable || n.Short {
		name = symbol.Stable(lang, name, "", "")
	}
	if n.Short {
		name = short(name)
	}
	return name
}

// version is what tells versions of one symbol apart: memcpy@@GLIBC_2.14,
// pkg.f@v1.2.3, libz.so.1.2.
var version = regexp.MustCompile(`@{1,2}[A-Za-z_]*\d[\w.+-]*|\.so(\.\d+)+`)

// short is a name without package and version.
func short(name string) string {
	split := symbol.Split(symbol.Unknown, name, "", "")
	plain := split.Method
	if split.Class != "" {
		plain = split.Class + "." + plain
	}
	if cut := version.ReplaceAllString(plain, ""); cut != "" {
		return cut
	}
	return plain
}

// numbering numbers the methods of two traces: first those that are called in
// both, then those only of the first, then those only of the second. In
// each part they are in the order of their first call, because methods that
// are called together are often in the same sets, and then their bits are in
// the same words.
type numbering struct {
	of     [2][]uint32 // row of Methods -> number; a call without a method has the last entry
	names  []string    // number -> name, without package and version if those do not count
	called [2]int      // methods that are called in each trace
	common int         // methods that are called in both
}

func (n Names) number(traces [2]*trace.Trace) *numbering {
	num := &numbering{}
	ids := map[string]uint32{} // name -> provisional number
	var in []uint8             // provisional number -> bit 0: in the first, bit 1: in the second
	var names []string
	var provisional [2][]uint32
	const unseen = ^uint32(0)
	for side, t := range traces {
		rows := t.Methods.Rows()
		of := make([]uint32, rows+1)
		for i := range of {
			of[i] = unseen
		}
		for _, m := range t.Method {
			row := min(int(m), rows)
			if of[row] != unseen {
				continue
			}
			name := n.Of(Side(side), symbol.Unknown, t.Methods.NameOf(m))
			id, known := ids[name]
			if !known {
				id = uint32(len(names))
				ids[name] = id
				names = append(names, name)
				in = append(in, 0)
			}
			if in[id]&(1<<side) == 0 {
				in[id] |= 1 << side
				num.called[side]++
			}
			of[row] = id
		}
		provisional[side] = of
	}
	final := make([]uint32, len(names))
	for _, part := range []uint8{3, 1, 2} {
		for id, bits := range in {
			if bits == part {
				final[id] = uint32(len(num.names))
				num.names = append(num.names, names[id])
			}
		}
		if part == 3 {
			num.common = len(num.names)
		}
	}
	for side, of := range provisional {
		for row, id := range of {
			if id != unseen {
				of[row] = final[id]
			}
		}
		num.of[side] = of
	}
	return num
}
