package uftrace

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

var (
	dumped = regexp.MustCompile(`^(\d+)\.(\d{9}) +(\d+): \[(entry|exit |event)\] (.*)\(([0-9a-f]+)\)(?: depth: \d+)?$`)
	valued = regexp.MustCompile(`=(-?\d+)(KB)?`)
)

// TestDump compares a recording with arguments, results and events with what
// uftrace dump prints of it: every begin and end of a call, every event with its
// values, every switch.
func TestDump(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(file(t, "truth/arguments.dump.txt.gz")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	add := func(kind, format string, args ...any) { want[kind] = append(want[kind], fmt.Sprintf(format, args...)) }
	processor, lines := "", strings.Split(string(text), "\n")
	for i, line := range lines {
		if name, ok := strings.CutPrefix(line, "reading perf-cpu"); ok {
			processor = strings.TrimSuffix(name, ".dat")
		}
		f := dumped.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		at := f[1] + f[2]
		switch {
		case f[4] != "event":
			add(f[4], "%s %s %s", at, f[3], f[5])
		case processor == "":
			values := ""
			for _, v := range valued.FindAllStringSubmatch(lines[i+2], -1) {
				n, _ := strconv.ParseInt(v[1], 10, 64)
				if v[2] == "KB" {
					n <<= 10
				}
				values += fmt.Sprint(" ", n)
			}
			add(f[5], "%s %s%s", at, f[3], values)
		case strings.HasPrefix(f[5], "linux:sched-"):
			add("Switch", "%s %s %s %s", at, f[3], strings.TrimPrefix(f[5], "linux:sched-"), processor)
		}
	}
	set := sourcetest.Read(t, file(t, "arguments.tar.zst"))
	if len(set.Warnings) > 0 {
		t.Errorf("warnings are %q", set.Warnings)
	}
	got := map[string][]string{}
	thread := func(e *data.EventTable, row int) string {
		c, _ := e.Column(source.TypeThread)
		name := set.Entity(source.TypeThread).NameOf(c.Refs[row])
		if name == "args" {
			name = "29379"
		}
		return strings.TrimPrefix(name, "thread ")
	}
	contexts := set.Entity(source.TypeContext)
	methodOf, _ := contexts.Column(source.TypeMethod)
	for _, e := range set.Events() {
		kind := e.Name
		value := func(name string, row int) int64 {
			c, _ := e.Column(name)
			return c.Values[row]
		}
		for row := range e.Rows() {
			switch kind {
			case source.TypeCall:
				at, _ := e.Column(source.TypeContext)
				name := set.Entity(source.TypeMethod).NameOf(methodOf.Refs[at.Refs[row]])
				for kind, took := range map[string]int64{"entry": 0, "exit ": value("Duration", row)} {
					got[kind] = append(got[kind], fmt.Sprintf("%d %s %s", value("Start", row)+took, thread(e, row), name))
				}
			case "Switch":
				states, _ := e.Column("Scheduling")
				got[kind] = append(got[kind], fmt.Sprintf("%d %s %s %d", value("Time", row), thread(e, row), set.Entity("Scheduling").NameOf(states.Refs[row]), value("CPU", row)))
			default:
				line := fmt.Sprintf("%d %s", value("Time", row), thread(e, row))
				for _, f := range e.Fields[eventFields:] {
					if !f.IsReference() {
						line += fmt.Sprint(" ", value(f.Name, row))
					}
				}
				got[kind] = append(got[kind], line)
			}
		}
	}
	if len(want["entry"]) != 99 || len(want["Switch"]) < 20 || len(want) != 6 {
		t.Errorf("uftrace has %d calls and %d switches, and events %v", len(want["entry"]), len(want["Switch"]), slices.Collect(maps.Keys(want)))
	}
	for kind, lines := range want {
		slices.Sort(lines)
		slices.Sort(got[kind])
		if !slices.Equal(got[kind], lines) {
			t.Errorf("%s: got %q, uftrace has %q", kind, got[kind], lines)
		}
	}
}

// TestArgumentsLikeRecords writes calls whose arguments and results could be taken
// for records: times of now, and words that have the mark of records, but of
// another depth.
func TestArgumentsLikeRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var raw []byte
		time, ended := uint64(1e12), 0
		word := func(w uint64) { raw = binary.LittleEndian.AppendUint64(raw, w) }
		rec := func(kind uint64, depth int) {
			more := rapid.IntRange(0, 2).Draw(t, "words")
			time += rapid.Uint64Range(0, 5).Draw(t, "later")
			word(time)
			flag := uint64(0)
			if more > 0 {
				flag = 1 << 2
			}
			word(kind | flag | 5<<3 | uint64(depth)<<6 | 0x401000<<16)
			for range more {
				word(time + rapid.Uint64Range(0, 1e9).Draw(t, "time"))
				far := depth + rapid.IntRange(3, 500).Draw(t, "away")
				word(rapid.Uint64Range(0, 7).Draw(t, "kind")&^kindLost | 5<<3 | uint64(far)<<6 | 0x5555<<32)
			}
		}
		var call func(depth int)
		call = func(depth int) {
			rec(kindEntry, depth)
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				if depth < 4 {
					call(depth + 1)
				}
			}
			rec(kindExit, depth)
			ended++
		}
		call(0)
		b := data.NewBuilder("test", "uftrace")
		r := newReader(context.Background(), b)
		if err := r.file("1.dat", bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		set, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if n := set.Event(source.TypeCall).Rows(); n != ended || len(set.Warnings) != 1 { // that there is no symbol
			t.Fatalf("%d calls of %d, warnings %q", n, ended, set.Warnings)
		}
	})
}
