package pprof

// tables are what samples refer to, as numbers: strings come last in a file.
// Rows are numbered as their ids first appear, whether referred to or defined.
type tables struct {
	locations []location // row of samples.locations -> what is known
	lines     []line     // of all locations
	functions []function
	mappings  []mapping

	locationIDs *ids
	functionIDs ids
	mappingIDs  ids

	text []byte // all strings
	ends []int  // string -> its end in text

	manyLines problem
}

// maxLines is how many functions inlined into one another are kept of one
// location; the deepest seen in a real program is below a hundred.
const maxLines = 1000

type location struct {
	defined  bool
	mapping  uint32 // row + 1, 0 for none
	address  uint64
	from, to int // lines, innermost first
}

type line struct {
	function uint32 // row + 1, 0 for none
	line     int64
}

type function struct {
	defined            bool
	name, system, file int64
	start              int64
}

type mapping struct {
	defined       bool
	start, offset uint64
	file          int64
}

// at makes room for a row and gives it.
func at[T any](rows *[]T, row uint32) *T {
	for uint32(len(*rows)) <= row {
		var zero T
		*rows = append(*rows, zero)
	}
	return &(*rows)[row]
}

// get gives a row that may lie beyond what was defined.
func get[T any](rows []T, row uint32) (v T) {
	if row < uint32(len(rows)) {
		v = rows[row]
	}
	return v
}

func decodeValueType(b []byte) (t valueType, err error) {
	m := message{rest: b}
	for {
		more, err := m.next()
		if !more || err != nil {
			return t, err
		}
		switch {
		case m.is(1):
			t.name = int64(m.val)
		case m.is(2):
			t.unit = int64(m.val)
		}
	}
}

func (t *tables) addMapping(b []byte) error {
	var id uint64
	row := mapping{defined: true}
	m := message{rest: b}
	for {
		more, err := m.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case m.is(1):
			id = m.val
		case m.is(2):
			row.start = m.val
		case m.is(4):
			row.offset = m.val
		case m.is(5):
			row.file = int64(m.val)
		}
	}
	*at(&t.mappings, t.mappingIDs.of(id)) = row
	return nil
}

func (t *tables) addLocation(b []byte) error {
	var id uint64
	row := location{defined: true, from: len(t.lines)}
	m := message{rest: b}
	for {
		more, err := m.next()
		if err != nil {
			t.lines = t.lines[:row.from]
			return err
		}
		if !more {
			break
		}
		switch {
		case m.is(1):
			id = m.val
		case m.is(2):
			if m.val != 0 {
				row.mapping = t.mappingIDs.of(m.val) + 1
			}
		case m.is(3):
			row.address = m.val
		case m.num == 4 && m.wire == wireBytes:
			l, err := t.line(m.body)
			if err != nil {
				t.lines = t.lines[:row.from]
				return err
			}
			t.lines = append(t.lines, l)
		}
	}
	if n := len(t.lines) - row.from; n > maxLines {
		t.manyLines.add("location %d has %d", id, n)
		kept := copy(t.lines[row.from:], t.lines[len(t.lines)-maxLines:]) // the outermost
		t.lines = t.lines[:row.from+kept]
	}
	row.to = len(t.lines)
	*at(&t.locations, t.locationIDs.of(id)) = row
	return nil
}

func (t *tables) line(b []byte) (l line, err error) {
	m := message{rest: b}
	for {
		more, err := m.next()
		if !more || err != nil {
			return l, err
		}
		switch {
		case m.is(1):
			l.function = 0
			if m.val != 0 {
				l.function = t.functionIDs.of(m.val) + 1
			}
		case m.is(2):
			l.line = int64(m.val)
		}
	}
}

func (t *tables) addFunction(b []byte) error {
	var id uint64
	row := function{defined: true}
	m := message{rest: b}
	for {
		more, err := m.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case m.is(1):
			id = m.val
		case m.is(2):
			row.name = int64(m.val)
		case m.is(3):
			row.system = int64(m.val)
		case m.is(4):
			row.file = int64(m.val)
		case m.is(5):
			row.start = int64(m.val)
		}
	}
	*at(&t.functions, t.functionIDs.of(id)) = row
	return nil
}

func (t *tables) addString(b []byte) {
	t.text = append(t.text, b...)
	t.ends = append(t.ends, len(t.text))
}

// str gives a string of the table as it is, whether UTF-8 or not: names that
// differ only in broken bytes are different. The first is the empty one by
// definition.
func (t *tables) str(index int64) (s string, ok bool) {
	if index == 0 {
		return "", true
	}
	if index < 0 || index >= int64(len(t.ends)) {
		return "", false
	}
	return string(t.text[t.ends[index-1]:t.ends[index]]), true
}

// references are what the file refers to and does not define: one warning for
// each kind.
type references struct{ strings, locations, functions, mappings problem }

func (r *references) warn(warn func(format string, args ...any)) {
	for _, kind := range []struct {
		problem
		what string
	}{{r.strings, "strings"}, {r.locations, "locations"}, {r.functions, "functions"}, {r.mappings, "mappings"}} {
		if kind.n > 0 {
			warn("%s are referred to that are not in the file, and shown as unknown: %s (%d in all)", kind.what, kind.first, kind.n)
		}
	}
}
