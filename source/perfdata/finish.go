package perfdata

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// ksymbol is code that came into the kernel while it ran, such as a BPF program.
type ksymbol struct {
	start, end uint64
	name       string
}

const maxKsymbols = 1 << 20

// finish names what was seen, and hands it on.
func (r *reader) finish() error {
	if r.samples.Len() == 0 {
		if r.broken > 0 {
			return fmt.Errorf("byte %d: expected a sample, but the record is too short for its fields", r.firstBroken)
		}
		return errors.New("there are no samples in the recording")
	}
	r.warn()
	p := r.p
	methods, within, err := r.methods(p)
	if err != nil {
		return err
	}
	// Contexts of places become contexts of methods.
	trie := r.stacks.trie
	contexts := make([]data.EntityID, trie.Len())
	for i, parent := range trie.Parents {
		if parent != data.None {
			parent = contexts[parent]
		}
		place := trie.Keys[i]
		contexts[i] = p.Child(parent, methods[place])
		for _, inlined := range within[place] {
			contexts[i] = p.Child(contexts[i], inlined)
		}
	}
	p.Moved = contexts
	r.samples.Prefer = r.attrs[0].name
	names := map[string]string{}
	for _, a := range r.attrs {
		names[string(a.key)] = string(a.name)
	}
	r.samples.Rename(func(key string) string { return names[key] })
	r.samples.Finish(r.b)
	if err := p.Finish(); err != nil {
		return err
	}
	return r.finishTraced(contexts)
}

func (r *reader) warn() {
	w := r.b.Warn
	if r.lostRecords > 0 {
		w("%d samples or other records were lost when the recording was made, as the processor was too busy", r.lost)
	}
	if r.broken > 0 {
		w("%d records are too short for their fields and were left out, the first at byte %d", r.broken, r.firstBroken)
	}
	if r.queue.late > 0 {
		w("%d records are far out of order; what they say was taken after later ones", r.queue.late)
	}
	if r.strangers > 0 {
		w("%d samples are of events that the recording does not describe; they are counted for %s", r.strangers, r.attrs[0].name)
	}
	if r.unattended > 0 {
		w("%d samples have copies of stack memory (perf record --call-graph dwarf), which are not unwound here: of user code only the innermost function is shown; perf script unwinds them", r.unattended)
	}
	if r.deferred > 0 {
		w("the recording has %d user stacks of their own (deferred call chains), which are not read here; the kernel's part of such stacks is shown", r.deferred)
	}
	if r.auxtrace {
		w("the recording has hardware traces (AUX data), which are not decoded")
	}
	if r.unmapped > 0 {
		w("%d mappings were left out, as there are too many; functions in them have no name", r.unmapped)
	}
}

// methods names all places; the answer has a method per place, and the calls
// written out there, the outermost first.
func (r *reader) methods(p *source.Profile) (methods []data.EntityID, within map[data.EntityID][]data.EntityID, err error) {
	places := r.stacks.places
	methods, within = make([]data.EntityID, len(places)), map[data.EntityID][]data.EntityID{}
	type key struct{ name, binary string }
	known := map[key]data.EntityID{}
	method := func(f source.Frame) data.EntityID {
		k := key{f.Name, f.Binary}
		id, ok := known[k]
		if !ok { // functions of one name in two binaries are two
			id = p.AddMethod(f)
			known[k] = id
		}
		return id
	}
	take := func(i int, name, binary string) {
		methods[i] = method(source.Frame{Name: name, Binary: binary})
	}
	var inFiles []int // of each binary one after the other
	for i, at := range places {
		switch {
		case at.binary == noBinary:
			take(i, "[unknown]", "")
		case r.binaries[at.binary].generated != nil:
			name := r.binaries[at.binary].generated.at(at.offset)
			if name == "" {
				name = generatedCode
			}
			take(i, name, generatedCode)
		case r.binaries[at.binary].isCode():
			inFiles = append(inFiles, i)
		default:
			name := "[" + strings.Trim(source.BinaryName(r.binaries[at.binary].path), "[]") + "]"
			take(i, name, name)
		}
	}
	slices.SortStableFunc(inFiles, func(a, b int) int { return cmp.Compare(places[a].binary, places[b].binary) })
	slices.SortFunc(r.ksymbols, func(a, b ksymbol) int { return cmp.Compare(a.start, b.start) })
	var m missing
	for len(inFiles) > 0 {
		if err := r.ctx.Err(); err != nil {
			return nil, nil, err
		}
		number := places[inFiles[0]].binary
		n := 1
		for n < len(inFiles) && places[inFiles[n]].binary == number {
			n++
		}
		b := &r.binaries[number]
		name := binaryName(b.path)
		named, symbols := r.namesOf(b, &m)
		nests, err := r.nests(b, symbols, inFiles[:n], &m)
		if err != nil {
			return nil, nil, err
		}
		for k, i := range inFiles[:n] {
			f := source.Frame{Name: named(places[i].offset), Binary: name}
			if nests != nil && len(nests[k]) > 0 {
				of := nests[k][0]
				f.Name, f.File, f.Line = cmp.Or(f.Name, of.name), of.file, of.line
				for _, of := range nests[k][1:] {
					inlined := method(source.Frame{Name: of.name, File: of.file, Line: of.line, Binary: name})
					within[data.EntityID(i)] = append(within[data.EntityID(i)], inlined)
				}
			}
			if f.Name == "" {
				f.Name = fmt.Sprintf("%s+0x%x", name, places[i].offset)
			}
			methods[i] = method(f)
		}
		inFiles = inFiles[n:]
	}
	for _, b := range r.binaries {
		if b.generated != nil {
			m.generated = append(m.generated, b.path)
		}
	}
	m.warn(r.b)
	return methods, within, nil
}

