package hprof

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// kind is a table the agent writes.
type kind struct {
	name    string
	end     []byte
	columns int // numbers in a row before the name
	metrics []source.Metric
}

// All tables: rank self accum … trace name. SITES has the live bytes and
// objects and the allocated bytes and objects between, the others a count.
var kinds = [...]kind{
	{"CPU SAMPLES", []byte("CPU SAMPLES END"), 5, []source.Metric{
		{Name: "samples", Unit: "count", Description: "how often the stack was seen"}}},
	{"CPU TIME (ms)", []byte("CPU TIME (ms) END"), 5, []source.Metric{
		{Name: "time", Unit: "milliseconds", Description: "time of the stack, from its share of the total in hundredths of a percent"},
		{Name: "calls", Unit: "count", Description: "how often the stack was entered"}}},
	{"SITES", []byte("SITES END"), 8, []source.Metric{
		{Name: "live bytes", Unit: "bytes", Description: "size of the objects still alive"},
		{Name: "live objects", Unit: "count", Description: "objects still alive"},
		{Name: "allocated bytes", Unit: "bytes", Description: "size of all objects allocated"},
		{Name: "allocated objects", Unit: "count", Description: "objects allocated"}}},
}

type table struct {
	kind  *kind
	total int64   // of the header, -1 if it has none
	sum   float64 // of the counts, which may leave the range of 64 bits
	rows  []tableRow
	first int // index of its first metric in the profile
}

type tableRow struct {
	line   int
	trace  int64
	values [4]int64
	name   string // of SITES: the class
}

func headerTotal(line []byte) int64 {
	_, rest, ok := bytes.Cut(line, []byte("(total = "))
	if !ok {
		return -1
	}
	if n, _, ok := source.Number(rest); ok {
		return n
	}
	return -1
}

func (r *reader) row(line []byte, at int) {
	if len(line) == 0 || line[0]-'0' > 9 {
		return // the column titles
	}
	t := r.table
	var column [8]int64
	rest := line
	for i := range t.kind.columns {
		n, after, ok := source.Number(bytes.TrimLeft(rest, " \t"))
		if ok && i == 1 || ok && i == 2 { // percentages: in hundredths
			n, after, ok = percent(bytes.TrimLeft(rest, " \t"))
		}
		if !ok || len(after) > 0 && after[0] != ' ' && after[0] != '\t' {
			r.b.Warn("line %d: expected a row of the %s table with %d numbers, but found %q; the row is left out", at, t.kind.name, t.kind.columns, line[:min(len(line), 60)])
			return
		}
		column[i], rest = n, after
	}
	row := tableRow{line: at, trace: column[t.kind.columns-1]}
	switch t.kind.columns {
	case 8:
		copy(row.values[:], column[3:7])
		row.name = string(bytes.TrimSpace(rest))
	default:
		row.values[0] = column[3]
		if len(t.kind.metrics) == 2 {
			// Of the time the table has only the share.
			row.values = [4]int64{rounded(float64(column[1]) * float64(max(t.total, 0)) / 1e4), column[3]}
		} else {
			t.sum += float64(column[3])
		}
	}
	t.rows = append(t.rows, row)
}

// rounded is the integer nearest to x, of those that fit 64 bits.
func rounded(x float64) int64 {
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(math.Round(x))
}

// stacks makes contexts and samples of what was read.
type stacks struct {
	r        *reader
	p        *source.Profile
	methods  map[uint32]data.EntityID
	contexts map[int64]data.EntityID // by trace
}

func (s *stacks) addTable(t *table, metrics int) {
	if t.kind == &kinds[0] && t.total >= 0 && float64(t.total) != t.sum {
		s.r.b.Warn("the table of samples announces %d, but its %d rows have %.0f (rows below the agent's cutoff are not written)", t.total, len(t.rows), t.sum)
	}
	values := make([]int64, metrics)
	for _, row := range t.rows {
		tr, ok := s.r.traces[row.trace]
		if !ok && row.trace != 0 { // 0: the JVM itself, without a stack
			s.r.b.Warn("line %d: refers to TRACE %d, which is not in the file; its cost has no stack", row.line, row.trace)
		}
		clear(values)
		copy(values[t.first:], row.values[:len(t.kind.metrics)])
		s.p.Sample(s.context(row.trace), values...)
		if row.name != "" {
			s.p.Label("Allocated class", row.name)
		}
		if ok && tr.thread >= 0 {
			name, known := s.r.threads[tr.thread]
			if !known {
				name = "thread " + strconv.FormatInt(tr.thread, 10)
			}
			s.p.Label("Thread", name)
		}
	}
}

// addAll keeps the stacks of a file that lost its tables.
func (s *stacks) addAll() {
	ids := make([]int64, 0, len(s.r.traces))
	for id := range s.r.traces {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s.context(id)
	}
}

func (s *stacks) context(id int64) data.EntityID {
	if c, ok := s.contexts[id]; ok {
		return c
	}
	t := s.r.traces[id]
	node := data.None
	for _, frame := range slices.Backward(s.r.frames[t.from:t.to]) {
		method, ok := s.methods[frame]
		if !ok {
			method = s.p.Method(s.r.names[frame])
			s.methods[frame] = method
		}
		node = s.p.Child(node, method)
	}
	s.contexts[id] = node
	return node
}
