package cambium

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/cambium-prof/cambium"

// rooms is the order of the house: a package imports only rooms above its own.
var rooms = []string{
	"symbol", "data", "source", "cct", "trace", "match", "compact", "predict",
	"query", "convert", "scene", "viz", "store", "server", "samples", "ui", "cmd",
}

// outside lists folders beside the house. They may use all of it but the command.
var outside = []string{".", "bench", "examples", "scripts"}

// plugged lists rooms whose folders are plug-ins, and the rooms a plug-in may
// use. Plug-ins do not know each other; the folder "all" links them in.
var plugged = map[string][]string{
	"source": {"symbol", "data", "source"},
	"viz":    {"data", "cct", "trace", "match", "predict", "query", "scene", "viz"},
}

// shared lists folders of rooms with plug-ins that are none: what plug-ins of
// that room have in common.
var shared = []string{"viz/plot", "source/jsonstream", "source/otlp", "source/perfsamples", "source/v8nodes"}

// bans lists what the standard library has and a room must do without: the
// pure rooms can be used as a library and compiled to WebAssembly.
var bans = []struct{ rooms, imports []string }{
	{rooms[:slices.Index(rooms, "predict")+1], []string{"net/http", "os/exec"}},
	{[]string{"symbol", "data", "cct", "predict", "query", "scene"}, []string{"os"}},
}

const maxLines = 700

// refuse says why the package in folder from must not import the one in folder
// to (both relative to the module), or gives "".
func refuse(from, to string) string {
	fromRoom, fromName, _ := strings.Cut(from, "/")
	toRoom, toName, _ := strings.Cut(to, "/")
	fromAt, toAt := slices.Index(rooms, fromRoom), slices.Index(rooms, toRoom)
	fromPlug := plugged[fromRoom] != nil && fromName != "" && fromName != "all"
	toPlug := plugged[toRoom] != nil && toName != "" && toName != "all"

	switch {
	case fromAt < 0 && !slices.Contains(outside, fromRoom):
		return fromRoom + " is no room of the house (add it to rooms in house_test.go, at its place)"
	case toAt < 0 && !slices.Contains(outside, toRoom):
		return toRoom + " is no room of the house (add it to rooms in house_test.go, at its place)"
	case from == to: // a test binary's own package, or a mistake the compiler finds
		return ""
	case strings.HasSuffix(toName, "test"):
		return "only tests import " + to
	case fromPlug && toRoom == fromRoom && slices.Contains(shared, to):
		return ""
	case fromPlug && toRoom == fromRoom && toName != "" && plugIn(fromName) != plugIn(toName):
		return "plug-ins of " + fromRoom + " do not know each other"
	case fromPlug && !slices.Contains(plugged[fromRoom], toRoom):
		return "a folder of " + fromRoom + " uses only " + strings.Join(plugged[fromRoom], ", ")
	case toPlug && toRoom == fromRoom && fromName == "":
		return toRoom + " does not know its plug-ins"
	case toRoom == "source" && toPlug && fromRoom != "source":
		return "only source/all imports formats"
	case to == "source/all" && fromAt >= 0 && fromAt < slices.Index(rooms, "store"):
		return "formats are linked in by whoever builds a binary"
	case fromRoom == toRoom:
		return ""
	case fromAt < 0 && toRoom == "cmd":
		return "nothing imports the command"
	case fromAt >= 0 && (toAt < 0 || toAt >= fromAt):
		return toRoom + " is not above " + fromRoom
	}
	return ""
}

// plugIn gives the plug-in that a folder of it, or its own, belongs to.
func plugIn(name string) string {
	name, _, _ = strings.Cut(name, "/")
	return name
}

// refuseStd does the same for a package of the standard library.
func refuseStd(from, imported string) string {
	room, _, _ := strings.Cut(from, "/")
	for _, ban := range bans {
		for _, no := range ban.imports {
			if slices.Contains(ban.rooms, room) && (imported == no || no != "os" && strings.HasPrefix(imported, no+"/")) {
				return room + " does without " + no
			}
		}
	}
	return ""
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"cct", "data", true},
		{"data", "cct", false},
		{"source/pprof", "source", true},
		{"source/pprof", "symbol", true},
		{"source/pprof", "cct", false},
		{"source/pprof", "source/folded", false},
		{"source/pprof", "source/pprof/wire", true},
		{"source/all", "source/pprof", true},
		{"source", "source/pprof", false},
		{"cmd/cambium", "source/pprof", false},
		{"cmd/cambium", "source/all", true},
		{"cct", "source/all", false},
		{"viz/ring", "viz", true},
		{"viz/ring", "query", true},
		{"viz/prediction", "predict", true},
		{"predict", "viz", false},
		{"viz/ring", "server", false},
		{"viz/ring", "viz/bar", false},
		{"viz/bar", "viz/plot", true},
		{"viz", "viz/plot", false},
		{"viz/all", "viz/ring", true},
		{"viz", "viz/ring", false},
		{"viz/ring", "viz/all", false},
		{"source/pprof", "source/sourcetest", false},
		{"scene/svg", "scene", true},
		{"server", "server/gen/cambium/v1", true},
		{"examples/source", "source", true},
		{"examples/source", "cmd/cambium", false},
		{"server", "bench/gen", false},
		{"attic", "data", false},
		{"data", "attic", false},
	} {
		if why := refuse(c.from, c.to); (why == "") != c.ok {
			t.Errorf("%s imports %s: allowed should be %v; refused because %q", c.from, c.to, c.ok, why)
		}
	}
	for _, c := range []struct {
		from, std string
		ok        bool
	}{
		{"source", "os", true},
		{"source", "os/exec", false},
		{"source/pprof", "net/http", false},
		{"compact", "net/http/httptest", false},
		{"predict", "os", false},
		{"scene/png", "os", false},
		{"query", "net/http", true},
		{"server", "net/http", true},
	} {
		if why := refuseStd(c.from, c.std); (why == "") != c.ok {
			t.Errorf("%s imports %s: allowed should be %v; refused because %q", c.from, c.std, c.ok, why)
		}
	}
}

