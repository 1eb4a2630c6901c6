package jfr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// table holds the events of a type, of all chunks. Its columns are those of all
// chunks too: what a later recording adds is empty before, and the other way
// round.
type table struct {
	name, description string
	columns           []column
	paths             []string // column -> path of its field
	byPath            map[string]int
	rows              *data.Spool
	time              int // column of the start, or -1
	last              int64
	sorted            bool
}

type column struct{ field data.Field }

// table gives the table of a class of events.
func (r *reader) table(class *class) *table {
	t := r.tables[class.name]
	if t == nil {
		t = &table{name: class.name, byPath: map[string]int{}, time: -1, sorted: true, rows: r.b.Spool(data.BatchRows)}
		r.tables[class.name] = t
	}
	switch {
	case t.description != "":
	case class.label != "" && class.description != "":
		t.description = class.label + ": " + class.description
	default:
		t.description = cmp.Or(class.label, class.description)
	}
	return t
}

// startField is the field with the time of an event.
const startField = "startTime"

// column gives the column of the field at a path, adding it if there is none. ok
// is false if there are too many.
func (t *table) column(path string, f data.Field) (at int, ok bool) {
	key := path + "\x00" + f.Refers + "\x00" + string(f.Unit) // another recording may mean something else by it
	if at, ok := t.byPath[key]; ok {
		return at, true
	}
	if len(t.columns) == maxColumns {
		return 0, false
	}
	if at = len(t.columns); path == startField && f.Has(data.Coordinate) {
		t.time = at
	}
	t.rows.AddColumn(f.IsReference())
	t.columns, t.paths = append(t.columns, column{f}), append(t.paths, path)
	t.byPath[key] = at
	return at, true
}

// at finds the column of the field at a path that refers to an entity type, or,
// if that is "", holds numbers; -1 if there is none.
func (t *table) at(path, refers string) int {
	for i, p := range t.paths {
		if p == path && t.columns[i].field.Refers == refers {
			return i
		}
	}
	return -1
}

func (t *table) add(row []int64) {
	first := t.rows.Rows() == 0
	t.rows.Row()
	for i, v := range row {
		if t.columns[i].field.IsReference() {
			t.rows.SetRef(i, data.EntityID(v))
			continue
		}
		if i == t.time {
			t.sorted = t.sorted && (first || v >= t.last)
			t.last = v
		}
		t.rows.SetValue(i, v)
	}
}

// finish defines the event type and hands on its events, by time: in a file they
// are in the order in which threads handed over what they had gathered.
func (t *table) finish(b *data.Builder, name string) error {
	taken := map[string]bool{}
	fields, columns := make([]data.Field, len(t.columns)), make([]int, len(t.columns))
	for i, c := range t.columns {
		fields[i], columns[i] = c.field, i
		fields[i].Name = unique(taken, cmp.Or(c.field.Name, "field"))
	}
	events, err := b.EventType(name, t.description, fields...)
	if err != nil {
		return err
	}
	rows := data.Rows(t.rows)
	if !t.sorted {
		if rows, err = t.rows.Sort(t.time); err != nil {
			return err
		}
	}
	return events.AdoptSpool(rows, columns, nil)
}

// finish warns of what did not fit together, defines all types and hands on all
// elements.
func (r *reader) finish() error {
	r.warn()
	if err := r.profile.Define(); err != nil {
		return err
	}
	entities := func(name, description string, names []string) error {
		e, err := r.b.EntityType(name, description)
		if err == nil {
			err = e.Adopt(names, len(names))
		}
		return err
	}
	if names := r.threads.finish(); len(names) > 0 || r.refersTo(source.TypeThread) {
		if err := entities(source.TypeThread, "a thread", names); err != nil {
			return err
		}
	}
	if r.refersTo(typeText) {
		if err := entities(typeText, "what the fields that are texts say", r.texts.all); err != nil {
			return err
		}
	}
	if r.refersTo(typeBoolean) {
		if err := entities(typeBoolean, "whether something is so", []string{"false", "true"}); err != nil {
			return err
		}
	}
	for _, k := range r.allKinds {
		if err := entities(k.title, k.description, k.all); err != nil {
			return err
		}
	}
	if err := r.samples.finish(r.ctx, r.b); err != nil {
		return err
	}
	tables := make([]*table, 0, len(r.tables))
	for _, t := range r.tables {
		tables = append(tables, t)
	}
	slices.SortFunc(tables, func(a, b *table) int { return cmp.Compare(a.name, b.name) })
	for _, t := range tables {
		if t.rows.Rows() == 0 {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := t.finish(r.b, unique(r.types, cmp.Or(t.name, "event"))); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) refersTo(entityType string) bool {
	for _, t := range r.tables {
		for _, c := range t.columns {
			if c.field.Refers == entityType {
				return true
			}
		}
	}
	return false
}

func (r *reader) warn() {
	r.b.WarnCount(r.unknown, "%d events are of types that the metadata does not describe, and were left out")
	r.b.WarnCount(r.broken, "%d events end before all of their fields, and were left out")
	r.b.WarnCount(r.missing, "%d references lead to constants that are not in the file")
	if r.cut > 0 {
		r.b.Warn("%d of %d different stacks were cut off by the recorder and lack their outermost frames (its option stackdepth)", r.cut, r.stacked)
	}
	if r.timeless {
		r.b.Warn("the recording does not tell how long its ticks are; they are taken for nanoseconds")
	}
	if len(r.leftOut) > 0 {
		var fields []string
		for f := range r.leftOut {
			fields = append(fields, f)
		}
		slices.Sort(fields)
		more := ""
		if n := len(fields) - shownFields; n > 0 {
			fields, more = fields[:shownFields], " and others"
		}
		r.b.Warn("fields that are lists, or that refer back to what they are in, were left out: %s%s", strings.Join(fields, ", "), more)
	}
	if n := len(r.samples.unmeasured); n > 0 {
		r.b.Warn("of the types of events with stacks, %d are no metrics: there are more than %d", n, maxMetrics)
	}
}

// shownFields is how many fields a warning names.
const shownFields = 12

// unique gives a name that is not taken yet, and takes it.
func unique(taken map[string]bool, name string) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s (%d)", name, i)
	}
	taken[free] = true
	return free
}
