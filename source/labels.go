package source

import (
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// maxLabels bounds the columns that a file can make us keep.
const maxLabels = 64

// Label gives the last sample a text label. Of several of one key the last counts.
func (p *Profile) Label(key, value string) {
	l := p.label(key, "", false)
	l.Set(l.Intern(value))
}

// Intern gives the number of a text, for Set. It does not go with Name.
func (l *Label) Intern(text string) data.EntityID {
	if l == nil {
		return data.None
	}
	id, ok := l.byName[text]
	if !ok {
		id = data.EntityID(len(l.names))
		l.names = append(l.names, strings.ToValidUTF8(text, "\uFFFD"))
		l.byName[text] = id
	}
	return id
}

// Number gives the last sample a numeric label.
func (p *Profile) Number(key string, unit data.Unit, value int64) {
	p.NumberLabel(key, unit).SetNumber(value)
}

// Time tells when the last sample was taken: a coordinate, which charts can lay
// events along.
func (p *Profile) Time(unit data.Unit, at int64) { p.TimeLabel(unit).SetNumber(at) }

// TimeLabel is the label that Time sets, for those who set it often.
func (p *Profile) TimeLabel(unit data.Unit) *Label {
	l := p.label(timeKey.key, unit, timeKey.number)
	if l != nil {
		l.time = true
	}
	return l
}

var timeKey = labelKey{"Time", true}

// LateLabel gives a text label that is told by the number of its text, as long
// as the texts are not known. A label that has not been named when the profile
// is finished, or that no sample has, is left out. The result is nil if there
// are too many.
func (p *Profile) LateLabel(key string) *Label { return p.label(key, "", false) }

// NumberLabel gives a numeric label, for SetNumber. The result is nil if there are
// too many.
func (p *Profile) NumberLabel(key string, unit data.Unit) *Label { return p.label(key, unit, true) }

// Relabel goes through all samples again, and calls label after each, which may
// then label it: for readers that learn last what labels mean.
func (p *Profile) Relabel(label func(sample int) error) error {
	told := p.samples
	p.samples = p.b.Spool(data.BatchRows, told.Refs()...)
	var block data.Block
	for sample := 0; ; {
		ok, err := told.Take(&block)
		if err != nil || !ok {
			return err
		}
		for row := range block.Rows {
			columns := p.samples.Row()
			for i, c := range block.Columns {
				if c.Refs != nil {
					columns[i].Refs = append(columns[i].Refs, c.Refs[row])
				} else {
					columns[i].Values = append(columns[i].Values, c.Values[row])
				}
			}
			if err := label(sample); err != nil {
				return err
			}
			sample++
		}
	}
}

// Set gives the last sample a text by its number.
func (l *Label) Set(id data.EntityID) {
	if l != nil {
		l.used = true
		l.p.samples.SetRef(l.column, id)
	}
}

// SetNumber gives the last sample a number.
func (l *Label) SetNumber(v int64) {
	if l != nil {
		l.used = true
		l.p.samples.SetValue(l.column, v)
	}
}

// Name tells the texts, by their numbers. Texts may be equal: they then name
// different things.
func (l *Label) Name(texts []string) {
	if l == nil {
		return
	}
	l.names = make([]string, len(texts))
	for i, text := range texts {
		l.names[i] = strings.ToValidUTF8(text, "\uFFFD")
	}
}

func (p *Profile) label(key string, unit data.Unit, number bool) *Label {
	at := labelKey{key, number}
	if l, ok := p.byKey[at]; ok {
		return l
	}
	l := p.AddLabel(key, unit, number)
	p.byKey[at] = l
	return l
}

// labelKey finds a label: a key may be used for texts and for numbers.
type labelKey struct {
	key    string
	number bool
}

// AddLabel adds a label even if its key is taken; its name then is another.
// The result is nil if there are too many.
func (p *Profile) AddLabel(key string, unit data.Unit, number bool) *Label {
	if len(p.labels) == maxLabels {
		p.b.Warn("samples have more than %d different labels; the rest is left out", maxLabels)
		return nil
	}
	l := p.newLabel(key, unit, number)
	p.labels = append(p.labels, l)
	return l
}

func (p *Profile) newLabel(key string, unit data.Unit, number bool) *Label {
	return &Label{p: p, key: key, unit: unit, number: number, column: p.samples.AddColumn(!number), byName: map[string]data.EntityID{}}
}

// finish gives the field of a label, and defines the type of its texts.
func (l *Label) finish(names, types uniqueNames) (f data.Field, ok bool, err error) {
	if !l.used || !l.number && l.names == nil && l.refers == "" {
		return f, false, nil
	}
	name := names.take(l.key, "label")
	switch {
	case l.time:
		return data.Value(name, l.unit, "when the sample was taken", data.Coordinate), true, nil
	case l.number:
		return data.Value(name, l.unit, "a label of the sample"), true, nil
	case l.refers != "":
		return data.Ref(name, l.refers, "where the sample was taken"), true, nil
	}
	typeName := types.take(l.key, "label")
	t, err := l.p.b.EntityType(typeName, "the values of a label of samples")
	if err != nil {
		return f, false, err
	}
	return data.Ref(name, typeName, "a label of the sample"), true, t.Adopt(l.names, len(l.names))
}

// AdoptLabel takes a whole column of a text label: for each sample the index of
// a name, or None. Names may be equal: they then name different things.
func (p *Profile) AdoptLabel(key string, names []string, refs []data.EntityID) {
	if l := p.LateLabel(key); l != nil {
		l.Name(names)
		l.used = true
		if !p.samples.AdoptColumn(l.column, data.Column{Refs: refs}) {
			p.failed = p.Relabel(func(sample int) error { l.Set(refs[sample]); return nil })
		}
	}
}

// AdoptTime takes the times at which the samples were taken, one each: a
// coordinate, which charts can lay events along.
func (p *Profile) AdoptTime(unit data.Unit, times []int64) {
	if l := p.label("Time", unit, true); l != nil {
		l.time, l.used = true, true
		if !p.samples.AdoptColumn(l.column, data.Column{Values: times}) {
			p.failed = p.Relabel(func(sample int) error { l.SetNumber(times[sample]); return nil })
		}
	}
}

// AdoptMetrics replaces the metrics given to [NewProfile], for readers that
// know them only at the end. Those that there were before keep their values.
func (p *Profile) AdoptMetrics(preferred int, metrics ...Metric) {
	p.preferred, p.metrics = preferred, metrics
}

// ArrangeMetrics replaces the metrics that were added, for readers that know
// only at the end which there are: the first is what was added as order[0].
func (p *Profile) ArrangeMetrics(preferred int, order []int, metrics ...Metric) {
	p.addAmounts()
	amounts := make([]int, len(order))
	for i, added := range order {
		amounts[i] = p.amounts[added]
	}
	p.preferred, p.metrics, p.amounts = preferred, metrics, amounts
}