// namesOf gives the function that names places in a binary; it gives "" where
// there is no name. Of a file it gives the symbols, too.
func (r *reader) namesOf(b *image, m *missing) (func(uint64) string, *symbols) {
	none := func(uint64) string { return "" }
	switch {
	case b.kernel:
		start := uint64(0)
		for _, at := range r.system.maps {
			if r.binaries[at.binary].path == b.path {
				start = at.start - at.offset
				break
			}
		}
		var kernel *symbols
		if r.in.Binaries {
			if kernel = lookUpKernel(r.buildIDs[kernelImage]); kernel == nil {
				m.kernel = true
			}
		} else {
			m.forbidden = true
		}
		return func(offset uint64) string {
			name := r.ksymbol(start + offset)
			if name == "" && kernel != nil {
				name = kernel.at(start + offset)
			}
			return name
		}, nil
	case !b.isFile():
		return none, nil
	case !r.in.Binaries:
		m.forbidden = true
		return none, nil
	}
	s, checked, err := lookUp(b.path, r.idOf(b))
	if err != nil {
		m.add(b.path, err)
		if s == nil {
			return none, nil
		}
	} else if !checked {
		m.unchecked = append(m.unchecked, b.path)
	}
	return s.name, s
}

// idOf gives the build id of a binary, if the recording tells.
func (r *reader) idOf(b *image) []byte {
	if b.id != nil {
		return b.id
	}
	return r.buildIDs[b.path]
}

// generatedCode is what code is called that a program made while it ran.
const generatedCode = "[generated]"

// kernelImage is what perf calls the kernel without its modules.
const kernelImage = "[kernel.kallsyms]"

// ksymbol gives the name of an address of the kernel.
func (r *reader) ksymbol(at uint64) string {
	i, ok := slices.BinarySearchFunc(r.ksymbols, at, func(k ksymbol, at uint64) int { return cmp.Compare(k.start, at) })
	if !ok {
		i--
	}
	if i >= 0 && at < r.ksymbols[i].end {
		return r.ksymbols[i].name
	}
	return ""
}

// binaryName is what people call a binary.
func binaryName(path string) string {
	if strings.HasPrefix(path, "[") {
		return path
	}
	return source.BinaryName(strings.TrimSuffix(path, " (deleted)"))
}

// missing collects whose names are not known.
type missing struct {
	binaries  []string // with why
	unchecked []string
	generated []string
	kernel    bool
	forbidden bool
	inlined   []string // whose debug information was not read to the end, with why
}

func (m *missing) add(path string, err error) {
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	m.binaries = append(m.binaries, fmt.Sprintf("%s (%v)", path, err))
}

func (m *missing) addInlined(path string, err error) {
	m.inlined = append(m.inlined, fmt.Sprintf("%s (%v)", path, err))
}

// fewNames is how many binaries a warning names.
const fewNames = 10

func (m *missing) warn(b *data.Builder) {
	list := func(names []string) string {
		text := strings.Join(names[:min(len(names), fewNames)], ", ")
		if more := len(names) - fewNames; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	if m.forbidden {
		b.Warn("the binaries were not opened to look for names; functions are called by their place in them")
	}
	if len(m.binaries) > 0 {
		b.Warn("functions of these binaries are called by their place in them: %s", list(m.binaries))
	}
	if len(m.unchecked) > 0 {
		b.Warn("names were taken from these binaries although it cannot be checked that they are the recorded ones, as there is no build id: %s", list(m.unchecked))
	}
	if len(m.generated) > 0 {
		b.Warn("names of code that was made while the program ran were taken from these files, of which it cannot be checked that they are of the recorded process: %s", list(m.generated))
	}
	if len(m.inlined) > 0 {
		b.Warn("some or all inlined functions of these binaries are missing, as their debug information could not be read: %s", list(m.inlined))
	}
	if m.kernel {
		b.Warn("functions of the kernel are called by their place in it, as perf has kept no copy of its symbols here")
	}
}
