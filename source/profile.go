package source

import (
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/symbol"
)

// The types every profile has, whatever its format: a chart or a tree asks for
// these names.
const (
	TypeMethod  = "Method"
	TypeClass   = "Class"
	TypePackage = "Package"
	TypeFile    = "File"
	TypeBinary  = "Binary"
	TypeContext = "Context"
	TypeSample  = "Sample"
)

// Preferred is the property of the amount that a source recommends to look at
// first.
const Preferred data.Property = "preferred"

// Metric is an amount that every sample carries.
type Metric struct {
	Name        string
	Unit        data.Unit
	Description string
}

// Profile is the frame that readers of stack profiles share. It makes the
// entity types Method, Class, Package, File, Binary and Context (a method
// reached along one path of callers) and the event type Sample, whose fields
// are the context, the metrics and the labels. The hierarchy of classes and
// packages is derived from the methods' names (see [Program]).
//
// Usage: Method and Child build stacks from the outermost frame inwards,
// Sample adds an event, Finish defines the types on the builder.
type Profile struct {
	*Program
	// Contexts interns stacks. A reader whose file holds a tree already
	// (siblings of one method apart) leaves it alone and uses [Profile.AdoptContexts].
	Contexts *data.Trie

	// Moved gives the context of a sample for what Sample was told, in place of
	// its index: for readers that know stacks before they know what is on them.
	// It is looked at by Finish; nil if Sample was told contexts.
	Moved []data.EntityID

	// ByTime has Finish put samples in the order of what [Profile.Time] told,
	// for readers that get them thread by thread. Those of one time keep theirs.
	ByTime bool

	metrics   []Metric
	preferred int

	// Samples are a row each, until Finish. Columns of labels come when there
	// is a label, and those of metrics with the first sample.
	samples *data.Spool
	amounts []int // metric -> column
	labels  []*Label
	byKey   map[labelKey]*Label
	taken   []string // names of types that labels must not have
	failed  error    // why labels could not be added
}

// contextColumn is that of samples' contexts.
const contextColumn = 0

// Label is a column of samples: an entity of its own type (a text label) or a
// number.
type Label struct {
	p      *Profile
	key    string
	unit   data.Unit
	number bool
	time   bool            // a coordinate: see Time
	refers string          // an entity type that there is already
	moved  []data.EntityID // what was told -> its entity; nil if that was told
	used   bool            // a sample has it
	column int
	names  []string
	byName map[string]data.EntityID
}

// NewProfile starts a profile. lang may be symbol.Unknown: each method's
// language is then guessed from its name and file. preferred is the index of
// the metric to look at first.
func NewProfile(b *data.Builder, lang symbol.Language, preferred int, metrics ...Metric) *Profile {
	program := NewProgram(b, lang)
	program.complete = true
	return &Profile{
		Program:   program,
		Contexts:  data.NewTrie(0),
		metrics:   metrics,
		preferred: preferred,
		samples:   b.Spool(data.BatchRows, true),
		byKey:     map[labelKey]*Label{},
	}
}

// Child gives the context of method called from parent; None is no caller.
func (p *Profile) Child(parent, method data.EntityID) data.EntityID {
	return p.Contexts.Child(parent, method)
}

// AdoptContexts takes a tree that the file itself holds: parents (None for
// the outermost) must come before their children.
func (p *Profile) AdoptContexts(parents, methods []data.EntityID) {
	p.Contexts = &data.Trie{Parents: parents, Keys: methods}
}

// AdoptSamples takes whole columns of samples: a context each (None for an
// empty stack) and per metric a value each. It is for readers whose samples
// are in memory anyway, and bounded by something else than the file; samples
// that are added one by one need not be.
func (p *Profile) AdoptSamples(contexts []data.EntityID, values [][]int64) {
	columns, at := []data.Column{{Refs: contexts}}, []int{contextColumn}
	p.addAmounts()
	for m, v := range values {
		columns, at = append(columns, data.Column{Values: v}), append(at, p.amounts[m])
	}
	p.samples.Adopt(len(contexts), at, columns)
}

// addAmounts gives columns to the metrics that have none.
func (p *Profile) addAmounts() {
	for len(p.amounts) < len(p.metrics) {
		p.amounts = append(p.amounts, p.samples.AddColumn(false))
	}
}

// AddMetric adds a metric, and gives its index. Earlier samples have 0 of it.
func (p *Profile) AddMetric(m Metric) int {
	p.metrics = append(p.metrics, m)
	return len(p.metrics) - 1
}

