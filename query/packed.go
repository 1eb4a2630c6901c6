package query

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/expr-lang/expr/ast"

	"github.com/cambium-prof/cambium/data"
)

// A selection of very many entities, as a filter names it:
//
//	Location in packed(300000, "…")
//
// The number says how many they are, for people; the text is base64 of which
// ones: the number of entities of the type and a checksum of it, then either
// runs (1: the distance from the end of the one before, and the length, as
// varints) or a bit for each entity (0), whichever is shorter. Such a text means
// something with its data set only, which is checked. Names say the same in other
// data sets too; so they are used as long as there are not too many of them.

// MostListed is how many entities a filter lists by their names or numbers. More
// are packed.
const MostListed = 20_000

// packedCall is the name of the function that stands for the entities.
const packedCall = "packed"

const (
	asBits = 0
	asRuns = 1
)

// Pack writes entities of a type as the right side of "in". They must be in
// rising order.
func Pack(t *data.EntityTable, ids []data.EntityID) string {
	head := binary.LittleEndian.AppendUint32(binary.AppendUvarint(nil, uint64(t.Rows())), checksum(t))
	most := (t.Rows() + 7) / 8
	runs := append(head[:len(head):len(head)], asRuns)
	before := data.EntityID(0)
	for i := 0; i < len(ids) && len(runs) < most; {
		end := i + 1
		for end < len(ids) && ids[end] == ids[end-1]+1 {
			end++
		}
		runs = binary.AppendUvarint(binary.AppendUvarint(runs, uint64(ids[i]-before)), uint64(end-i))
		before = ids[end-1] + 1
		i = end
	}
	if len(runs) >= most {
		bits := make([]byte, most)
		for _, id := range ids {
			bits[id/8] |= 1 << (id % 8)
		}
		runs = append(append(head, asBits), bits...)
	}
	return fmt.Sprintf("%s(%d, %q)", packedCall, len(ids), base64.RawURLEncoding.EncodeToString(runs))
}

// checksum tells tables of a type apart: by what a few thousand of its entities
// are called and refer to.
func checksum(t *data.EntityTable) uint32 {
	h := fnv.New32a()
	var word [4]byte
	h.Write([]byte(t.Definition.Name))
	for row := 0; row < t.Rows(); row += 1 + t.Rows()/4096 {
		if t.Names != nil {
			h.Write([]byte(t.Names[row]))
			h.Write([]byte{0})
		}
		for _, c := range t.Columns {
			if c.Refs != nil {
				binary.LittleEndian.PutUint32(word[:], uint32(c.Refs[row]))
				h.Write(word[:])
			}
		}
	}
	return h.Sum32()
}

// packed gives the text of a call of packed.
func packed(n ast.Node) (count int, text string, ok bool) {
	call, isCall := n.(*ast.CallNode)
	if !isCall || len(call.Arguments) != 2 {
		return 0, "", false
	}
	callee, isName := call.Callee.(*ast.IdentifierNode)
	number, isNumber := call.Arguments[0].(*ast.IntegerNode)
	content, isText := call.Arguments[1].(*ast.StringNode)
	if !isName || callee.Value != packedCall || !isNumber || !isText {
		return 0, "", false
	}
	return number.Value, content.Value, true
}

// unpack marks the entities of a packed text. ok is false if it is of another
// table.
func unpack(count int, text string, t *data.EntityTable) (marks []bool, ok bool, err error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	broken := fmt.Errorf("the packed text is broken")
	if err != nil {
		return nil, false, broken
	}
	rows, n := binary.Uvarint(b)
	if n <= 0 || len(b) < n+5 {
		return nil, false, broken
	}
	sum, kind, b := binary.LittleEndian.Uint32(b[n:]), b[n+4], b[n+5:]
	if rows != uint64(t.Rows()) || sum != checksum(t) {
		return nil, false, nil
	}
	marks = make([]bool, t.Rows())
	marked := 0
	switch kind {
	case asBits:
		if len(b) != (len(marks)+7)/8 {
			return nil, false, broken
		}
		for i := range marks {
			if marks[i] = b[i/8]&(1<<(i%8)) != 0; marks[i] {
				marked++
			}
		}
	case asRuns:
		for at := uint64(0); len(b) > 0; {
			gap, n := binary.Uvarint(b)
			if n <= 0 {
				return nil, false, broken
			}
			length, m := binary.Uvarint(b[n:])
			left := uint64(len(marks)) - at
			if m <= 0 || gap > left || length > left-gap {
				return nil, false, broken
			}
			b, at = b[n+m:], at+gap
			for range length {
				marks[at] = true
				at++
				marked++
			}
		}
	default:
		return nil, false, broken
	}
	if marked != count {
		return nil, false, fmt.Errorf("the packed text has %d entities and not %d", marked, count)
	}
	return marks, true, nil
}

// packedMarks gives the marks of a packed text for those of the types that it is
// of.
func (r *filterReader) packedMarks(n ast.Node, types []string) (map[string][]bool, error) {
	count, text, ok := packed(n)
	if !ok {
		return nil, fmt.Errorf("expected a list such as [\"a\", \"b\"], or packed(NUMBER, \"…\"), after in")
	}
	marks := map[string][]bool{}
	for _, of := range types {
		found, ok, err := unpack(count, text, r.set.Entity(of))
		if err != nil {
			return nil, err
		}
		if ok {
			spread(r.set.Entity(of), found)
			marks[of] = found
		}
	}
	if len(marks) == 0 {
		return nil, fmt.Errorf("these %d were selected in another data set, and are not known here: select them again", count)
	}
	return marks, nil
}
