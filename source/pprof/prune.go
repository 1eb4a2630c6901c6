package pprof

import (
	"regexp"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// pruning drops frames as drop_frames and keep_frames ask, to the letter of
// Prune in github.com/google/pprof/profile: a function that matches is dropped
// with all it calls, but only below the first frame that does not match.
// Where several functions are inlined at a location, the matching one and
// those inlined into it go wherever the location is seen.
type pruning struct {
	whole []bool // location: its outermost function matches
	part  []bool // location: an inner function matches
	trim  []int  // location: innermost lines to leave out

	state []pruneState // node of the trie
}

type pruneState uint8

const (
	beforeUser pruneState = iota // all frames so far match
	inUser
	cut
)

// newPruning gives nil if the profile asks for nothing.
func newPruning(d *decoder, refs *references, rows int) *pruning {
	if d.drop == 0 {
		return nil
	}
	compile := func(what string, index int64) *regexp.Regexp {
		text := d.str(index, refs)
		if text == "" {
			return nil
		}
		rx, err := regexp.Compile("^(" + text + ")$")
		if err != nil {
			d.b.Warn("%s of the profile is not a regular expression, so that no frames are dropped: %v", what, err)
		}
		return rx
	}
	drop := compile("drop_frames", d.drop)
	if drop == nil {
		return nil
	}
	keep := compile("keep_frames", d.keep)
	if keep == nil && d.str(d.keep, refs) != "" {
		return nil
	}

	p := &pruning{whole: make([]bool, rows), part: make([]bool, rows), trim: make([]int, rows), state: make([]pruneState, d.samples.trie.len())}
	t := &d.tables
	known := make([]int8, len(t.functions)) // function: 0 not asked yet, 1 kept, 2 dropped
	matches := func(row uint32) bool {
		if row >= uint32(len(known)) {
			return false
		}
		if known[row] == 0 {
			known[row] = 1
			if name := d.str(t.functions[row].name, refs); name != "" {
				name = simplify(name)
				if drop.MatchString(name) && (keep == nil || !keep.MatchString(name)) {
					known[row] = 2
				}
			}
		}
		return known[row] == 2
	}
	for row, l := range t.locations {
		lines := t.lines[l.from:l.to]
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].function == 0 || !matches(lines[i].function-1) {
				continue
			}
			if i == len(lines)-1 {
				p.whole[row] = true
			} else {
				p.part[row], p.trim[row] = true, i+1
			}
			break
		}
	}
	return p
}

// drops tells whether the frame of a node goes. Parents must be asked before
// their children.
func (p *pruning) drops(node, parent, row data.EntityID) bool {
	if p == nil {
		return false
	}
	state := beforeUser
	if parent != data.None {
		state = p.state[parent]
	}
	drop := false
	switch {
	case state == cut:
		drop = true
	case !p.whole[row] && !p.part[row]:
		state = inUser
	case state == beforeUser:
	default:
		drop = p.whole[row]
		state = cut
	}
	p.state[node] = state
	return drop
}

// simplify leaves out the arguments of a C++ function and the dot of a PowerPC
// one, as pprof does before it matches.
func simplify(name string) string {
	name = strings.TrimPrefix(name, ".")
	for i := 0; i < len(name); {
		switch {
		case strings.HasPrefix(name[i:], "(anonymous namespace)"):
			i += len("(anonymous namespace)")
		case strings.HasPrefix(name[i:], "operator()"):
			i += len("operator()")
		case name[i] == '(':
			return name[:i]
		default:
			i++
		}
	}
	return name
}
