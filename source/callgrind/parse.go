package callgrind

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// reader goes through the lines. A block is what follows a line fn=.
type reader struct {
	b *data.Builder

	creator  string
	threads  map[string]bool
	metrics  []source.Metric
	scale    []int64
	columns  []int // cost column of this part -> metric, or -1
	summary  []int64
	totals   []int64
	instr    bool    // positions have instructions
	lined    bool    // positions have lines
	position []int64 // the last one, by column

	obs, files, fns names

	ob, file         int32 // in which costs are
	fnOb, fnFile     int32 // of the function
	fn               int32 // function that costs are of, -1 before the first
	calleeOb, callee int32 // of the next call; calleeFile too
	calleeFile       int32
	calls            int64 // of the line before, whose cost this line has; -1: none
	skip             bool  // the line belongs to a jump

	graph     *source.CallGraph
	functions map[[3]int32]int32 // object, file, name -> function
	recent    []recent           // name -> the function of this name that was looked up last
	methods   []source.Frame
	byMethod  map[methodKey]data.EntityID
	method    []data.EntityID // function -> method
	nest      *nest           // nil if the file is not written call by call
	costs     []int64         // of the line

	called           bool // there are calls
	callsWithoutCost int
}

type recent struct{ ob, file, f int32 }

type methodKey struct {
	ob, file int32
	name     string
}

// names is one of the three name spaces. Where the file gives ids, they stand
// for the name from then on.
type names struct {
	all    []string
	byName map[string]int32
	few    []int32         // by id, for ids that were given about in their order; -1 if there is none
	byID   map[int64]int32 // other ids
}

// few has at most so many, and is at most by so much longer than twice what it has.
const (
	maxFew = 1 << 24
	maxGap = 64
)

func newReader(b *data.Builder) *reader {
	n := func() names { return names{byName: map[string]int32{}, byID: map[int64]int32{}} }
	r := &reader{
		b: b, threads: map[string]bool{}, obs: n(), files: n(), fns: n(), fn: -1, callee: -1, calls: -1, lined: true,
		functions: map[[3]int32]int32{}, byMethod: map[methodKey]data.EntityID{}, position: make([]int64, 2),
	}
	for _, n := range []*names{&r.obs, &r.files} {
		n.intern(nil) // 0: not known
	}
	return r
}

func (n *names) intern(b []byte) int32 {
	id, ok := n.byName[string(b)]
	if !ok {
		id = int32(len(n.all))
		n.all = append(n.all, string(b))
		n.byName[string(b)] = id
	}
	return id
}

// read takes "(1) name", "(1)" or "name".
func (n *names) read(b []byte) (int32, error) {
	b = b[blanks(b):]
	if len(b) < 3 || b[0] != '(' || b[1]-'0' > 9 {
		return n.intern(b), nil
	}
	number, rest, ok := source.Number(b[1:])
	if !ok || len(rest) == 0 || rest[0] != ')' {
		return n.intern(b), nil // (below main)
	}
	rest = rest[1:]
	if rest = rest[blanks(rest):]; len(rest) > 0 {
		id := n.intern(rest)
		if number <= 2*int64(len(n.all))+maxGap && number < maxFew {
			for int64(len(n.few)) <= number {
				n.few = append(n.few, -1)
			}
		}
		if number < int64(len(n.few)) {
			n.few[number] = id
		} else {
			n.byID[number] = id
		}
		return id, nil
	}
	if number < int64(len(n.few)) && n.few[number] >= 0 {
		return n.few[number], nil
	}
	id, ok := n.byID[number]
	if !ok {
		return 0, fmt.Errorf("the name (%d) was not given before", number)
	}
	return id, nil
}

func (r *reader) line(line []byte) error {
	if c := line[0]; c-'0' <= 9 || c == '+' || c == '-' || c == '*' {
		return r.cost(line)
	}
	if line[0] == '#' {
		return nil
	}
	if key := positionKey(line); key != "" {
		return r.place(key, line[bytes.IndexByte(line, '=')+1:])
	}
	key, value, ok := bytes.Cut(line, []byte{':'})
	if !ok || !headerKeys[string(key)] {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return fmt.Errorf("expected costs, or a line such as fn=(1) main, but found %s", source.Quote(line))
	}
	return r.header(string(key), bytes.TrimSpace(value))
}

// maxEvents bounds the columns that a file can make us keep; callgrind has at most 20.
const maxEvents = 64

