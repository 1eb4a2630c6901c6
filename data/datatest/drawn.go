// Package datatest makes small data sets for tests: calling contexts that are
// drawn as text, or given as columns.
//
// What does not belong: trees and charts of them, which those who test them make.
package datatest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// T is what *testing.T and *rapid.T share.
type T interface {
	Helper()
	Fatalf(string, ...any)
}

// Drawn makes a data set of a drawing: a line per context, indented by two
// blanks a layer, with the amounts of its own behind the name; what is left out
// is 0.
//
//	main 10
//	  f 5
//	    h 1
func Drawn(t T, drawing string, amounts ...string) *data.Set {
	t.Helper()
	var names []string
	var parents, methods, path []data.EntityID
	var values [][]int64
	for line := range strings.SplitSeq(strings.Trim(drawing, "\n"), "\n") {
		line = strings.ReplaceAll(line, "\t", "  ")
		words := strings.Fields(line)
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		m := slices.Index(names, words[0])
		if m < 0 {
			m = len(names)
			names = append(names, words[0])
		}
		parent := data.None
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], data.EntityID(len(parents)))
		parents, methods = append(parents, parent), append(methods, data.EntityID(m))
		for i, word := range words[1:] {
			v, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if i == len(values) {
				values = append(values, nil)
			}
			values[i] = append(upTo(values[i], len(parents)-1), v)
		}
	}
	for i := range values {
		values[i] = upTo(values[i], len(parents))
	}
	return Contexts(t, names, parents, methods, values, amounts...)
}

// upTo adds zeros up to a length.
func upTo(values []int64, length int) []int64 {
	return append(values, make([]int64, length-len(values))...)
}

// Contexts makes a data set of calling contexts, by their callers and methods,
// and of a sample in each, with its amounts. These are called m0, m1 and so on,
// unless they have names.
func Contexts(t T, names []string, parents, methods []data.EntityID, values [][]int64, amounts ...string) *data.Set {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	b := data.NewBuilder("drawn", "test")
	me, err := b.EntityType("Method", "")
	must(err)
	must(me.Adopt(names, len(names)))
	ce, err := b.EntityType("Context", "", data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", ""))
	must(err)
	must(ce.Adopt(nil, len(parents), data.Column{Refs: parents}, data.Column{Refs: methods}))
	at := make([]data.EntityID, len(parents))
	for i := range at {
		at[i] = data.EntityID(i)
	}
	fields, columns := []data.Field{data.Ref("Context", "Context", "")}, []data.Column{{Refs: at}}
	for m, v := range values {
		name := fmt.Sprint("m", m)
		if m < len(amounts) {
			name = amounts[m]
		}
		fields = append(fields, data.Value(name, "count", "", data.Amount))
		columns = append(columns, data.Column{Values: v})
	}
	se, err := b.EventType("Sample", "", fields...)
	must(err)
	must(se.Adopt(len(at), columns...))
	set, err := b.Finish()
	must(err)
	return set
}
