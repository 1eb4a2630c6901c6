package data

import "testing"

// Readers grow columns by doubling; a data set that stays open is not to hold
// what was never filled.
func TestFinishedEventsHoldNoSlack(t *testing.T) {
	b := NewBuilder("grown", "test")
	m, err := b.EntityType("Method", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Add("f"); err != nil {
		t.Fatal(err)
	}
	const n = 1000
	for name, spare := range map[string]int{"Grown": n, "Exact": 0, "Empty": -n} {
		e, err := b.EventType(name, "", Value("v", "", ""), Ref("m", "Method", ""))
		if err != nil {
			t.Fatal(err)
		}
		rows := min(n, n+spare)
		v, refs := make([]int64, rows, n+max(spare, 0)), make([]EntityID, rows, n+max(spare, 0))
		for i := range v {
			v[i] = int64(i)
		}
		if err := e.Adopt(rows, Column{Values: v}, Column{Refs: refs}); err != nil {
			t.Fatal(err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range set.Events() {
		v, m := e.Columns[0].Values, e.Columns[1].Refs
		if len(v) != e.Rows() || len(m) != e.Rows() || v == nil || m == nil || cap(v) > n+n/8 || cap(m) > n+n/8 || len(v) > 0 && v[n-1] != n-1 {
			t.Errorf("%s: %d values in the room of %d, %d references in that of %d", e.Definition.Name, len(v), cap(v), len(m), cap(m))
		}
	}
}
