// Package evolve reads the traces of method invocations that EVolve's case
// study uses:
//
//	M: java.lang.Math.max(int,int) 115
//	L: java.util.jar.Manifest.read()#18 238
//	I: 151347 238 115
//
// M names a method, L a location in a method (caller#offset of the bytecode), I
// is an invocation: bytecodes executed so far, location, method that was
// invoked.
//
// Definition: Wang, EVolve: An Extensible Software Visualization Framework,
// McGill 2002, table 5.1; see docs/formats.md.
//
// Supported: definitions before, between and after the invocations that refer
// to them, ids with gaps, names with blanks in them (the id follows the last).
//
// Ignored: nothing. Lines that are none of the three are left out with a
// warning. A name is what it names: two ids of one name are the same method.
//
// Strategy: a definition may come after its first use, so ids are numbered as
// they are mentioned; what the numbers stand for is put in at the end.
package evolve

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/symbol"
)

func init() {
	source.Register(source.Format{
		Name:  "evolve",
		Title: "EVolve trace of method invocations",
		Order: 50, // its lines are short, and only alike
		Sniff: sniff,
		Read:  read,
	})
}

// sniffLines is how many lines must be of the format to be sure enough.
const sniffLines = 10

func sniff(head []byte) bool {
	whole := len(head) < source.SniffBytes
	seen := 0
	for seen < sniffLines && len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if !ended && (!whole || seen > 0) {
			break // cut off
		}
		head = rest
		if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) == 0 {
			continue
		}
		if newReader().line(line) != nil {
			return false
		}
		seen++
	}
	return seen > 0
}

func read(ctx context.Context, in *source.Input, b *data.Builder) error {
	r := newReader()
	if err := r.begin(b); err != nil {
		return err
	}
	if err := source.EachLine(ctx, in, b, r.line); err != nil {
		return err
	}
	return r.finish(b)
}

type reader struct {
	methods, locations table

	// Invocations that the builder does not have yet, in the order they occurred.
	bytecodes []int64
	at        []data.EntityID // rows of locations
	targets   []data.EntityID // rows of methods
	last      int64           // bytecodes of the last one
	count     int

	// What the builder has: nil while a head is only looked at. ids are by row.
	b           *data.Builder
	program     *source.Program
	places      *data.EntityBuilder
	invocations *data.EventBuilder
	methodIDs   []data.EntityID
	locationIDs []data.EntityID
	failed      error // what ended handing on; no fault of a line

	falls, firstFall int // how often fewer bytecodes follow more, and the first invocation of them, from 1
}

func newReader() *reader {
	return &reader{methods: newTable("method"), locations: newTable("location")}
}

func (r *reader) line(line []byte) error {
	if len(line) > 2 && line[1] == ':' {
		switch rest := line[2:]; line[0] {
		case 'I':
			if r.invocation(rest) {
				return nil
			}
		case 'M':
			if name, id, ok := definition(rest); ok {
				return r.methods.define(id, name)
			}
		case 'L':
			if name, id, ok := definition(rest); ok {
				return r.locations.define(id, name)
			}
		}
	}
	return fmt.Errorf("expected M: method id, L: location id or I: bytecodes location method, but found %s", source.Quote(line))
}

// definition splits "name id".
func definition(text []byte) (name []byte, id int64, ok bool) {
	text = bytes.TrimRight(text, " \t")
	blank := bytes.LastIndexAny(text, " \t")
	if blank < 0 {
		return nil, 0, false
	}
	id, rest, ok := source.Number(text[blank+1:])
	name = bytes.Trim(text[:blank], " \t")
	return name, id, ok && len(rest) == 0 && len(name) > 0
}

func (r *reader) invocation(text []byte) bool {
	var numbers [3]int64
	for i := range numbers {
		before := len(text)
		text = trimBlanks(text)
		if i > 0 && len(text) == before {
			return false
		}
		var ok bool
		if numbers[i], text, ok = source.Number(text); !ok {
			return false
		}
	}
	if numbers[0] < 0 || len(trimBlanks(text)) > 0 {
		return false
	}
	if len(r.bytecodes) >= data.BatchRows && len(r.bytecodes)%data.BatchRows == 0 && r.b != nil && r.allDefined() {
		r.flush()
	}
	r.count++
	if r.count > 1 && numbers[0] < r.last {
		if r.falls++; r.falls == 1 {
			r.firstFall = r.count
		}
	}
	r.last = numbers[0]
	r.bytecodes = append(r.bytecodes, numbers[0])
	r.at = append(r.at, r.locations.row(numbers[1]))
	r.targets = append(r.targets, r.methods.row(numbers[2]))
	return true
}

func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// noOffset stands for the offset of a location that does not tell it.
const noOffset = -1

