package trace_test

import (
	"context"
	"testing"

	"github.com/cambium-prof/cambium/data"
	_ "github.com/cambium-prof/cambium/source/all"
	"github.com/cambium-prof/cambium/source/sourcetest"
	"github.com/cambium-prof/cambium/trace"
)

// TestRecorded builds recorded traces: what calls what by their times is what
// their contexts say, which readers know otherwise.
func TestRecorded(t *testing.T) {
	for name, calls := range map[string]int{
		"calltrace/lua_run1.chrome.json.gz":      54977,
		"calltrace/sqlite3_a.chrome.json.gz":     70863,
		"calltrace/sqlite3_b.chrome.json.gz":     99374,
		"calltrace/sqlite3_big1.uftrace.tar.zst": 1447599,
		"chrometrace/chromium_manual.json.gz":    34991,
		"chrometrace/nodetrace_terser.json":      379,
	} {
		t.Run(name, func(t *testing.T) {
			set := sourcetest.Read(t, sourcetest.Recorded(t, name))
			tr, err := trace.Build(context.Background(), set)
			if err != nil {
				t.Fatal(err)
			}
			if tr.Len() != calls || tr.Cut > 0 {
				t.Errorf("%d calls, %d cut; want %d", tr.Len(), tr.Cut, calls)
			}
			contexts := set.Entity("Context")
			callers, _ := contexts.Column("Caller")
			methods, _ := contexts.Column("Method")
			at, _ := tr.Calls.Column("Context")
			self, _ := tr.Calls.Column("Self")
			for c := range trace.CallID(tr.Len()) {
				row := tr.Event(c)
				own := at.Refs[row]
				want := data.None
				if p := tr.Parent[c]; p != trace.NoCall {
					want = at.Refs[tr.Event(p)]
				}
				if callers.Refs[own] != want || tr.Method[c] != methods.Refs[own] || tr.Self[c] != self.Values[row] {
					t.Fatalf("call %d, %s at depth %d: its context is called by %d, and its caller's is %d; self %d and %d", c, tr.Name(c), tr.Depth[c], callers.Refs[own], want, tr.Self[c], self.Values[row])
				}
			}
		})
	}
}
