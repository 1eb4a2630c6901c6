package pprof

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// expansion turns the trie over locations into the contexts of the profile.
type expansion struct {
	d      *decoder
	p      *source.Profile
	refs   *references
	frames []frame // per function, made on demand

	// Per location in use: its methods, outermost first, are
	// methods[first[row]:first[row+1]].
	first   []int
	methods []data.EntityID
	pruning *pruning // nil if nothing is to be dropped
}

type frame struct {
	made       bool
	name, file string
}

// run makes the contexts and lets each sample refer to its own.
func (e *expansion) run() error {
	s := &e.d.samples
	rows := len(s.locations.list)
	used := make([]bool, rows)
	for i := range s.trie.len() {
		used[s.trie.nodes.at(data.EntityID(i)).key] = true
	}
	e.pruning = newPruning(e.d, e.refs, rows)
	e.first = make([]int, rows+1)
	for row := range rows {
		if used[row] {
			e.locate(uint32(row))
		}
		e.first[row+1] = len(e.methods)
	}
	contexts, err := e.expand(e.alike(used))
	if err != nil {
		return err
	}
	s.trie = nil
	e.p.Moved = contexts
	return nil
}

// alike marks the locations that could become the same context as another one
// beside them: those whose outermost method is that of another location.
func (e *expansion) alike(used []bool) []bool {
	seen := make([]uint32, e.p.Methods()) // method -> a location + 1
	alike := make([]bool, len(used))
	for row := range used {
		if !used[row] {
			continue
		}
		method := e.methods[e.first[row]]
		if other := seen[method]; other != 0 {
			alike[row], alike[other-1] = true, true
		}
		seen[method] = uint32(row) + 1
	}
	return alike
}

// expand makes the contexts and gives that of each node of the trie. Equal
// methods below one context become one, whatever their locations. They are
// looked for only from the outermost location inwards that is like another:
// elsewhere contexts of locations are contexts of methods already, which
// makes big files cheap that were made from trees.
func (e *expansion) expand(alike []bool) ([]data.EntityID, error) {
	trie := e.d.samples.trie
	contexts := make([]data.EntityID, trie.len())
	search := make([]bool, trie.len())
	parents := make([]data.EntityID, 0, trie.len())
	keys := make([]data.EntityID, 0, trie.len())
	searched := data.NewTrie(0)
	var place []data.EntityID // row of searched -> context
	trie.done()
	// A location can hold a thousand inlined functions and be on every stack:
	// a small file must not fill the memory.
	limit := min(1<<24+64*trie.len(), math.MaxUint32-1)

	for node := range trie.len() {
		if node&0xffff == 0 && e.d.ctx.Err() != nil {
			return nil, e.d.ctx.Err()
		}
		n := trie.nodes.at(data.EntityID(node))
		context, parent, row := data.None, n.parent, n.key
		search[node] = alike[row]
		if parent != data.None {
			context = contexts[parent]
			search[node] = search[node] || search[parent]
		}
		if e.pruning.drops(data.EntityID(node), parent, row) {
			contexts[node] = context
			continue
		}
		for _, method := range e.methods[e.first[row]:e.first[row+1]] {
			next := data.EntityID(len(keys))
			if search[node] {
				at := searched.Child(context, method)
				if int(at) < len(place) {
					context = place[at]
					continue
				}
				place = append(place, next)
			}
			parents = append(parents, context)
			keys = append(keys, method)
			context = next
		}
		contexts[node] = context
		if len(keys) > limit {
			return nil, fmt.Errorf("inlined functions make more than %d contexts of %d", limit, trie.len())
		}
	}
	e.p.AdoptContexts(parents, keys)
	return contexts, nil
}

// locate adds the methods of a location, outermost first.
func (e *expansion) locate(row uint32) {
	t := &e.d.tables
	l := get(t.locations, row)
	if !l.defined {
		e.refs.locations.add("location %d", e.d.samples.locations.list[row])
		e.methods = append(e.methods, e.p.Method(source.Frame{Name: unknown}))
		return
	}
	binary := e.binary(l)
	lines := t.lines[l.from:l.to]
	if e.pruning != nil {
		lines = lines[e.pruning.trim[row]:]
	}
	if len(lines) == 0 {
		e.methods = append(e.methods, e.p.Method(source.Frame{Name: e.addressName(l, binary), Binary: binary}))
		return
	}
	for i := len(lines) - 1; i >= 0; i-- {
		f := e.function(l, lines[i], binary)
		e.methods = append(e.methods, e.p.Method(f))
	}
}

// unknown is what pprof shows for frames it knows nothing about.
const unknown = "<unknown>"

// function is the frame of a line of a location.
func (e *expansion) function(l location, line line, binary string) source.Frame {
	if line.function == 0 {
		return source.Frame{Name: e.addressName(l, binary), Binary: binary}
	}
	row := line.function - 1
	f := get(e.d.tables.functions, row)
	if !f.defined {
		e.refs.functions.add("function %d", e.d.tables.functionIDs.list[row])
		return source.Frame{Name: e.addressName(l, binary), Binary: binary}
	}
	known := &e.frames[row]
	if !known.made {
		known.made = true
		known.name = e.d.str(f.name, e.refs)
		if known.name == "" {
			known.name = e.d.str(f.system, e.refs)
		}
		known.file = e.d.str(f.file, e.refs)
	}
	start := f.start
	if start == 0 {
		start = line.line
	}
	name := known.name
	if name == "" {
		name = unknown // a writer that made a function for it knows that an address tells nothing
		if binary != "" {
			name = e.addressName(l, binary)
		}
	}
	return source.Frame{Name: name, File: known.file, Line: start, Binary: binary}
}

// binary is the name of the binary a location is in, "" if not known.
func (e *expansion) binary(l location) string {
	if l.mapping == 0 {
		return ""
	}
	m := get(e.d.tables.mappings, l.mapping-1)
	if !m.defined {
		e.refs.mappings.add("mapping %d", e.d.tables.mappingIDs.list[l.mapping-1])
		return ""
	}
	file := e.d.str(m.file, e.refs)
	if file == "" {
		return ""
	}
	return source.BinaryName(file)
}

// addressName names a frame without a function. The address counts from the
// start of the binary's file, so that two runs give the same name.
func (e *expansion) addressName(l location, binary string) string {
	switch {
	case binary != "":
		m := get(e.d.tables.mappings, l.mapping-1)
		return fmt.Sprintf("%s+%#x", binary, l.address-m.start+m.offset)
	case l.address == 0:
		return unknown
	default:
		return fmt.Sprintf("%#x", l.address)
	}
}
