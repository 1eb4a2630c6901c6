package gecko

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// texts are the strings of a thread, or of all threads, one behind the other.
type texts struct {
	bytes []byte
	ends  []int // of each, in bytes
	told  bool
}

// add takes a string as the file has it, or anything else as its text.
func (t *texts) add(raw []byte) {
	switch {
	case string(raw) == "null":
	case len(raw) < 2 || raw[0] != '"':
		t.bytes = append(t.bytes, raw...)
	case bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw):
		t.bytes = append(t.bytes, raw[1:len(raw)-1]...)
	default:
		t.bytes = append(t.bytes, plain(raw)...)
	}
	t.ends = append(t.ends, len(t.bytes))
}

// at gives string i, or "" if there is none.
func (t *texts) at(i int64) string {
	if i < 0 || i >= int64(len(t.ends)) {
		return ""
	}
	from := 0
	if i > 0 {
		from = t.ends[i-1]
	}
	return string(t.bytes[from:t.ends[i]])
}

// names are names of entities, in the order in which they turned up.
type names struct {
	all    []string
	byName map[string]data.EntityID
}

// of gives the number of a name; None is that of "".
func (n *names) of(name string) data.EntityID {
	if name == "" {
		return data.None
	}
	id, ok := n.byName[name]
	if !ok {
		if n.byName == nil {
			n.byName = map[string]data.EntityID{}
		}
		id = data.EntityID(len(n.all))
		n.all = append(n.all, name)
		n.byName[name] = id
	}
	return id
}

// at gives the name of a number.
func (n *names) at(id data.EntityID) string {
	if id == data.None {
		return ""
	}
	return n.all[id]
}

// define makes entities of those names that are referred to, in the order of
// that: it gives what puts entities in place of numbers.
func (n *names) define(in *data.EntityBuilder) func(refs []data.EntityID) error {
	entities := make([]data.EntityID, len(n.all))
	for i := range entities {
		entities[i] = data.None
	}
	return func(refs []data.EntityID) (err error) {
		for i, id := range refs {
			if id == data.None {
				continue
			}
			if entities[id] == data.None {
				if entities[id], err = in.Add(n.all[id]); err != nil {
					return err
				}
			}
			refs[i] = entities[id]
		}
		return nil
	}
}

func plain(raw []byte) string {
	if len(raw) >= 2 && raw[0] == '"' {
		return jsonstream.Unquote(raw, bytes.IndexByte(raw, '\\') >= 0)
	}
	return string(raw)
}

// location takes apart the text that a frame of a Gecko profile has: an
// address, "function (file:line:column)[source]", "function (in library)", or
// only a name.
func (t *thread) location(text string) place {
	if strings.HasPrefix(text, "0x") {
		if address, err := strconv.ParseInt(text[2:], 16, 64); err == nil {
			return t.address(address, text)
		}
	}
	source := false
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if _, err := strconv.ParseUint(text[open+1:len(text)-1], 10, 32); err == nil {
			text, source = text[:open], true
		}
	}
	open := strings.LastIndex(text, " (")
	if open < 0 || !strings.HasSuffix(text, ")") {
		if source { // what a file does outside of functions
			return place{name: text, file: text}
		}
		return place{name: text}
	}
	name, within := text[:open], text[open+2:len(text)-1]
	if binary, ok := strings.CutPrefix(within, "in "); ok {
		return place{name: name, binary: binary}
	}
	file, numbers := within, []int64(nil)
	for range 2 { // column, line
		colon := strings.LastIndexByte(file, ':')
		if colon < 0 {
			break
		}
		n, err := strconv.ParseInt(file[colon+1:], 10, 32)
		if err != nil {
			break
		}
		file, numbers = file[:colon], append(numbers, n)
	}
	if len(numbers) == 0 {
		return place{name: text} // a text in brackets
	}
	return place{name: name, file: file, line: numbers[len(numbers)-1]}
}

// address names a place without a symbol after its library.
func (t *thread) address(at int64, text string) place {
	for _, l := range t.process.libs {
		if l.start <= at && at < l.end {
			return place{name: fmt.Sprintf("%s+0x%x", l.name, at-l.start+l.base), binary: l.name}
		}
	}
	return place{name: text}
}
