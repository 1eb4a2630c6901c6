package source

import (
	"path"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// Frame is a method as a stack mentions it. Only Name is required.
type Frame struct {
	Name   string // identifies the method within the profile
	File   string
	Line   int64 // where the method starts, or any line of it that was seen
	Binary string
}

// Program is what a source says about the program itself. It makes the entity
// types Method, Class, Package, File and Binary; the hierarchy of classes and
// packages is derived from the methods' names. Sources of stacks use it through
// [Profile], sources of other events as it is: Method gives what events refer
// to, Finish defines the types on the builder.
type Program struct {
	b       *data.Builder
	lang    symbol.Language
	frames  []Frame
	byName  map[string]data.EntityID
	classes []symbol.Name // those that were asked for by name
	byClass map[string]data.EntityID
	// complete defines files and binaries even if there are none. Without it a
	// chart is not offered fields in which there is nothing.
	complete bool
}

// NewProgram starts a program. lang is as for [NewProfile].
func NewProgram(b *data.Builder, lang symbol.Language) *Program {
	return &Program{b: b, lang: lang, byName: map[string]data.EntityID{}, byClass: map[string]data.EntityID{}}
}

// Method interns a method by its name. What an earlier frame of the same name
// left open (file, line, binary) is filled in.
func (p *Program) Method(f Frame) data.EntityID {
	id, ok := p.byName[f.Name]
	if !ok {
		id = p.AddMethod(f)
		p.byName[f.Name] = id // as the file has it: two broken names may look the same
		return id
	}
	known := &p.frames[id]
	f = validUTF8(f)
	if known.File == "" {
		known.File, known.Line = f.File, f.Line
	}
	if known.Binary == "" {
		known.Binary = f.Binary
	}
	return id
}

// AddMethod adds a method even if its name is taken: for formats in which the
// same name can stand for different methods. Method does not find it.
func (p *Program) AddMethod(f Frame) data.EntityID {
	id := data.EntityID(len(p.frames))
	p.frames = append(p.frames, validUTF8(f))
	return id
}

// validUTF8 replaces what no text may hold: names end up in JSON and protobuf,
// which refuse it.
func validUTF8(f Frame) Frame {
	f.Name = strings.ToValidUTF8(f.Name, "\uFFFD")
	f.File = strings.ToValidUTF8(f.File, "\uFFFD")
	f.Binary = strings.ToValidUTF8(f.Binary, "\uFFFD")
	return f
}

// Methods is the number of methods so far.
func (p *Program) Methods() int { return len(p.frames) }

// Class interns a class by its full name, for sources that know of classes
// otherwise than through their methods.
func (p *Program) Class(name string) data.EntityID {
	class := symbol.SplitClass(p.lang, strings.ToValidUTF8(name, "\uFFFD"))
	full := class.ClassName()
	id, ok := p.byClass[full]
	if !ok {
		id = data.EntityID(len(p.classes))
		p.byClass[full] = id
		p.classes = append(p.classes, class)
	}
	return id
}

// Finish defines the entity types and hands all methods to the builder.
func (p *Program) Finish() error {
	var files, binaries *data.EntityBuilder
	packages, err := p.b.EntityType(TypePackage, "a package, namespace, module or folder of methods",
		data.Ref("Parent", TypePackage, "the package around it", data.Hierarchy))
	if err != nil {
		return err
	}
	classes, err := p.b.EntityType(TypeClass, "a class, or the type that methods belong to",
		data.Ref("Package", TypePackage, "the package of the class"))
	if err != nil {
		return err
	}
	fields := []data.Field{
		data.Ref("Class", TypeClass, "the class of the method, if it has one"),
		data.Ref("Package", TypePackage, "the package of the method"),
	}
	if p.complete || slices.ContainsFunc(p.frames, func(f Frame) bool { return f.File != "" }) {
		if files, err = p.b.EntityType(TypeFile, "a source file"); err != nil {
			return err
		}
		fields = append(fields,
			data.Ref("File", TypeFile, "the source file of the method"),
			data.Value("Line", "", "a line of the method in its file; 0 if not known", data.Coordinate))
	}
	if p.complete || slices.ContainsFunc(p.frames, func(f Frame) bool { return f.Binary != "" }) {
		if binaries, err = p.b.EntityType(TypeBinary, "an executable or a library"); err != nil {
			return err
		}
		fields = append(fields, data.Ref("Binary", TypeBinary, "the executable or library of the method"))
	}
	methods, err := p.b.EntityType(TypeMethod, "a function, whatever the language", fields...)
	if err != nil {
		return err
	}
	for _, name := range p.classes { // first: they have their ids already
		if _, _, err := internClass(packages, classes, name); err != nil {
			return err
		}
	}
	lang := p.language()
	var row []int64
	for _, f := range p.frames {
		class, pkg, err := internClass(packages, classes, symbol.Split(lang(f), f.Name, f.File, f.Binary))
		if err != nil {
			return err
		}
		row = append(row[:0], int64(class), int64(pkg))
		if files != nil {
			file, err := internNamed(files, f.File)
			if err != nil {
				return err
			}
			row = append(row, int64(file), f.Line)
		}
		if binaries != nil {
			binary, err := internNamed(binaries, f.Binary)
			if err != nil {
				return err
			}
			row = append(row, int64(binary))
		}
		if _, err := methods.Add(f.Name, row...); err != nil {
			return err
		}
	}
	return nil
}

// maxPackages bounds how deep packages are nested. A name is shared by all of
// its prefixes, but telling them apart takes time for each.
const maxPackages = 64

// internClass interns the class of a name, if it has one, and its packages.
func internClass(packages, classes *data.EntityBuilder, name symbol.Name) (class, pkg data.EntityID, err error) {
	class, pkg = data.None, data.None
	full, separator, end := name.PackageName(len(name.Package)), name.Language.Separator(), 0
	for i, element := range name.Package {
		if i > 0 {
			end += len(separator)
		}
		end += len(element)
		if i >= maxPackages && i < len(name.Package)-1 {
			continue
		}
		if pkg, err = packages.Intern(full[:end], int64(pkg)); err != nil {
			return class, pkg, err
		}
	}
	if name.Class != "" {
		class, err = classes.Intern(name.ClassName(), int64(pkg))
	}
	return class, pkg, err
}

// internNamed gives None for what has no name.
func internNamed(e *data.EntityBuilder, name string) (data.EntityID, error) {
	if name == "" {
		return data.None, nil
	}
	return e.Intern(name)
}

// language gives the rule by which frames get their language. If the source
// did not say, each name is looked at by itself, and where it tells nothing
// the language that most names of this profile have is taken.
func (p *Program) language() func(Frame) symbol.Language {
	if p.lang != symbol.Unknown {
		return func(Frame) symbol.Language { return p.lang }
	}
	votes := map[symbol.Language]int{}
	for _, f := range p.frames {
		votes[symbol.Guess(f.Name, f.File, f.Binary)]++
	}
	common := symbol.Unknown
	for lang, n := range votes {
		if lang != symbol.Unknown && lang != symbol.Native && (common == symbol.Unknown || n > votes[common] || n == votes[common] && lang < common) {
			common = lang
		}
	}
	return func(f Frame) symbol.Language {
		if lang := symbol.Guess(f.Name, f.File, f.Binary); lang != symbol.Unknown {
			return lang
		}
		return common
	}
}

// BinaryName is what people call a binary: the last element of its path.
func BinaryName(file string) string {
	return path.Base(strings.ReplaceAll(file, `\`, "/"))
}