func (r *reader) header(key string, value []byte) error {
	switch key {
	case "creator":
		r.creator = string(value)
	case "thread":
		if len(r.threads) < 1000 {
			r.threads[string(value)] = true
		}
	case "positions":
		r.instr = bytes.Contains(value, []byte("instr"))
		r.lined = bytes.Contains(value, []byte("line"))
	case "events":
		return r.events(strings.Fields(string(value)))
	case "summary":
		r.summary = r.add(r.summary, value)
	case "totals":
		r.totals = r.add(r.totals, value)
	}
	return nil
}

func (r *reader) events(names []string) error {
	if len(names) == 0 || len(names) > maxEvents {
		return fmt.Errorf("expected from 1 to %d events, but found %d", maxEvents, len(names))
	}
	first := r.graph == nil
	r.columns = r.columns[:0]
	for _, name := range names {
		m, scale := metric(name)
		at := -1
		for i := range r.metrics {
			if r.metrics[i].Name == m.Name {
				at = i
			}
		}
		switch {
		case at < 0 && first:
			at = len(r.metrics)
			r.metrics, r.scale = append(r.metrics, m), append(r.scale, scale)
		case at < 0:
			r.b.Warn("event %s is not in the first part of the file; it is left out", name)
		}
		r.columns = append(r.columns, at)
	}
	if first {
		r.graph = source.NewCallGraph(len(r.metrics))
		r.nest = newNest(len(r.metrics))
		r.costs = make([]int64, len(r.metrics))
	}
	return nil
}

// add adds up the summaries of parts.
func (r *reader) add(sum []int64, value []byte) []int64 {
	if sum == nil {
		sum = make([]int64, len(r.metrics))
	}
	for _, m := range r.columns {
		n, rest, ok := source.Number(value)
		if !ok {
			break
		}
		if m >= 0 {
			sum[m] += n * r.scale[m]
		}
		value = bytes.TrimLeft(rest, " \t")
	}
	return sum
}

// place takes a line that says where the next costs are.
func (r *reader) place(key string, value []byte) (err error) {
	switch key {
	case "ob":
		r.ob, err = r.obs.read(value)
	case "fl":
		r.file, err = r.files.read(value)
	case "fi":
		r.file, err = r.files.read(value) // code from another file, inlined
	case "fn":
		if r.graph == nil {
			return errors.New("expected a line events: before the first function")
		}
		r.endBlock()
		name, err := r.fns.read(value)
		if err != nil {
			r.fn = -1 // costs that follow are nobody's
			return err
		}
		r.fnOb, r.fnFile = r.ob, r.file
		r.fn = r.function(r.ob, r.file, name)
		r.forgetCallee()
	case "cob":
		r.calleeOb, err = r.obs.read(value)
	case "cfl":
		r.calleeFile, err = r.files.read(value)
	case "cfn":
		if r.graph == nil || r.fn < 0 {
			return errors.New("expected a line fn= before the first call")
		}
		name, err := r.fns.read(value)
		if err != nil {
			return err
		}
		ob, file := r.calleeOb, r.calleeFile
		if ob < 0 {
			ob = r.ob
		}
		if file < 0 {
			file = r.file
		}
		r.callee = r.function(ob, file, name)
	case "calls":
		n, _, ok := source.Number(bytes.TrimLeft(value, " \t"))
		switch {
		case !ok || n < 0:
			return fmt.Errorf("expected calls= and a number, but found %s", source.Quote(value))
		case r.callee < 0:
			return errors.New("expected a line cfn= before calls=")
		case r.calls >= 0:
			r.callsWithoutCost++
		}
		r.calls = n
	case "jump":
		r.skip = true
	case "jfi":
		_, err = r.files.read(value)
	case "jfn":
		_, err = r.fns.read(value)
	}
	return err
}

func (r *reader) forgetCallee() { r.callee, r.calleeOb, r.calleeFile = -1, -1, -1 }

// function finds or makes a function.
func (r *reader) function(ob, file, name int32) int32 {
	key := [3]int32{ob, file, name}
	for len(r.recent) <= int(name) {
		r.recent = append(r.recent, recent{f: -1})
	}
	last := &r.recent[name]
	if last.f >= 0 && last.ob == ob && last.file == file {
		return last.f
	}
	if f, ok := r.functions[key]; ok {
		*last = recent{ob, file, f}
		return f
	}
	text := withoutLevel(r.fns.all[name])
	id, ok := r.byMethod[methodKey{ob, file, text}]
	if !ok {
		id = data.EntityID(len(r.methods))
		m := source.Frame{Name: text, File: r.files.all[file]}
		if m.File == "???" {
			m.File = ""
		}
		if m.Name == "" {
			m.Name = "<unknown>"
		}
		if object := r.obs.all[ob]; object != "" && object != "???" {
			m.Binary = path.Base(object)
		}
		r.methods = append(r.methods, m)
		r.byMethod[methodKey{ob, file, text}] = id
	}
	f := r.graph.Function(id)
	r.method = append(r.method, id)
	r.functions[key] = f
	return f
}

