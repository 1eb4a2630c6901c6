package source

import (
	"path"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// finishMethods defines the entity types that make up a program (methods,
// classes, packages, files, binaries) from the frames that were seen.
func (p *Profile) finishMethods() error {
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
	files, err := p.b.EntityType(TypeFile, "a source file")
	if err != nil {
		return err
	}
	binaries, err := p.b.EntityType(TypeBinary, "an executable or a library")
	if err != nil {
		return err
	}
	methods, err := p.b.EntityType(TypeMethod, "a function, whatever the language",
		data.Ref("Class", TypeClass, "the class of the method, if it has one"),
		data.Ref("Package", TypePackage, "the package of the method"),
		data.Ref("File", TypeFile, "the source file of the method"),
		data.Value("Line", "", "a line of the method in its file; 0 if not known", data.Coordinate),
		data.Ref("Binary", TypeBinary, "the executable or library of the method"))
	if err != nil {
		return err
	}
	lang := p.language()
	for _, f := range p.frames {
		name := symbol.Split(lang(f), f.Name, f.File, f.Binary)
		pkg := data.None
		for depth := range name.Package {
			if pkg, err = packages.Intern(name.PackageName(depth+1), int64(pkg)); err != nil {
				return err
			}
		}
		class, file, binary := data.None, data.None, data.None
		if name.Class != "" {
			if class, err = classes.Intern(name.ClassName(), int64(pkg)); err != nil {
				return err
			}
		}
		if f.File != "" {
			if file, err = files.Intern(f.File); err != nil {
				return err
			}
		}
		if f.Binary != "" {
			if binary, err = binaries.Intern(f.Binary); err != nil {
				return err
			}
		}
		if _, err := methods.Add(f.Name, int64(class), int64(pkg), int64(file), f.Line, int64(binary)); err != nil {
			return err
		}
	}
	return nil
}

// language gives the rule by which frames get their language. If the source
// did not say, each name is looked at by itself, and where it tells nothing
// the language that most names of this profile have is taken.
func (p *Profile) language() func(Frame) symbol.Language {
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
