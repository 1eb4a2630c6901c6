package perfdata

import (
	"cmp"
	"context"
	"debug/dwarf"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Names of the entries that stand for functions and for calls written out.

// names gives the functions that the entries of nests are instances of.
func (x *debugInfo) names(ctx context.Context, nests []nest) (names map[dwarf.Offset]declared, err error) {
	defer damaged(&err)
	names = map[dwarf.Offset]declared{}
	r := x.Reader()
	var members []dwarf.Offset // of what is not known yet
	for _, n := range nests {
		for _, at := range n {
			if _, ok := names[at]; ok {
				continue
			}
			if err := x.spend(ctx, 1); err != nil {
				return names, err
			}
			r.Seek(at)
			e, err := r.Next()
			if err != nil {
				return names, err
			}
			f := x.function(e, 0)
			names[at] = f
			if f.at != 0 {
				members = append(members, f.at)
			}
		}
	}
	slices.Sort(members)
	scopes, err := x.scopes(ctx, slices.Compact(members))
	for at, f := range names {
		if scope := scopes[f.at]; scope != "" {
			if around, ok := strings.CutSuffix(scope, anonymousClass+"::"); ok && f.name == "operator()" {
				scope = around + "{lambda}::" // as in demangled names, but for its parameters and number
			}
			f.name = scope + f.name
			names[at] = f
		}
	}
	return names, err
}

// function gives the function that an entry is, or is an instance of.
func (x *debugInfo) function(e *dwarf.Entry, steps int) declared {
	if f, ok := x.known[e.Offset]; ok {
		return f
	}
	var f declared
	linkage, _ := e.Val(dwarf.AttrLinkageName).(string)
	if linkage == "" {
		const mips = dwarf.Attr(0x2007) // what it was before DWARF 4
		linkage, _ = e.Val(mips).(string)
	}
	if f.name = demangled(linkage); linkage == "" {
		f.name, _ = e.Val(dwarf.AttrName).(string)
		if f.name != "" && x.scoped(e.Offset) {
			f.at = e.Offset
		}
	}
	f.line, _ = e.Val(dwarf.AttrDeclLine).(int64)
	if number, ok := e.Val(dwarf.AttrDeclFile).(int64); ok {
		f.file = x.file(e.Offset, number)
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		at, ok := e.Val(attr).(dwarf.Offset)
		if !ok || steps >= maxOrigins {
			continue
		}
		r := x.Reader()
		r.Seek(at)
		origin, err := r.Next()
		if err != nil || origin == nil || origin.Tag != dwarf.TagSubprogram {
			continue
		}
		of := x.function(origin, steps+1)
		if linkage == "" && of.name != "" { // the declaration says more than the definition
			f.name, f.at = of.name, of.at
		}
		if f.file == "" || f.line == 0 {
			f.file, f.line = of.file, of.line
		}
	}
	x.known[e.Offset] = f
	return f
}

// unitOf gives the unit of an entry, or nil.
func (x *debugInfo) unitOf(entry dwarf.Offset) *unit {
	i, ok := slices.BinarySearchFunc(x.units, entry, func(u unit, at dwarf.Offset) int { return cmp.Compare(u.entry.Offset, at) })
	if !ok {
		i--
	}
	if i < 0 {
		return nil
	}
	return &x.units[i]
}

// file gives a file by its number in the unit of an entry.
func (x *debugInfo) file(entry dwarf.Offset, number int64) string {
	u := x.unitOf(entry)
	if u == nil {
		return ""
	}
	if !u.lined {
		u.lined = true
		if lines, err := x.LineReader(u.entry); err == nil && lines != nil {
			u.files = lines.Files()
		}
	}
	if number < 0 || number >= int64(len(u.files)) || u.files[number] == nil {
		return ""
	}
	return u.files[number].Name
}

// scoped reports whether plain names in the unit of an entry are short: those of
// C++, of functions that a linker does not see, are.
func (x *debugInfo) scoped(entry dwarf.Offset) bool {
	u := x.unitOf(entry)
	if u == nil {
		return false
	}
	const cpp98, cpp03, cpp11, cpp14, cpp17, cpp20 = 0x04, 0x19, 0x1a, 0x21, 0x2a, 0x2b
	switch language, _ := u.entry.Val(dwarf.AttrLanguage).(int64); language {
	case cpp98, cpp03, cpp11, cpp14, cpp17, cpp20:
		return true
	}
	return false
}

// scopes gives what stands before the plain names of entries, which are in order:
// the namespaces, classes and functions around them. Only those are gone through
// that have one of the entries in them.
func (x *debugInfo) scopes(ctx context.Context, members []dwarf.Offset) (map[dwarf.Offset]string, error) {
	scopes := map[dwarf.Offset]string{}
	r := x.Reader()
	for len(members) > 0 {
		r.Seek(x.unitOf(members[0]).entry.Offset)
		if _, err := r.Next(); err != nil {
			return scopes, err
		}
		around, left := []string{""}, len(members)
		for len(members) > 0 && len(around) > 0 {
			if err := x.spend(ctx, 1); err != nil {
				return scopes, err
			}
			e, err := r.Next()
			if err != nil || e == nil {
				return scopes, err
			}
			if e.Tag == 0 {
				around = around[:len(around)-1]
				continue
			}
			scope := around[len(around)-1]
			for len(members) > 0 && members[0] <= e.Offset {
				if members[0] == e.Offset {
					scopes[e.Offset] = scope
				}
				members = members[1:]
			}
			if !e.Children || len(members) == 0 {
				continue
			}
			if next, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && next > e.Offset && members[0] >= next {
				r.Seek(next)
				continue
			}
			around = append(around, x.scope(e, scope))
		}
		if len(members) == left {
			members = members[1:] // it is within an entry
		}
	}
	return scopes, nil
}

const anonymousClass = "(anonymous class)"

// scope gives what stands before names of members of an entry in a scope.
func (x *debugInfo) scope(e *dwarf.Entry, scope string) string {
	const separator, maxScope = "::", 1 << 10
	name, _ := e.Val(dwarf.AttrName).(string)
	switch e.Tag {
	case dwarf.TagNamespace:
		name = cmp.Or(name, "(anonymous namespace)")
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		name = cmp.Or(name, anonymousClass)
	case dwarf.TagSubprogram:
		f := x.function(e, 0)
		if name = f.name; f.at == 0 && name != "" {
			scope = "" // it is a full name
		}
	default:
		return scope
	}
	if name == "" || len(scope)+len(name) > maxScope {
		return scope
	}
	return scope + name + separator
}

// nests gives what places in a file are within; nil if there is no debug
// information of it. The only error is that of the context.
func (r *reader) nests(b *image, s *symbols, of []int, m *missing) ([][]declared, error) {
	if s == nil {
		return nil, nil
	}
	id := r.idOf(b)
	if len(id) == 0 {
		id = s.id
	}
	var x *debugInfo
	var path string
	for _, path = range append([]string{b.path}, debugFiles(id)...) {
		var err error
		if x, err = openDebugInfo(path, id, &r.entriesLeft); err == nil {
			break
		}
		if !isMissing(err) {
			m.addInlined(path, err)
			return nil, nil
		}
	}
	if x == nil {
		return nil, nil
	}
	order, addresses := make([]int, 0, len(of)), make([]uint64, len(of))
	for i, place := range of {
		if at, ok := s.address(r.stacks.places[place].offset); ok {
			addresses[i] = at
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(addresses[a], addresses[b]) })
	sorted := make([]uint64, len(order))
	for i, from := range order {
		sorted[i] = addresses[from]
	}
	found, err := x.nests(r.ctx, sorted)
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		m.addInlined(path, err)
	}
	names, err := x.names(r.ctx, found)
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		m.addInlined(path, err)
	}
	all := make([][]declared, len(of))
	for i, to := range order {
		for _, entry := range found[i] {
			if f := names[entry]; f.name != "" {
				all[to] = append(all[to], f)
			}
		}
	}
	return all, nil
}

// isMissing reports whether debug information may be elsewhere.
func isMissing(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file) || errors.Is(err, errNoDebugInfo) || errors.Is(err, errBuildID)
}
