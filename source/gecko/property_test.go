package gecko

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// profile is what a file says, whatever its form: tables as columns. All threads
// have the same stacks. Null is nil.
type profile struct {
	categories, libs, strings []string
	tables                    map[string]map[string][]any // as in processed profiles
	threads                   []profileThread
}

type profileThread struct {
	samples, allocations, markers map[string][]any
}

// drawProfile makes one up, with references to what is not there, and times out of
// order.
func drawProfile(rng *rand.Rand) *profile {
	p := &profile{categories: []string{"Idle", "Other", "Layout"}, libs: []string{"libc.so", "libxul.so"}}
	p.strings = []string{"(root)", "f", "g", "é\"h\\", "a.js", "b.js", "Task", "UserTiming", "said"}
	or := func(absent int, value any) any { // nil once in so many times
		if rng.IntN(absent) == 0 {
			return nil
		}
		return value
	}
	columns := func(n int, row func(add func(key string, value any))) map[string][]any {
		table := map[string][]any{}
		for range n {
			row(func(key string, value any) { table[key] = append(table[key], value) })
		}
		return table
	}
	functions, stacks := 1+rng.IntN(6), 1+rng.IntN(20)
	p.tables = map[string]map[string][]any{
		"resourceTable": {"lib": {0, 1}},
		"funcTable": columns(functions, func(add func(string, any)) {
			add("name", rng.IntN(4))
			file, line, lib := any(nil), any(nil), any(-1)
			switch rng.IntN(3) {
			case 0:
				file, line = 4+rng.IntN(2), 1+rng.IntN(3)
			case 1:
				lib = rng.IntN(2)
			}
			add("fileName", file)
			add("lineNumber", line)
			add("resource", lib)
		}),
		"frameTable": columns(2*functions, func(add func(string, any)) {
			add("func", rng.IntN(functions))
			add("category", or(3, rng.IntN(3)))
		}),
	}
	at := 0
	p.tables["stackTable"] = columns(stacks, func(add func(string, any)) {
		prefix := any(nil)
		if at > 0 && rng.IntN(4) > 0 {
			prefix = rng.IntN(at)
		}
		if rng.IntN(30) == 0 {
			prefix = at // its own caller
		}
		at++
		add("prefix", prefix)
		add("frame", rng.IntN(2*functions))
	})
	stack := func() any {
		if rng.IntN(20) == 0 {
			return stacks + rng.IntN(9)
		}
		return or(6, rng.IntN(stacks))
	}
	for range 1 + rng.IntN(3) {
		now := 0.0
		time := func() any {
			now += float64(rng.IntN(5)) / 4
			if rng.IntN(9) == 0 {
				now -= 2
			}
			return or(20, now)
		}
		p.threads = append(p.threads, profileThread{
			samples: columns(rng.IntN(20), func(add func(string, any)) {
				add("stack", stack())
				add("time", time())
				add("weight", or(3, 1+rng.IntN(3)))
				add("threadCPUDelta", or(3, rng.IntN(3000)))
			}),
			allocations: columns(rng.IntN(8), func(add func(string, any)) {
				add("time", time())
				add("weight", rng.IntN(100)-50)
				add("stack", stack())
			}),
			markers: columns(rng.IntN(20), func(add func(string, any)) {
				add("name", 6+rng.IntN(2))
				add("startTime", time())
				add("endTime", or(4, now+float64(rng.IntN(5))))
				add("phase", or(4, rng.IntN(4)))
				add("category", rng.IntN(3))
				payload := any(nil)
				switch rng.IntN(4) {
				case 0:
					payload = map[string]any{"type": "Text", "name": fmt.Sprint("t", rng.IntN(3))}
				case 1:
					payload = map[string]any{"type": "Text", "name": 8, "more": []any{1, "]"}}
				}
				add("data", payload)
			}),
		})
	}
	return p
}

// The forms that a profile can be written in.
const (
	asGecko = iota
	processed
	processedShared
	forms
)

