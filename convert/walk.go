package convert

import (
	"strings"
	"unicode/utf8"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// unnamed is what a frame without a name is called where it must have one.
const unnamed = "?"

// frames are the methods of a tree, numbered from 0 as they come in it.
type frames struct {
	methods []data.EntityID // number -> method, or None for contexts without one
	numbers []int32         // method -> number, -1 if it is not in the tree; None is last
	tree    *cct.Tree       // nil for those of a trace
	table   *data.EntityTable
	files   *data.EntityTable
	file    []data.EntityID // method -> row of files; nil if methods have none
	line    []int64         // method -> line; nil if methods have none
}

func newFrames(set *data.Set, t *cct.Tree) *frames {
	from := 0
	if t.Method[cct.Root] == data.None {
		from = 1
	}
	f := framesOf(set, t.Methods, t.Method[from:])
	f.tree = t
	return f
}

// framesOf numbers the methods of a column.
func framesOf(set *data.Set, methods *data.EntityTable, column []data.EntityID) *frames {
	f := &frames{table: methods, numbers: make([]int32, methods.Rows()+1)}
	for i := range f.numbers {
		f.numbers[i] = -1
	}
	for _, m := range column {
		if i := f.index(m); f.numbers[i] < 0 {
			f.numbers[i] = int32(len(f.methods))
			f.methods = append(f.methods, m)
		}
	}
	if i := methods.Field("File"); i >= 0 && methods.Fields[i].IsReference() {
		if f.files = set.Entity(methods.Fields[i].Refers); f.files != nil {
			f.file = methods.Columns[i].Refs
		}
	}
	if c, ok := methods.Column("Line"); ok {
		f.line = c.Values
	}
	return f
}

func (f *frames) index(m data.EntityID) int {
	return int(min(int64(m), int64(len(f.numbers)-1)))
}

// number gives the number of a node's method.
func (f *frames) number(n cct.NodeID) int { return f.numberOf(f.tree.Method[n]) }

func (f *frames) numberOf(m data.EntityID) int { return int(f.numbers[f.index(m)]) }

func (f *frames) name(m data.EntityID) string {
	if name := f.table.NameOf(m); name != "" {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return unnamed
}

// fileOf gives the row of files of a method, or None.
func (f *frames) fileOf(m data.EntityID) data.EntityID {
	if int64(m) >= int64(len(f.file)) {
		return data.None
	}
	return f.file[m]
}

// lineOf gives the line of a method, or 0.
func (f *frames) lineOf(m data.EntityID) int64 {
	if int64(m) >= int64(len(f.line)) {
		return 0
	}
	return max(f.line[m], 0)
}

// above gives the number of frames around a node's own; -1 for a synthetic
// root, which is no frame.
func above(t *cct.Tree, n cct.NodeID) int {
	if t.Method[cct.Root] == data.None {
		return int(t.Depth[n]) - 1
	}
	return int(t.Depth[n])
}

// path is the text of the current stack, outermost frame first.
type path struct {
	text []byte
	ends []int // frame -> where its text ends
}

// cut leaves the given number of frames.
func (p *path) cut(frames int) {
	p.ends = p.ends[:frames]
	if frames == 0 {
		p.text = p.text[:0]
		return
	}
	p.text = p.text[:p.ends[frames-1]]
}

// pushed makes what was appended to text since the last frame a frame.
func (p *path) pushed() { p.ends = append(p.ends, len(p.text)) }

const hex = "0123456789abcdef"

// appendText appends a text as JSON.
func appendText(to []byte, s string) []byte {
	to = append(to, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				to = append(to, s[from:i]...)
				to = append(to, "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			to = append(to, s[from:i]...)
			if c < ' ' {
				to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				to = append(to, '\\', c)
			}
			from = i + 1
		}
		i++
	}
	to = append(to, s[from:]...)
	return append(to, '"')
}