// begin defines what does not depend on the program's names.
func (r *reader) begin(b *data.Builder) (err error) {
	r.b, r.program = b, source.NewProgram(b, symbol.Java)
	r.places, err = b.EntityType("Location", "a place in a method that invokes others",
		data.Ref("Caller", source.TypeMethod, "the method that the location is in"),
		data.Value("Offset", "", "offset of the bytecode in its method; -1 if not known", data.Coordinate))
	if err != nil {
		return err
	}
	r.invocations, err = b.EventType("Invocation", "a method was invoked",
		data.Value("Bytecode", "count", "bytecodes executed so far", data.Coordinate),
		data.Ref("Location", "Location", "where it was invoked"),
		data.Ref("Method", source.TypeMethod, "the method that was invoked"))
	return err
}

// allDefined tells whether everything that was mentioned has its name: it may
// come after the first mention, and nothing is handed on before.
func (r *reader) allDefined() bool { return r.methods.defined() && r.locations.defined() }

// flush hands on what was read: a builder may keep it on disk.
func (r *reader) flush() {
	if r.failed != nil {
		return
	}
	for row := len(r.methodIDs); row < r.methods.len(); row++ {
		r.methodIDs = append(r.methodIDs, r.program.Method(source.Frame{Name: r.methods.name(r.b, row)}))
	}
	for row := len(r.locationIDs); row < r.locations.len(); row++ {
		s := newSite(r.locations.name(r.b, row))
		if s.caller != "" {
			s.method = r.program.Method(source.Frame{Name: s.caller})
		} else if r.locations.names[row] != "" {
			r.b.Warn("location %s does not end in #offset, so its method is not known", source.Quote([]byte(s.name)))
		}
		id, err := r.places.Intern(strings.ToValidUTF8(s.name, "\uFFFD"), int64(s.method), s.offset)
		if err != nil {
			r.failed = err
			return
		}
		r.locationIDs = append(r.locationIDs, id)
	}
	replace(r.at, r.locationIDs)
	replace(r.targets, r.methodIDs)
	r.failed = r.invocations.Append(len(r.bytecodes), data.Column{Values: r.bytecodes}, data.Column{Refs: r.at}, data.Column{Refs: r.targets})
	r.bytecodes, r.at, r.targets = r.bytecodes[:0], r.at[:0], r.targets[:0]
}

func (r *reader) finish(b *data.Builder) error {
	if r.count == 0 {
		b.Warn("there are no invocations in the file")
	}
	if r.falls > 0 {
		b.Warn("fewer executed bytecodes follow more, first at invocation %d (in all: %d); the order of the file is kept", r.firstFall, r.falls)
	}
	r.flush()
	if r.failed != nil {
		return r.failed
	}
	return r.program.Finish()
}

// replace puts in place of every row what it became.
func replace(rows, by []data.EntityID) {
	for i, row := range rows {
		rows[i] = by[row]
	}
}

// site is a location taken apart.
type site struct {
	name   string
	caller string        // "" if the name does not tell it
	method data.EntityID // the caller
	offset int64
}

func newSite(name string) site {
	s := site{name: name, method: data.None, offset: noOffset}
	if hash := strings.LastIndexByte(name, '#'); hash > 0 {
		if n, rest, ok := source.Number([]byte(name[hash+1:])); ok && len(rest) == 0 && n >= 0 {
			s.caller, s.offset = name[:hash], n
		}
	}
	return s
}

// table numbers what a file refers to by ids, in the order of first mention.
type table struct {
	what  string // for messages
	rows  map[int64]data.EntityID
	ids   []int64  // row -> id
	names []string // row -> name, "" as long as it is not defined
	named int      // rows before this one are known to have their names
}

func newTable(what string) table { return table{what: what, rows: map[int64]data.EntityID{}} }

func (t *table) len() int { return len(t.ids) }

// defined tells whether every row has its name.
func (t *table) defined() bool {
	for ; t.named < len(t.names); t.named++ {
		if t.names[t.named] == "" {
			return false
		}
	}
	return true
}

func (t *table) row(id int64) data.EntityID {
	row, ok := t.rows[id]
	if !ok {
		row = data.EntityID(len(t.ids))
		t.rows[id] = row
		t.ids = append(t.ids, id)
		t.names = append(t.names, "")
	}
	return row
}

func (t *table) define(id int64, name []byte) error {
	known := &t.names[t.row(id)]
	if *known != "" && *known != string(name) {
		return fmt.Errorf("the id %d is that of %s %s already", id, t.what, source.Quote([]byte(*known)))
	}
	*known = string(name)
	return nil
}

// name gives a name also to what is only referred to, so that its invocations
// are not lost.
func (t *table) name(b *data.Builder, row int) string {
	if t.names[row] != "" {
		return t.names[row]
	}
	b.Warn("%s %d is not defined in the file", t.what, t.ids[row])
	return fmt.Sprintf("[%s %d, not defined]", t.what, t.ids[row])
}