// Sample adds a sample of context (None: an empty stack) with a value per
// metric.
func (p *Profile) Sample(context data.EntityID, values ...int64) {
	if len(p.amounts) < len(values) {
		p.addAmounts()
	}
	columns := p.samples.Row()
	columns[contextColumn].Refs = append(columns[contextColumn].Refs, context)
	for m, v := range values {
		at := p.amounts[m]
		if c := &columns[at]; len(c.Values) == len(columns[contextColumn].Refs)-1 {
			c.Values = append(c.Values, v)
		} else {
			p.samples.SetValue(at, v) // a metric that was added late
		}
	}
}

// SetMetric sets a metric of the last sample.
func (p *Profile) SetMetric(metric int, v int64) {
	p.addAmounts()
	p.samples.SetValue(p.amounts[metric], v)
}

// Samples is the number of samples so far.
func (p *Profile) Samples() int { return p.samples.Rows() }

// Finish defines the entity and event types and hands all elements to the
// builder.
func (p *Profile) Finish() error {
	if err := p.Program.Finish(); err != nil {
		return err
	}
	if err := p.finishContexts(); err != nil {
		return err
	}
	return p.finishSamples()
}

// Define does what Finish does for all but the samples, for formats whose
// events are more than that: their own types refer to what this defines. Files
// and binaries are defined if there are some.
func (p *Profile) Define() error {
	p.complete = false
	if err := p.Program.Finish(); err != nil {
		return err
	}
	return p.finishContexts()
}

func (p *Profile) finishContexts() error {
	contexts, err := p.b.EntityType(TypeContext, "a method reached along one path of callers",
		data.Ref("Caller", TypeContext, "the context it was called from", data.Hierarchy),
		data.Ref("Method", TypeMethod, "the method that was called"))
	if err != nil {
		return err
	}
	n := p.Contexts.Len()
	parents, methods := p.Contexts.Parents, p.Contexts.Keys
	if parents == nil {
		parents, methods = []data.EntityID{}, []data.EntityID{}
	}
	return contexts.Adopt(nil, n, data.Column{Refs: parents}, data.Column{Refs: methods})
}

func (p *Profile) finishSamples() error {
	if p.failed != nil {
		return p.failed
	}
	p.addAmounts()
	names := uniqueNames{TypeContext: true}
	fields := []data.Field{data.Ref(TypeContext, TypeContext, "the stack that was seen")}
	columns := []int{contextColumn}
	for i, m := range p.metrics {
		f := data.Value(names.take(m.Name, "value"), m.Unit, m.Description, data.Amount)
		if i == p.preferred {
			f.Properties = append(f.Properties, Preferred)
		}
		fields, columns = append(fields, f), append(columns, p.amounts[i])
	}
	types := uniqueNames{TypeMethod: true, TypeClass: true, TypePackage: true, TypeFile: true, TypeBinary: true, TypeContext: true, TypeSample: true}
	for _, name := range p.taken {
		types[name] = true
	}
	moved := map[int][]data.EntityID{} // field -> what was told -> what is meant
	if p.Moved != nil {
		moved[0] = p.Moved
	}
	for _, l := range p.labels {
		f, ok, err := l.finish(names, types)
		if err != nil {
			return err
		}
		if ok {
			if l.moved != nil {
				moved[len(fields)] = l.moved
			}
			fields, columns = append(fields, f), append(columns, l.column)
		}
	}
	samples, err := p.b.EventType(TypeSample, "a stack that was seen, with what it cost", fields...)
	if err != nil {
		return err
	}
	var rows data.Rows = p.samples
	if at, ok := p.byKey[timeKey]; ok && p.ByTime {
		if rows, err = p.samples.Sort(at.column); err != nil {
			return err
		}
	}
	return samples.AdoptSpool(rows, columns, func(_ int, columns []data.Column) error {
		for field, to := range moved {
			refs := columns[field].Refs
			for i, told := range refs {
				if told != data.None {
					refs[i] = to[told]
				}
			}
		}
		return nil
	})
}

// uniqueNames keeps names of one kind apart, whatever a file calls them.
type uniqueNames map[string]bool

func (u uniqueNames) take(name, fallback string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if name == "" {
		name = fallback
	}
	unique := name
	for i := 2; u[unique]; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	u[unique] = true
	return unique
}
