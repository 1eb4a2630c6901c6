package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// small makes a store with several segments and row groups.
func small(t testing.TB) (set *data.Set, dir string) {
	set = rapid.Custom(func(t *rapid.T) *data.Set { return anySet(t, 3000) }).Example(1)
	dir = filepath.Join(t.TempDir(), "small")
	stored(t, set, dir, cuts{1200, 400})
	return set, dir
}

// use opens a store and reads everything in every way.
func use(dir string) error {
	set, err := Open(context.Background(), dir)
	if err != nil {
		return err
	}
	for _, t := range set.Events() {
		if err := t.Read(context.Background(), set.Paths(t.Definition), func(data.Batch) error { return nil }); err != nil {
			return err
		}
		for _, engine := range []string{engineLoops, engineDuckDB} {
			e := *t.Store().(*events)
			e.engine = engine
			r := data.Reduction{To: e.table.Rows, Sums: []int{data.CountField}}
			for f := range t.Fields {
				r.Keys = append(r.Keys, data.Key{Field: f})
			}
			if _, err := e.Reduce(context.Background(), r); err != nil && !errors.Is(err, data.ErrTooMany) {
				return err
			}
		}
	}
	return nil
}

func allFiles(t testing.TB, dir string) (names []string) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestDamage cuts, alters and removes each file of a store: that must not
// panic, and what is cut or gone must be told with the name of the file.
func TestDamage(t *testing.T) {
	_, dir := small(t)
	if err := use(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range allFiles(t, dir) {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		expect := func(what string) {
			t.Helper()
			if err := use(dir); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		put := func(content []byte) {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []int{0, 1, 7, len(whole) / 2, len(whole) - 2} {
			put(whole[:n])
			expect("cut")
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/40 {
			broken := bytes.Clone(whole)
			broken[at] ^= 0x55
			put(broken)
			use(dir) // whatever it gives
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		expect("removed")
		put(whole)
	}
	if err := use(dir); err != nil {
		t.Error(err)
	}
}

// TestManifest changes what the manifest says, which then is not true.
func TestManifest(t *testing.T) {
	_, dir := small(t)
	name := filepath.Join(dir, ManifestName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"format": "cambium store"`, `"format": "something"`, `"something"`},
		{`"version": 1`, `"version": 2`, "only version 1"},
		{`"file": "entities/0-class.parquet"`, `"file": "../../../etc/passwd"`, "not inside the store"},
		{`"file": "events/0-call/000000.parquet"`, `"file": "/etc/passwd"`, "not inside the store"},
		{`"rows": 3000`, `"rows": 3001`, "3000 rows instead of 3001"},
		{`"rows": 1200`, `"rows": 1100`, "segment 0 has 1100 rows"},
		{`"segment_rows": 1200`, `"segment_rows": 1201`, "segments of 1201 rows"},
		{`"group_rows": 400`, `"group_rows": 200`, "row group 0 has 400 rows instead of 200"},
		{`"group_rows": 400`, `"group_rows": -400`, "groups of -400 rows"},
		{`"refers": "Method"`, `"refers": "Nobody"`, "Nobody"},
		{`"named": true`, `"named": false`, "names"},
		{`"time_2",`, ``, "3 columns for 4 fields"},
		{`"name_2"`, `"nowhere"`, `has no column "nowhere"`},
		{`"time_2",`, `"Time",`, `instead of a required INT32`},
	} {
		if !bytes.Contains(whole, []byte(c.from)) {
			t.Errorf("the manifest has no %s", c.from)
		}
		if err := os.WriteFile(name, bytes.Replace(whole, []byte(c.from), []byte(c.to), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		err := use(dir)
		if c.want == "names" { // a store without names is one
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %s: %v", c.to, err)
		}
	}
}

// TestForeignIDs gives a segment ids that the entity table does not have: they
// are indexes, and must not get through.
func TestForeignIDs(t *testing.T) {
	_, dir := small(t)
	name := filepath.Join(dir, "events", "0-call", "000001.parquet")
	column := make([]data.EntityID, 1200)
	column[700] = 1 << 30
	times := make([]int64, 1200)
	headers := []string{"Time", "Method", "time_2", "Cost"}
	if err := writeTable(name, table{nil, []data.Column{{Values: times}, {Refs: column}, {Refs: column}, {Values: times}}, headers, 1200}, 400); err != nil {
		t.Fatal(err)
	}
	set, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	calls := set.Event("Call")
	for _, engine := range []string{"read", engineLoops, engineDuckDB} {
		if engine == engineDuckDB && !duckDB {
			continue
		}
		e := *calls.Store().(*events)
		e.engine = engine
		if engine == "read" {
			err = calls.Read(context.Background(), set.Paths(calls.Definition), func(data.Batch) error { return nil })
		} else {
			_, err = e.Reduce(context.Background(), data.Reduction{To: 3000, Keys: []data.Key{{Field: 1}}, Sums: []int{data.CountField}})
		}
		if err == nil || !strings.Contains(err.Error(), "refers to entity 1073741824") {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

func TestCancel(t *testing.T) {
	_, dir := small(t)
	ctx, cancel := context.WithCancel(context.Background())
	set, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Event("Call").Store().(*events)
	batches := 0
	err = e.Read(ctx, []int{0, 1}, 0, 3000, func(data.Batch) error {
		batches++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || batches != 1 {
		t.Errorf("%d batches and %v", batches, err)
	}
	wrong := errors.New("wrong")
	if err := e.Read(context.Background(), []int{0}, 0, 3000, func(data.Batch) error { return wrong }); err != wrong {
		t.Errorf("not the caller's error: %v", err)
	}
	for _, engine := range []string{engineLoops, engineDuckDB} {
		e := *e
		e.engine = engine
		if _, err := e.Reduce(ctx, data.Reduction{To: 3000, Keys: []data.Key{{Field: 0}}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", engine, err)
		}
	}
	if _, err := Open(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("opened: %v", err)
	}
	w, err := Create(dir + "2")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(ctx, set); !errors.Is(err, context.Canceled) {
		t.Errorf("finished: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if left := allFiles(t, filepath.Dir(dir)); len(left) != len(allFiles(t, dir)) {
		t.Errorf("left behind: %q", left)
	}
}

func TestCreateRefused(t *testing.T) {
	_, dir := small(t)
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("created over another: %v", err)
	}
	// Whatever else is called like an unfinished store stays.
	if err := os.WriteFile(dir+"2.part", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir + "2"); err == nil {
		t.Error("created over a file")
	}
	// What an interrupted import left is replaced.
	for range 2 {
		if _, err := Create(dir + "3"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSource opens a store as any other source, and tells of other folders.
func TestSource(t *testing.T) {
	_, dir := small(t)
	in, err := source.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	set, err := source.Read(context.Background(), in)
	if err != nil || set.Name != dir || set.Format != "test" {
		t.Errorf("%v %v", set, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if _, err := source.Open(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("an empty folder gives %v", err)
	}
}

// TestSpill builds the same set in memory and with its events elsewhere.
func TestSpill(t *testing.T) {
	var s Scratch
	build := func(spill bool, limit int64) *data.Set {
		b := data.NewBuilder("x", "test")
		if spill {
			b.SpillTo(&s, limit)
		}
		m, _ := b.EntityType("Method", "")
		e, _ := b.EventType("Call", "", data.Ref("Method", "Method", ""), data.Value("v", "", ""))
		few, _ := b.EventType("Few", "", data.Value("v", "", ""))
		for i := range 700_000 {
			if err := e.Add(int64(i%2), int64(i)); err != nil {
				t.Fatal(err)
			}
		}
		refs, values := make([]data.EntityID, 300_000), make([]int64, 300_000)
		for range 2 {
			if err := e.Append(len(refs), data.Column{Refs: refs}, data.Column{Values: values}); err != nil {
				t.Fatal(err)
			}
		}
		few.Add(1)
		m.Add("f")
		m.Add("g")
		set, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	want := dump(t, build(false, 0))
	for _, limit := range []int64{0, 5 << 20, 1 << 30} {
		set := build(true, limit)
		if spilled := set.Event("Call").Store() != nil; spilled != (limit < 1<<30) || set.Event("Few").Store() != nil {
			t.Errorf("with %d bytes: spilled is %v", limit, spilled)
		}
		if got := dump(t, set); got != want {
			t.Errorf("with %d bytes:\n%s\nnot\n%s", limit, got, want)
		}
	}
	b := data.NewBuilder("x", "test")
	b.SpillTo(&s, 0)
	if _, err := b.EntityType("Method", ""); err != nil {
		t.Fatal(err)
	}
	e, _ := b.EventType("Call", "", data.Ref("Method", "Method", ""))
	ids := make([]data.EntityID, 300_000)
	for i := range ids {
		ids[i] = data.None
	}
	ids[299_999] = 4
	if err := e.Append(len(ids), data.Column{Refs: ids}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(); err == nil || !strings.Contains(err.Error(), `Call 299999: field "Method" refers to Method 4, but there are only 0`) {
		t.Errorf("a spilled reference to nobody: %v", err)
	}
	folder := s.dir
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", folder, err)
	}
	if _, err := s.Events(data.Definition{Name: "E"}); err == nil {
		t.Error("a closed place takes events")
	}
}
