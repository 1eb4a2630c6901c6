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

	metrics   []Metric
	preferred int

	context []data.EntityID // per sample
	values  [][]int64       // metric -> sample -> value
	labels  []*label
	byKey   map[string]*label

	adopted bool
	taken   []string // names of types that labels must not have
}

// label is a column of samples: a name for each (a text label) or a number.
type label struct {
	key    string
	unit   data.Unit
	number bool
	time   bool   // a coordinate: see AdoptTime
	refers string // an entity type that there is already, of which refs are
	names  []string
	byName map[string]data.EntityID
	refs   []data.EntityID // sample -> name; shorter than the samples when the rest has none
	values []int64         // sample -> number; the rest is 0
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
		values:    make([][]int64, len(metrics)),
		byKey:     map[string]*label{},
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
	p.adopted = true
}

// AdoptSamples takes whole columns of samples: a context each (None for an
// empty stack) and per metric a value each.
func (p *Profile) AdoptSamples(contexts []data.EntityID, values [][]int64) {
	p.context, p.values = contexts, values
}

// Sample adds a sample of context (None: an empty stack) with a value per
// metric.
func (p *Profile) Sample(context data.EntityID, values ...int64) {
	p.context = append(p.context, context)
	for i := range p.values {
		p.values[i] = append(p.values[i], values[i])
	}
}

// Samples is the number of samples so far.
func (p *Profile) Samples() int { return len(p.context) }

// maxLabels bounds the columns that a file can make us keep.
const maxLabels = 64

// Label gives the last sample a text label. Of several of one key the last counts.
func (p *Profile) Label(key, value string) {
	l := p.label(key, "", false)
	if l == nil {
		return
	}
	id, ok := l.byName[value]
	if !ok {
		id = data.EntityID(len(l.names))
		l.names = append(l.names, strings.ToValidUTF8(value, "\uFFFD"))
		l.byName[value] = id
	}
	for len(l.refs) < len(p.context) {
		l.refs = append(l.refs, data.None)
	}
	l.refs[len(p.context)-1] = id
}

// Number gives the last sample a numeric label.
func (p *Profile) Number(key string, unit data.Unit, value int64) {
	l := p.label(key, unit, true)
	if l == nil {
		return
	}
	for len(l.values) < len(p.context) {
		l.values = append(l.values, 0)
	}
	l.values[len(p.context)-1] = value
}

func (p *Profile) label(key string, unit data.Unit, number bool) *label {
	mapKey := key
	if number {
		mapKey = "\x00" + key // a key may be used for texts and for numbers
	}
	if l, ok := p.byKey[mapKey]; ok {
		return l
	}
	if len(p.labels) == maxLabels {
		p.b.Warn("samples have more than %d different labels; the rest is left out", maxLabels)
		p.byKey[mapKey] = nil
		return nil
	}
	l := &label{key: key, unit: unit, number: number, byName: map[string]data.EntityID{}}
	p.labels = append(p.labels, l)
	p.byKey[mapKey] = l
	return l
}

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
	names := uniqueNames{TypeContext: true}
	if p.context == nil {
		p.context = []data.EntityID{}
	}
	fields := []data.Field{data.Ref(TypeContext, TypeContext, "the stack that was seen")}
	columns := []data.Column{{Refs: p.context}}
	for i, m := range p.metrics {
		f := data.Value(names.take(m.Name, "value"), m.Unit, m.Description, data.Amount)
		if i == p.preferred {
			f.Properties = append(f.Properties, Preferred)
		}
		if p.values[i] == nil {
			p.values[i] = []int64{}
		}
		fields = append(fields, f)
		columns = append(columns, data.Column{Values: p.values[i]})
	}
	types := uniqueNames{TypeMethod: true, TypeClass: true, TypePackage: true, TypeFile: true, TypeBinary: true, TypeContext: true, TypeSample: true}
	for _, name := range p.taken {
		types[name] = true
	}
	for _, l := range p.labels {
		name := names.take(l.key, "label")
		if l.number {
			for len(l.values) < len(p.context) {
				l.values = append(l.values, 0)
			}
			f := data.Value(name, l.unit, "a label of the sample")
			if l.time {
				f = data.Value(name, l.unit, "when the sample was taken", data.Coordinate)
			}
			fields = append(fields, f)
			columns = append(columns, data.Column{Values: l.values})
			continue
		}
		for len(l.refs) < len(p.context) {
			l.refs = append(l.refs, data.None)
		}
		if l.refers != "" {
			fields = append(fields, data.Ref(name, l.refers, "where the sample was taken"))
			columns = append(columns, data.Column{Refs: l.refs})
			continue
		}
		typeName := types.take(l.key, "label")
		t, err := p.b.EntityType(typeName, "the values of a label of samples")
		if err != nil {
			return err
		}
		if err := t.Adopt(l.names, len(l.names)); err != nil {
			return err
		}
		fields = append(fields, data.Ref(name, typeName, "a label of the sample"))
		columns = append(columns, data.Column{Refs: l.refs})
	}
	samples, err := p.b.EventType(TypeSample, "a stack that was seen, with what it cost", fields...)
	if err != nil {
		return err
	}
	return samples.Adopt(len(p.context), columns...)
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