// object writes members in any order.
func object(rng *rand.Rand, members map[string]string) string {
	keys := slices.Sorted(maps.Keys(members))
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	var text strings.Builder
	for i, key := range keys {
		text.WriteString([]string{"{", ", "}[min(i, 1)] + quoted(key) + ":" + members[key])
	}
	if len(keys) == 0 {
		text.WriteByte('{')
	}
	return text.String() + "}"
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// written gives the text of a table.
func written(rng *rand.Rand, table map[string][]any, form int) string {
	keys, n := slices.Sorted(maps.Keys(table)), 0
	for _, column := range table {
		n = len(column)
	}
	if form != asGecko {
		members := map[string]string{"length": fmt.Sprint(n)}
		for _, key := range keys {
			members[key] = quoted(table[key])
		}
		return object(rng, members)
	}
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	order, rows := map[string]int{}, make([][]any, n)
	for i, key := range keys {
		order[key] = i
		for row := range rows {
			rows[row] = append(rows[row], table[key][row])
		}
	}
	for i, row := range rows { // rows end where only nulls are left
		for len(row) > 0 && row[len(row)-1] == nil && rng.IntN(2) == 0 {
			row = row[:len(row)-1]
		}
		rows[i] = row
	}
	return `{"schema":` + quoted(order) + `,"data":` + quoted(rows) + "}"
}

// text gives the file of a profile in a form, its members in any order.
func (p *profile) text(rng *rand.Rand, form int) string {
	tables := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.tables)) {
		tables[name] = written(rng, p.tables[name], form)
	}
	if form == asGecko { // frames have texts in place of functions
		delete(tables, "funcTable")
		delete(tables, "resourceTable")
		frames := map[string][]any{"category": p.tables["frameTable"]["category"], "location": nil}
		list := slices.Clone(p.strings)
		for _, fun := range p.tables["frameTable"]["func"] {
			row := fun.(int)
			functions := p.tables["funcTable"]
			name := p.strings[functions["name"][row].(int)]
			if file := functions["fileName"][row]; file != nil {
				name += fmt.Sprintf(" (%s:%d:7)", p.strings[file.(int)], functions["lineNumber"][row])
			} else if lib := functions["resource"][row].(int); lib >= 0 {
				name += " (in " + p.libs[lib] + ")"
			}
			frames["location"] = append(frames["location"], len(list))
			list = append(list, name)
		}
		tables["frameTable"] = written(rng, frames, form)
		tables["stringTable"] = quoted(list)
	} else {
		tables["stringArray"] = quoted(p.strings)
	}
	var threads []string
	for i, t := range p.threads {
		members := map[string]string{
			"name": quoted(fmt.Sprint("T", i)), "tid": fmt.Sprint(i), "pid": "7",
			"samples": written(rng, t.samples, form), "nativeAllocations": written(rng, t.allocations, form), "markers": written(rng, t.markers, form),
		}
		if form != processedShared {
			for name, table := range tables {
				members[name] = table
			}
		}
		threads = append(threads, object(rng, members))
	}
	var categories, libs []map[string]string
	for _, name := range p.categories {
		categories = append(categories, map[string]string{"name": name})
	}
	for _, name := range p.libs {
		libs = append(libs, map[string]string{"name": name, "breakpadId": "0"})
	}
	members := map[string]string{
		"meta": `{"startTime":1000,"interval":2,"preprocessedProfileVersion":50,"sampleUnits":{"threadCPUDelta":"ns"},"categories":` + quoted(categories) + `}`,
		"libs": quoted(libs), "threads": "[" + strings.Join(threads, ",") + "]",
	}
	if form == processedShared {
		members["shared"] = object(rng, tables)
	}
	return object(rng, members)
}

// samples gives what the samples of a profile are, by going up from each: time,
// thread, stack and the rest.
func (p *profile) samples() []string {
	type sample struct {
		at   float64
		text string
	}
	var all []sample
	stacks, frames, functions := p.tables["stackTable"], p.tables["frameTable"], p.tables["funcTable"]
	for thread, t := range p.threads {
		for row := range t.samples["time"] {
			at := t.samples["time"][row]
			if at == nil {
				continue
			}
			var path []string
			category := ""
			for stack := t.samples["stack"][row]; stack != nil && stack.(int) < len(stacks["frame"]); {
				frame := stacks["frame"][stack.(int)].(int)
				if c := frames["category"][frame]; c != nil && category == "" {
					category = p.categories[c.(int)]
				}
				fun := frames["func"][frame].(int)
				if name := p.strings[functions["name"][fun].(int)]; name != "(root)" || functions["fileName"][fun] != nil {
					path = append([]string{name}, path...)
				}
				prefix := stacks["prefix"][stack.(int)]
				if prefix != nil && prefix.(int) >= stack.(int) {
					prefix = nil
				}
				stack = prefix
			}
			weight, used := 1, 0
			if w := t.samples["weight"][row]; w != nil {
				weight = w.(int)
			}
			if u := t.samples["threadCPUDelta"][row]; u != nil && row > 0 {
				used = u.(int)
			}
			all = append(all, sample{at.(float64), fmt.Sprint(int64(at.(float64)*1e6), " T", thread, " ", path, " ", category, " ", weight, " ", 2_000_000*weight, " ", used)})
		}
	}
	slices.SortStableFunc(all, func(a, b sample) int { return int(4*a.at) - int(4*b.at) })
	var texts []string
	for _, s := range all {
		texts = append(texts, s.text)
	}
	return texts
}

// readSamples gives the samples of a set in the same form.
func readSamples(set *data.Set) []string {
	e := set.Event(source.TypeSample)
	if e == nil {
		return nil
	}
	columns := sourcetest.Columns(set, e)
	value := func(field string, row int) int64 {
		if f := e.Field(field); f >= 0 {
			return columns[f].Values[row]
		}
		return 0
	}
	name := func(field string, row int) string {
		f := e.Field(field)
		if f < 0 || columns[f].Refs[row] == data.None {
			return ""
		}
		return set.Entity(e.Fields[f].Refers).NameOf(columns[f].Refs[row])
	}
	contexts := set.Entity(source.TypeContext)
	var texts []string
	for row := range e.Rows() {
		path := []string{}
		for c := columns[e.Field(source.TypeContext)].Refs[row]; c != data.None; c = contexts.Columns[0].Refs[c] {
			path = append([]string{set.Entity(source.TypeMethod).NameOf(contexts.Columns[1].Refs[c])}, path...)
		}
		texts = append(texts, fmt.Sprint(value("Time", row), " ", name(source.TypeThread, row), " ", path, " ", name("Category", row), " ",
			value("samples", row), " ", value("time", row), " ", value("cpu", row)))
	}
	return texts
}

// TestForms writes made-up profiles in all forms, with members in any order: their
// samples are those that a slow reading finds, and all else is the same.
func TestForms(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := drawProfile(rng)
		want := p.samples()
		for form := range forms {
			var first *data.Set
			for range 3 {
				text := p.text(rng, form)
				set := sourcetest.Read(t, []byte(text))
				if got := readSamples(set); !slices.Equal(got, want) {
					t.Fatalf("seed %d, form %d: samples\n%s\nwant\n%s\n%s", seed, form, strings.Join(got, "\n"), strings.Join(want, "\n"), text)
				}
				if first == nil {
					first = set
				} else if diff := sourcetest.Difference(first, set); diff != "" {
					t.Fatalf("seed %d, form %d: %s, depending on the order of members\n%s", seed, form, diff, text)
				}
			}
		}
	}
}
