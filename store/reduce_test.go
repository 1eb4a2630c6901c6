package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
)

// plainly adds up in memory, event by event: what all engines must agree with.
func plainly(t *data.EventTable, r data.Reduction) string {
	type sum struct {
		first int64
		sums  []int64
	}
	column := func(field int) data.Column { return t.Columns[field] }
	decide := func(c *data.Condition) []bool {
		keep := make([]bool, t.Rows())
		(&data.Decider{Condition: c}).Decide(0, keep, column)
		return keep
	}
	var keep []bool
	if r.Where != nil {
		keep = decide(r.Where)
	}
	var groups [][]bool
	for _, g := range r.Groups {
		groups = append(groups, decide(g))
	}
	found := map[string]*sum{}
	var order []string
	for row := r.From; row < r.To; row++ {
		if keep != nil && !keep[row] {
			continue
		}
		key := ""
		for _, k := range r.Keys {
			if c := t.Columns[k.Field]; c.Refs != nil {
				key += fmt.Sprint(c.Refs[row], " ")
			} else {
				key += fmt.Sprint(data.Floor(c.Values[row], k.Width), " ")
			}
		}
		group := 0
		for g := len(groups) - 1; g >= 0; g-- {
			if groups[g][row] {
				group = g + 1
			}
		}
		key += fmt.Sprint("group ", group)
		s := found[key]
		if s == nil {
			s = &sum{first: row, sums: make([]int64, len(r.Sums))}
			found[key] = s
			order = append(order, key)
		}
		for i, f := range r.Sums {
			if f == data.CountField {
				s.sums[i]++
			} else {
				s.sums[i] += t.Columns[f].Values[row]
			}
		}
	}
	text := ""
	for _, key := range order {
		text += fmt.Sprint(key, " ", found[key].first, found[key].sums, "\n")
	}
	return text
}

func reducedText(out data.Reduced) string {
	text := ""
	for row := range out.Rows {
		for _, k := range out.Keys {
			if k.Refs != nil {
				text += fmt.Sprint(k.Refs[row], " ")
			} else {
				text += fmt.Sprint(k.Values[row], " ")
			}
		}
		group := uint8(0)
		if out.Group != nil {
			group = out.Group[row]
		}
		sums := make([]int64, len(out.Sums))
		for i, s := range out.Sums {
			sums[i] = s[row]
		}
		text += fmt.Sprint("group ", group, " ", out.First[row], sums, "\n")
	}
	return text
}

// anyCondition makes a condition for the events of anySet.
func anyCondition(t *rapid.T, set *data.Set, depth int) *data.Condition {
	c := &data.Condition{Op: data.Op(rapid.IntRange(int(data.AllOf), int(data.IsMarked)).Draw(t, "op"))}
	if depth == 0 {
		c.Op = rapid.SampledFrom([]data.Op{data.InRanges, data.IsMarked}).Draw(t, "op")
	}
	switch c.Op {
	case data.InRanges:
		c.Field = rapid.SampledFrom([]int{0, 3, data.OwnRow}).Draw(t, "field")
		edge := rapid.OneOf(rapid.Int64Range(-1<<41, 1<<41), rapid.Int64Range(-10, 2000), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
		for range rapid.IntRange(0, 3).Draw(t, "ranges") {
			c.Ranges = append(c.Ranges, data.Span{From: edge.Draw(t, "from"), To: edge.Draw(t, "to")})
		}
	case data.IsMarked:
		c.Field = rapid.SampledFrom([]int{1, 2}).Draw(t, "field")
		c.Marks = make([]bool, set.Entity([]string{"", "Method", "Context"}[c.Field]).Rows())
		in := rapid.SampledFrom([]int{1, 2, 100, 1000}).Draw(t, "one in")
		for i := range c.Marks {
			c.Marks[i] = (i+1)%in == 0 || in == 100 && i%in != 0
		}
	default:
		for range rapid.IntRange(0, 3).Draw(t, "of") {
			c.Of = append(c.Of, anyCondition(t, set, depth-1))
		}
	}
	return c
}

func TestReduce(t *testing.T) {
	root, n := t.TempDir(), 0
	engines := []string{engineLoops, ""}
	if duckDB {
		engines = append(engines, engineDuckDB)
	}
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 500, 2000}).Draw(rt, "rows")
		set := anySet(rt, rows)
		n++
		table := set.Event("Call")
		back := stored(t, set, filepath.Join(root, fmt.Sprint("it's ", n)), cuts{1200, 400}).Event("Call").Store().(*events)
		for range 2 {
			r := data.Reduction{To: int64(rows)}
			if rapid.Bool().Draw(rt, "a part") {
				r.From = int64(rapid.IntRange(0, rows).Draw(rt, "from"))
				r.To = int64(rapid.IntRange(int(r.From), rows).Draw(rt, "to"))
			}
			for range rapid.IntRange(0, 3).Draw(rt, "keys") {
				k := data.Key{Field: rapid.IntRange(0, 3).Draw(rt, "key")}
				if k.Field == 0 || k.Field == 3 {
					k.Width = rapid.SampledFrom([]int64{0, 1, 7, 1000, 1 << 33}).Draw(rt, "width")
				}
				r.Keys = append(r.Keys, k)
			}
			for range rapid.IntRange(0, 2).Draw(rt, "sums") {
				r.Sums = append(r.Sums, rapid.SampledFrom([]int{data.CountField, 3}).Draw(rt, "sum"))
			}
			if rapid.Bool().Draw(rt, "filtered") {
				r.Where = anyCondition(rt, set, 2)
			}
			for range rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(rt, "groups") {
				r.Groups = append(r.Groups, anyCondition(rt, set, 1))
			}
			want := plainly(table, r)
			for _, engine := range engines {
				e := *back
				e.engine = engine
				out, err := e.Reduce(context.Background(), r)
				if errors.Is(err, data.ErrTooMany) && (engine == engineLoops || !duckDB) {
					continue
				}
				if err != nil {
					rt.Fatalf("%q: %+v: %v", engine, r, err)
				}
				if got := reducedText(out); got != want {
					rt.Fatalf("%q: %+v gives\n%.1500s\nnot\n%.1500s", engine, r, got, want)
				}
			}
		}
	})
}
