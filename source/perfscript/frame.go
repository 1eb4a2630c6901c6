package perfscript

import (
	"bytes"
	"path"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// dso is a binary and the methods in it by name: a frame is found by two
// look-ups of bytes, without making a text of it.
type dso struct {
	name    string // as perf prints it
	methods map[string]data.EntityID
}

// frame is a line of a call chain: address, symbol+0xoffset (binary).
type frame struct {
	ip   []byte
	name []byte // without offset; "" if the line does not say
	dso  []byte // "" if the line does not say
	ok   bool
}

// parseFrame reads a frame from its address on.
func parseFrame(b []byte) (f frame) {
	n := 0
	for n < len(b) && isHex(b[n]) {
		n++
	}
	if n == 0 || n > 16 || n < len(b) && b[n] != ' ' {
		return f
	}
	f.ok, f.ip = true, b[:n]
	b = b[min(n+1, len(b)):]
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	if last := len(b) - 1; last > 0 && b[last] == ')' {
		if at := binaryAt(b); at >= 0 {
			f.dso = b[at+1 : last]
			b = b[:max(at-1, 0)]
			if string(f.dso) == "inlined" {
				f.dso = nil
			} else {
				f.dso = withoutOffset(f.dso) // -F dsoff
			}
		}
	}
	f.name = withoutOffset(b)
	return f
}

// binaryAt finds the parenthesis that opens the binary at the end of a frame.
// There may be parentheses within it: (/tmp/x (deleted)).
func binaryAt(b []byte) int {
	at := bytes.LastIndexByte(b, '(')
	if at >= 0 && bytes.IndexByte(b[at:], ')') == len(b)-at-1 {
		if at == 0 || b[at-1] == ' ' {
			return at
		}
		return -1 // the parameters of a function
	}
	depth := 0
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				if i == 0 || b[i-1] == ' ' {
					return i
				}
				return -1
			}
		}
	}
	return -1
}

// withoutOffset cuts +0x1f off.
func withoutOffset(b []byte) []byte {
	i := len(b)
	for i > 0 && isHex(b[i-1]) {
		i--
	}
	if i < len(b) && i > 2 && b[i-1] == 'x' && b[i-2] == '0' && b[i-3] == '+' {
		return b[:i-3]
	}
	return b
}

func isHex(c byte) bool { return c-'0' <= 9 || c-'a' <= 5 }

// waiting is a frame without a binary. If it is inlined, and if the next frame
// has the same address, the binary is that of the next. (Where perf finds other
// names in the symbol table than in the debug information, it says inlined of
// what is not; then the next frame has another address.)
type waiting struct {
	at              int // in the stack
	ip, name, place int // where they end in texts
}

// frame takes a line of the open sample's stack. If no sample is open, perf
// was told to print nothing but stacks.
func (r *reader) frame(line []byte, number int) bool {
	f := parseFrame(line[blanks(line):])
	if !f.ok {
		return false
	}
	if !r.open {
		if len(f.name) == 0 && len(f.dso) == 0 || line[0] != '\t' {
			return false // a number is not enough
		}
		r.start(header{pid: unknown, tid: unknown, cpu: unknown, time: unknown, period: unknown, weak: true}, number)
	}
	if len(f.dso) == 0 {
		w := waiting{at: len(r.stack)}
		r.texts = append(r.texts, f.ip...)
		w.ip = len(r.texts)
		r.texts = append(r.texts, f.name...)
		w.name, w.place = len(r.texts), len(r.texts)
		r.waiting = append(r.waiting, w)
		r.stack = append(r.stack, data.None)
		return true
	}
	r.resolve(f)
	r.stack = append(r.stack, r.method(f))
	return true
}

// resolve makes methods of the frames that wait for next.
func (r *reader) resolve(next frame) {
	from := 0
	for _, w := range r.waiting {
		f := frame{ip: r.texts[from:w.ip], name: r.texts[w.ip:w.name]}
		if bytes.Equal(f.ip, next.ip) {
			f.dso = next.dso
		}
		id := r.method(f)
		r.stack[w.at] = id
		r.place(id, r.texts[w.name:w.place])
		from = w.place
	}
	r.waiting, r.texts = r.waiting[:0], r.texts[:0]
}

func (r *reader) method(f frame) data.EntityID {
	d := r.last
	if d == nil || d.name != string(f.dso) {
		if d = r.dsos[string(f.dso)]; d == nil {
			d = &dso{name: string(f.dso), methods: map[string]data.EntityID{}}
			r.dsos[d.name] = d
		}
		r.last = d
	}
	key := f.name
	if len(key) == 0 {
		key = f.ip
	}
	if id, ok := d.methods[string(key)]; ok {
		return id
	}
	id := data.EntityID(len(r.frames))
	d.methods[string(key)] = id
	known := source.Frame{Name: string(key)}
	if len(f.name) == 0 {
		known.Name = "0x" + known.Name
	}
	if d.name != "" && d.name != "[unknown]" {
		known.Binary = binaryName(d.name)
		if known.Name == "[unknown]" {
			known.Name = "[" + strings.Trim(known.Binary, "[]") + "]"
		}
	}
	r.frames = append(r.frames, known)
	return id
}

// binaryName is what people call a binary: [kernel.kallsyms] is one, and so is
// /tmp/x (deleted).
func binaryName(dso string) string {
	if strings.HasPrefix(dso, "[") {
		return dso
	}
	return path.Base(strings.TrimSuffix(dso, " (deleted)"))
}

// sourceLine takes the line below a frame that -F srcline prints: file.c:12.
// Where perf knows no line it prints libc.so.6[2724a], ??:0 or :0.
func (r *reader) sourceLine(line []byte) bool {
	text := bytes.TrimSuffix(bytes.TrimSpace(line), []byte(" (inlined)"))
	colon := bytes.LastIndexByte(text, ':')
	if colon < 0 {
		return bytes.HasSuffix(text, []byte("]")) && bytes.LastIndexByte(text, '[') > 0
	}
	if _, rest, ok := source.Number(text[colon+1:]); !ok || len(rest) != 0 {
		return false
	}
	if id := r.stack[len(r.stack)-1]; id != data.None {
		r.place(id, text)
	} else {
		r.texts = append(r.texts, text...)
		r.waiting[len(r.waiting)-1].place = len(r.texts)
	}
	return true
}

// place tells a method where it is, as file.c:12.
func (r *reader) place(method data.EntityID, text []byte) {
	f := &r.frames[method]
	colon := bytes.LastIndexByte(text, ':')
	if colon <= 0 || f.File != "" || text[0] == '?' {
		return
	}
	f.Line, _, _ = source.Number(text[colon+1:])
	f.File = string(text[:colon])
}
