package viz

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
	"github.com/cambium-prof/cambium/symbol"
)

// Program is what all charts of a data set share about its methods: short
// names and colours, so that a method looks the same in every chart. Slices
// are by method id.
type Program struct {
	Names    []symbol.Name
	Short    []string // class and method, for labels
	Packages []string // the qualified package, "" if the name has none

	// Compacted tells that the names are compacted: prefixes of methods' names.
	Compacted bool

	set      *data.Set
	methods  *data.EntityTable  // nil if the data set has none
	spans    map[string]hueSpan // package -> its part of the circle of hues
	ownSpans bool               // and of no other program

	byMethod  [2][]scene.Color // light, dark
	byPackage [2][]scene.Color
	groups    [2]map[string]scene.Color // package -> the colour its legend shows
}

// typeMethod is the entity type of methods in data sets without a tree.
const typeMethod = "Method"

// NewProgram prepares the names and colours for a data set and its tree, which
// is nil if it has none.
func NewProgram(set *data.Set, t *cct.Tree) *Program {
	methods := set.Entity(typeMethod)
	if t != nil {
		methods = t.Methods
	}
	if methods == nil || methods.Names == nil {
		return &Program{set: set}
	}
	n := methods.Rows()
	p := &Program{set: set, methods: methods, Names: make([]symbol.Name, n), Short: make([]string, n), Packages: make([]string, n)}
	for m := range n {
		p.Names[m] = symbol.Split(symbol.Unknown, methods.Names[m], mention(set, methods, "File", m), mention(set, methods, "Binary", m))
		p.Short[m] = short(p.Names[m])
		p.Packages[m] = p.Names[m].PackageName(len(p.Names[m].Package))
	}
	p.colour(t)
	return p
}

// mention is the name of the entity that a method's field refers to, if any.
func mention(set *data.Set, methods *data.EntityTable, field string, m int) string {
	i := methods.Field(field)
	if i < 0 || !methods.Fields[i].IsReference() {
		return ""
	}
	return set.Entity(methods.Fields[i].Refers).NameOf(methods.Columns[i].Refs[m])
}

func short(name symbol.Name) string {
	method := name.Method
	if name.Language == symbol.Java {
		// A descriptor tells overloads apart, but is no part of a label.
		if i := strings.IndexByte(method, '('); i > 0 {
			method = method[:i]
		}
	}
	switch {
	case name.Class != "":
		return name.Class + "." + method
	case len(name.Package) > 0 && (name.Language == symbol.Go || name.Language == symbol.Rust || name.Language == symbol.Python):
		// There a function is mentioned with its package: pprof.Do.
		own := name.Package[len(name.Package)-1]
		if name.Language == symbol.Rust {
			return own + "::" + method
		}
		return own + "." + method
	}
	return method
}

// colouredAs gives the same names with the hues that packages have in another
// program.
func (p *Program) colouredAs(base *Program) *Program {
	if base.spans == nil || p.methods == nil {
		return p
	}
	q := &Program{Names: p.Names, Short: p.Short, Packages: p.Packages, set: p.set, methods: p.methods, spans: base.spans}
	q.paint()
	return q
}

// PackageColor is the colour that stands for a package in a legend.
func (p *Program) PackageColor(name string, dark bool) scene.Color {
	return p.groups[theme(dark)][name]
}

// MethodColors gives a stable hue per method name, the same in every run.
func (p *Program) MethodColors(dark bool) []scene.Color { return p.byMethod[theme(dark)] }

// PackageColors gives close hues to methods that are close in the program.
func (p *Program) PackageColors(dark bool) []scene.Color { return p.byPackage[theme(dark)] }

func theme(dark bool) int {
	if dark {
		return 1
	}
	return 0
}

// Lightness and chroma per theme: light enough for dark ink, and at least 3:1
// against the page.
var tones = [2]struct{ light, chroma float64 }{{0.66, 0.125}, {0.70, 0.115}}

// colour spreads the hues. By package, the packages in the order of the
// hierarchy share the circle in proportion to the square root of what they
// cost themselves: what costs much can be told apart within, and what costs
// little does not crowd it out.
func (p *Program) colour(t *cct.Tree) {
	cost := map[string]float64{}
	if t != nil && len(t.Metrics) > 0 {
		for _, c := range cct.Methods(t, cct.Root, t.Preferred) {
			if pkg := p.Packages[c.Method]; pkg != "" { // those without one have hues of their own
				cost[pkg] += max(float64(c.Self), 0)
			}
		}
	}
	names := make([]string, 0, len(cost))
	whole := 0.0
	for name := range cost {
		names = append(names, name)
		cost[name] = math.Sqrt(cost[name]) + 1
		whole += cost[name]
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(a, b) })
	p.spans = map[string]hueSpan{}
	at := 0.0
	for _, name := range names {
		// 330 of 360 degrees: the first and the last package do not meet.
		width := 330 * cost[name] / whole
		p.spans[name] = hueSpan{20 + at, width}
		at += width
	}
	p.paint()
}

// hueSpan is a part of the circle of hues, in degrees.
type hueSpan struct{ from, width float64 }

// paint makes the colours of spans and names.
func (p *Program) paint() {
	p.groupColors()
	for th, tone := range tones {
		p.byMethod[th], p.byPackage[th] = make([]scene.Color, len(p.Names)), make([]scene.Color, len(p.Names))
		for m := range p.Names {
			h := scene.Hash(p.methods.NameOf(data.EntityID(m)))
			hue := float64(h%3600) / 10
			step := float64(h>>16%1000)/1000 - 0.5 // -0.5 … 0.5
			p.byMethod[th][m] = scene.OKLCH(tone.light+0.06*step, tone.chroma, hue)
			pkg := p.Packages[m]
			if s, ok := p.spans[pkg]; ok && pkg != "" {
				class := scene.Hash(p.Names[m].Class)
				within := float64(class%1000)/1000 - 0.5
				if p.Compacted && p.Names[m].Class == "" && p.Names[m].Method == "" {
					within, step = 0, 0 // the package itself
				}
				hue = s.from + s.width/2 + within*min(s.width, 40)*0.7
				p.byPackage[th][m] = scene.OKLCH(tone.light+0.07*step, tone.chroma, hue)
			} else {
				p.byPackage[th][m] = p.byMethod[th][m]
			}
		}
	}
}
