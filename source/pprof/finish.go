package pprof

import (
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// finish puts together what was read, now that strings are known.
func (d *decoder) finish() error {
	s := &d.samples
	refs := &references{}
	defer refs.warn(d.b.Warn)
	metrics, preferred := d.metrics(refs)
	if err := s.mismatch(len(metrics)); err != nil {
		return err
	}
	if s.n() == 0 {
		d.b.Warn("the profile has no samples")
	}
	if s.without.n > 0 {
		d.b.Warn("%d samples have no values and were left out, the first is %s", s.without.n, s.without.first)
	}
	if s.uneven.n > 0 {
		d.b.Warn("%d samples were left out because they do not have one value per sample type: %s", s.uneven.n, s.uneven.first)
	}

	p := s.profile
	p.AdoptMetrics(preferred, metrics...)
	e := &expansion{d: d, p: p, refs: refs, frames: make([]frame, len(d.tables.functions))}
	if err := e.run(); err != nil {
		return err
	}
	if t := &d.tables.manyLines; t.n > 0 {
		d.b.Warn("%d locations have more than %d inlined functions, of which only the outermost are shown: %s", t.n, maxLines, t.first)
	}
	if err := d.replayLabels(p, refs); err != nil {
		return err
	}
	return p.Finish()
}

// metrics gives the sample types and the index of the preferred one.
func (d *decoder) metrics(refs *references) (metrics []source.Metric, preferred int) {
	if len(d.types) == 0 && d.truncated {
		// No known writer puts sample types last, but the wire format lets it.
		d.types = make([]valueType, d.samples.width)
	}
	byDefault := d.str(d.defaultType, refs)
	preferred = len(d.types) - 1
	for _, t := range d.types {
		metrics = append(metrics, source.Metric{Name: d.str(t.name, refs), Unit: unit(d.str(t.unit, refs))})
	}
	for i, m := range metrics {
		if byDefault != "" && m.Name == byDefault {
			return metrics, i
		}
	}
	return metrics, preferred
}

func unit(text string) data.Unit { return data.Unit(strings.ToValidUTF8(text, "\uFFFD")) }

func (d *decoder) str(index int64, refs *references) string {
	s, ok := d.tables.str(index)
	if !ok {
		refs.strings.add("string %d of %d", index, len(d.tables.ends))
	}
	return s
}

// replayLabels hands the labels over sample by sample. Nothing happens for
// profiles without labels.
func (d *decoder) replayLabels(p *source.Profile, refs *references) error {
	labels := d.samples.labels
	if labels.Rows() == 0 {
		return nil
	}
	r := replay{d: d, p: p, refs: refs, names: numberNames{}, texts: map[uint32]*textLabel{}, numbers: map[[2]uint32]*source.Label{}}
	before := labelRef{sample: ^uint32(0)}
	var block data.Block
	at := 0
	return p.Relabel(func(sample int) error {
		if sample&0xffff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		for ; ; at++ {
			if at == block.Rows {
				at = 0
				if ok, err := labels.Take(&block); !ok || err != nil {
					block.Rows = 0
					return err
				}
			}
			l := labelAt(block, at)
			if int(l.sample) != sample {
				return nil
			}
			if before.sample == l.sample && before.key == l.key && (before.text == 0) == (l.text == 0) {
				d.b.Warn("a sample has several values of the label %q; the last is shown", r.str(l.key))
			}
			before = l
			if l.text != 0 {
				r.text(l)
			} else {
				r.number(l)
			}
		}
	})
}

// replay finds what labels are by the indexes of their strings, which are the
// same few again and again.
type replay struct {
	d       *decoder
	p       *source.Profile
	refs    *references
	names   numberNames
	texts   map[uint32]*textLabel       // key -> label
	numbers map[[2]uint32]*source.Label // key and unit -> label
}

type textLabel struct {
	*source.Label
	ids map[uint32]data.EntityID // text -> its number
}

func (r *replay) str(index uint32) string { return r.d.str(int64(index), r.refs) }

func (r *replay) text(l labelRef) {
	label := r.texts[l.key]
	if label == nil {
		label = &textLabel{r.p.LateLabel(r.str(l.key)), map[uint32]data.EntityID{}}
		r.texts[l.key] = label
	}
	id, ok := label.ids[l.text]
	if !ok {
		id = label.Intern(r.str(l.text))
		label.ids[l.text] = id
	}
	label.Set(id)
}

func (r *replay) number(l labelRef) {
	label, ok := r.numbers[[2]uint32{l.key, l.unit}]
	if !ok {
		key, of := r.str(l.key), r.str(l.unit)
		label = r.p.NumberLabel(r.names.take(key, of), unit(numberUnit(key, of)))
		r.numbers[[2]uint32{l.key, l.unit}] = label
	}
	label.SetNumber(l.number)
}

// labelAt gives a label that samples.keep kept.
func labelAt(block data.Block, row int) labelRef {
	at := func(column int) uint32 { return uint32(block.Columns[column].Refs[row]) }
	return labelRef{at(0), at(1), at(2), at(3), block.Columns[labelNumber].Values[row]}
}

// numberNames keeps numbers of one key and different units apart.
type numberNames map[string]string // key -> the unit it was first seen with

func (n numberNames) take(key, unit string) string {
	first, ok := n[key]
	if !ok {
		n[key] = unit
	}
	if !ok || first == unit {
		return key
	}
	return key + " (" + unit + ")"
}

// numberUnit is pprof's own guess for the labels that heap profiles carry
// without a unit.
func numberUnit(key, unit string) string {
	if unit == "" && (key == "bytes" || key == "request" || key == "alignment") {
		return "bytes"
	}
	return unit
}