func TestImports(t *testing.T) {
	for folder, files := range readPackages(t) {
		for _, file := range files {
			for _, spec := range file.syntax.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				why := refuseStd(folder, imported)
				if to, ours := strings.CutPrefix(imported, module+"/"); ours {
					why = refuse(folder, to)
				}
				if why != "" {
					t.Errorf("%s imports %s: %s", file.path, imported, why)
				}
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for folder, files := range readPackages(t) {
		documented := slices.ContainsFunc(files, func(f goFile) bool {
			return ast.IsGenerated(f.syntax) || f.syntax.Doc != nil && strings.TrimSpace(f.syntax.Doc.Text()) != ""
		})
		if !documented {
			t.Errorf("%s has no package comment: say what belongs there and what does not", folder)
		}
	}
}

func TestFileLengths(t *testing.T) {
	generated := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	walk(t, func(name string) {
		switch path.Ext(name) {
		case ".go", ".ts", ".tsx", ".css", ".sh", ".proto":
		default:
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines && !generated.Match(text) {
			t.Errorf("%s has %d lines, more than %d: perhaps two files in one", name, n, maxLines)
		}
	})
}

// codeName matches the content of a code span that names something exported:
// data.Builder, data.Builder.Finish, []data.Path, viz/ring.Sizing, cct.Build(…).
var codeName = regexp.MustCompile(`^[\[\]*&]*(?:[\w./-]+/)?([a-z]\w*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)(?:[\[({].*)?$`)

func TestArchitectureNames(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if os.IsNotExist(err) {
		t.Skip("there is no ARCHITECTURE.md")
	} else if err != nil {
		t.Fatal(err)
	}
	names := exportedNames(t)
	fenced := regexp.MustCompile("(?ms)^```.*?^```")
	blank := fenced.ReplaceAllFunc(text, func(b []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(b, []byte("\n"))) })
	span := regexp.MustCompile("`([^`\n]+)`")
	for i, line := range strings.Split(string(blank), "\n") {
		for _, m := range span.FindAllStringSubmatch(line, -1) {
			name := codeName.FindStringSubmatch(m[1])
			if name == nil || names[name[1]] == nil {
				continue
			}
			if !names[name[1]][name[2]] {
				t.Errorf("ARCHITECTURE.md:%d: `%s`: package %s has no %s", i+1, m[1], name[1], name[2])
			}
		}
	}
}

// exportedNames maps the names of our packages to what they export: Name, and
// Type.Member for methods and fields.
func exportedNames(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, files := range readPackages(t) {
		for _, file := range files {
			pkg := file.syntax.Name.Name
			if pkg == "main" {
				continue
			}
			if all[pkg] == nil {
				all[pkg] = map[string]bool{}
			}
			add := func(name string) { all[pkg][name] = true }
			for _, decl := range file.syntax.Decls {
				addDecl(decl, add)
			}
		}
	}
	return all
}

func addDecl(decl ast.Decl, add func(string)) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			add(decl.Name.Name)
		} else {
			add(typeName(decl.Recv.List[0].Type) + "." + decl.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					add(name.Name)
				}
			case *ast.TypeSpec:
				add(spec.Name.Name)
				var members *ast.FieldList
				switch def := spec.Type.(type) {
				case *ast.StructType:
					members = def.Fields
				case *ast.InterfaceType:
					members = def.Methods
				default:
					continue
				}
				for _, member := range members.List {
					for _, name := range member.Names {
						add(spec.Name.Name + "." + name.Name)
					}
					if len(member.Names) == 0 {
						add(spec.Name.Name + "." + typeName(member.Type))
					}
				}
			}
		}
	}
}

// typeName gives the name of a receiver's or an embedded field's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

type goFile struct {
	path   string
	syntax *ast.File
}

// readPackages parses what is compiled into a program or a library: all Go
// files but tests, by folder.
func readPackages(t *testing.T) map[string][]goFile {
	t.Helper()
	packages := map[string][]goFile{}
	set := token.NewFileSet()
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return
		}
		syntax, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(name)
		packages[folder] = append(packages[folder], goFile{name, syntax})
	})
	return packages
}

// walk visits the project's own files by their slash-separated path.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if !d.IsDir() {
			visit(name)
			return nil
		}
		base := path.Base(name)
		foreign := base == "node_modules" || base == "testdata" || name == "ui/dist" || name == "ui/src/gen" ||
			name == "bench/data" || name != "." && strings.HasPrefix(base, ".")
		// A module of its own, such as an example of a third party's, is no
		// part of the house.
		if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != "." {
			foreign = true
		}
		if foreign {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
