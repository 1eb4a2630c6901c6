package convert

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
)

// writeFolded writes a line for every context whose own amount of the
// preferred metric is not 0. What would break a line in names is replaced: ';'
// by ':', line breaks by blanks. A name that begins with '#' gets a blank
// before it where the line would be a comment. The empty stack is written as a
// stack of one empty frame, which readers drop.
func writeFolded(w *bufio.Writer, t *cct.Tree) error {
	safe := strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
	self := t.Self[t.Preferred]
	var p path
	var count []byte
	for n := range cct.NodeID(t.Len()) {
		if k := above(t, n); k >= 0 {
			p.cut(k)
			name := strings.TrimRight(safe.Replace(t.Name(n)), " \t") // before a count it would be lost
			switch {
			case name == "":
				name = unnamed
			case k == 0 && name[0] == '#':
				name = " " + name
			}
			if k > 0 {
				p.text = append(p.text, ';')
			}
			p.text = append(p.text, name...)
			p.pushed()
		}
		if self[n] == 0 {
			continue
		}
		stack := p.text
		if len(stack) == 0 {
			stack = []byte{';'}
		}
		if _, err := w.Write(stack); err != nil {
			return err
		}
		count = append(strconv.AppendInt(append(count[:0], ' '), self[n], 10), '\n')
		if _, err := w.Write(count); err != nil {
			return err
		}
	}
	return nil
}