func (r *reader) nodeMethod(f int32) data.EntityID { return r.method[f] }

// withoutLevel cuts the level of recursion off: f'2 is f.
func withoutLevel(name string) string {
	at := strings.LastIndexByte(name, '\'')
	if at <= 0 || at == len(name)-1 {
		return name
	}
	for _, c := range []byte(name[at+1:]) {
		if c-'0' > 9 {
			return name
		}
	}
	return name[:at]
}

// cost takes a line of costs: positions, then a number per event.
func (r *reader) cost(line []byte) error {
	text := line
	if r.instr {
		text = r.subposition(text, 0)
	}
	if r.lined || !r.instr {
		text = r.subposition(text, 1)
	}
	if r.skip {
		r.skip = false
		return nil // where a jump is
	}
	if text == nil {
		return fmt.Errorf("expected a position and costs, but found %s", source.Quote(line))
	}
	if r.fn < 0 {
		return errors.New("expected a line fn= before the first costs")
	}
	clear(r.costs)
	for _, m := range r.columns {
		if text = text[blanks(text):]; len(text) == 0 {
			break
		}
		n, rest, ok := source.Number(text)
		if !ok || len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
			r.calls = -1
			return fmt.Errorf("expected a cost, but found %s", source.Quote(text))
		}
		text = rest
		if m >= 0 {
			if s := r.scale[m]; s != 1 {
				if n > math.MaxInt64/s || n < math.MinInt64/s {
					r.calls = -1
					return fmt.Errorf("the cost %d of %s is too large", n, r.metrics[m].Name)
				}
				n *= s
			}
			r.costs[m] = n
		}
	}
	if r.calls >= 0 {
		addTo(r.graph.Call(r.fn, r.callee, r.calls), r.costs)
		r.called = true
		if r.nest != nil {
			r.nest.call(r.callee, r.calls)
		}
		r.calls = -1
		r.forgetCallee()
		return nil
	}
	addTo(r.graph.Self(r.fn), r.costs)
	if r.nest != nil {
		r.nest.cost(r.costs)
	}
	if m := &r.methods[r.method[r.fn]]; m.Line == 0 && r.file == r.fnFile && r.lined {
		m.Line = r.position[1]
	}
	return nil
}

// addTo adds costs, and stays at the end of what 64 bits hold.
func addTo(sum, costs []int64) {
	for m, n := range costs {
		s := sum[m] + n
		if n > 0 && s < sum[m] {
			s = math.MaxInt64
		} else if n < 0 && s > sum[m] {
			s = math.MinInt64
		}
		sum[m] = s
	}
}

// subposition takes one column of the position: 12, +3, -3, * or 0x4f. It gives
// nil if there is none.
func (r *reader) subposition(b []byte, column int) []byte {
	b = b[blanks(b):]
	if len(b) == 0 {
		return nil
	}
	sign := int64(0)
	switch b[0] {
	case '*':
		return b[1:]
	case '+':
		sign, b = 1, b[1:]
	case '-':
		sign, b = -1, b[1:]
	}
	n := int64(0)
	i := 0
	if len(b) > 2 && b[0] == '0' && b[1] == 'x' {
		for i = 2; i < len(b); i++ {
			d := int64(b[i] - '0')
			if c := b[i] | 0x20; c-'a' <= 5 {
				d = int64(c-'a') + 10
			} else if b[i]-'0' > 9 {
				break
			}
			n = n<<4 | d
		}
	} else {
		for ; i < len(b) && b[i]-'0' <= 9; i++ {
			n = n*10 + int64(b[i]-'0')
		}
	}
	if i == 0 || i < len(b) && b[i] != ' ' && b[i] != '\t' {
		return nil
	}
	if sign != 0 {
		n = r.position[column] + sign*n
	}
	r.position[column] = n
	return b[i:]
}

func blanks(b []byte) int {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// endBlock ends the block of a function.
func (r *reader) endBlock() {
	if r.calls >= 0 {
		r.callsWithoutCost++
		r.calls = -1
	}
	if r.fn >= 0 && r.nest != nil && !r.nest.end(r.fn) {
		r.nest = nil
	}
}
