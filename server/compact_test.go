package server

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

// A fan compacts by itself; what is done to it becomes a step, which every view
// of trees shows, and what cannot be done is said.
func TestCompact(t *testing.T) {
	r := serve(t, Options{Samples: allSamples(), Version: "test"})
	opened, err := r.client.OpenSample(t.Context(), connect.NewRequest(&v1.OpenSampleRequest{Name: "gowork.cpu.pb.gz"}))
	if err != nil {
		t.Fatal(err)
	}
	set := r.await(opened.Msg.DataSet, v1.DataSet_STATE_READY)
	scene := func(view, steps string) *v1.Scene {
		return r.scene(&v1.GetSceneRequest{Look: &v1.Look{DataSet: set.Id, Steps: steps}, View: view, Width: 900, Height: 600})
	}
	act := func(view, steps, action string, id uint32) *v1.CompactResponse {
		t.Helper()
		answer, err := r.client.Compact(t.Context(), connect.NewRequest(&v1.CompactRequest{
			Look: &v1.Look{DataSet: set.Id, Steps: steps}, View: view, Action: action, Id: id,
		}))
		if err != nil {
			t.Fatal(err)
		}
		return answer.Msg
	}
	fan := scene("fan", "")
	if fan.Steps != "compact:1" || fan.Sectors.Shape != v1.Sectors_SHAPE_DISCS || fan.Lines == nil || len(fan.Texts) == 0 {
		t.Fatalf("the fan of no steps shows %q with %v", fan.Steps, fan.Sectors.Shape)
	}
	if got := scene("ring", "").Steps; got != "" {
		t.Errorf("a ring adds the steps %q", got)
	}
	// The second disc is that of the largest node.
	ids := fan.Sectors.Id
	id := uint32(ids[4]) | uint32(ids[5])<<8 | uint32(ids[6])<<16
	if a := act("fan", "", "compact", id); a.Steps != "" || !strings.Contains(a.Blocked, "a single element") {
		t.Errorf("compacting what is compacted gives %v", a)
	}
	expanded := act("fan", "", "expand-all", 0)
	if expanded.Steps != "compact:1;expand-all" || expanded.Blocked != "" {
		t.Fatalf("expanding all gives %v", expanded)
	}
	more, ring := scene("fan", expanded.Steps), scene("ring", expanded.Steps)
	if more.Drawn <= fan.Drawn {
		t.Errorf("the fan shows %d nodes after expanding all, and %d before", more.Drawn, fan.Drawn)
	}
	if all := func(s *v1.Scene) int64 { return s.Drawn + s.TooSmall + s.Deeper }; all(ring) != all(more) {
		t.Errorf("a ring has %d nodes and a fan %d", all(ring), all(more))
	}
	// Elsewhere, all names are shown whole to begin with.
	if a := act("ring", "focus:1,depth:4", "compact", 1); !strings.HasPrefix(a.Steps, "focus:1,depth:4,compact:") || !strings.HasSuffix(a.Steps, ";compact:1") {
		t.Errorf("compacting in a ring gives %v", a)
	}
	if _, err := r.client.Compact(t.Context(), connect.NewRequest(&v1.CompactRequest{Look: &v1.Look{DataSet: set.Id}, View: "fan", Action: "explode"})); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("an action that there is not gives %v", err)
	}
}
