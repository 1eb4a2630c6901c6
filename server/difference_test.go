package server

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

// TestDifference compares two profiles as the page does: what metrics are of,
// what is in the columns of both sides, swapped and normalised.
func TestDifference(t *testing.T) {
	r := serve(t, Options{})
	a := r.upload("a.folded", "main;gone 3\nmain;x.y.func1 5\n")
	b := r.upload("b.folded", "main;fresh 1\nmain;x.y.func2 7\n")
	answer, err := r.client.Compare(t.Context(), connect.NewRequest(&v1.CompareRequest{DataSets: []string{a, b}}))
	if err != nil {
		t.Fatal(err)
	}
	d := r.await(answer.Msg.DataSet, v1.DataSet_STATE_READY)
	var metrics []string
	for _, m := range d.Metrics {
		metrics = append(metrics, fmt.Sprintf("%s: %s of %s, %d", m.Name, m.Part, m.Of, m.Total))
	}
	if got, want := strings.Join(metrics, "|"), "samples: PART_BOTH of samples, 16|samples, normalised: PART_NORMALISED of samples, 2000000000|"+
		"samples in A: PART_A of samples, 8|samples in B: PART_B of samples, 8"; got != want || d.Traces || d.Contexts != 4 || strings.Join(d.Compares, ",") != a+","+b {
		t.Errorf("the metrics are %s, of %v", got, d)
	}
	sides := func(look *v1.Look, view string) string {
		t.Helper()
		look.DataSet = d.Id
		sec := r.scene(&v1.GetSceneRequest{Look: look, View: view, Width: 640, Height: 480}).Sectors
		at := func(column []byte, i int) float64 {
			return math.Round(1000*math.Float64frombits(binary.LittleEndian.Uint64(column[8*i:]))) / 1000
		}
		text := fmt.Sprint(sec.Sides.Share, sec.Sides.WholeFrom, sec.Sides.WholeTo)
		for i := range sec.Kind {
			name := ""
			if m := binary.LittleEndian.Uint32(sec.Method[4*i:]); int(m) < len(sec.Names) {
				name = sec.Names[m]
			}
			text += fmt.Sprintf("|%s %g→%g %g→%g", name, at(sec.Sides.TotalFrom, i), at(sec.Sides.TotalTo, i), at(sec.Sides.SelfFrom, i), at(sec.Sides.SelfTo, i))
		}
		return text
	}
	for _, c := range []struct {
		look *v1.Look
		want string
	}{
		{&v1.Look{}, "false 8 8| 8→8 0→0|main 8→8 0→0|x.y.func# 5→7 5→7|gone 3→0 3→0|fresh 0→1 0→1"},
		{&v1.Look{Swapped: true}, "false 8 8| 8→8 0→0|main 8→8 0→0|x.y.func# 7→5 7→5|gone 0→3 0→3|fresh 1→0 1→0"},
		{&v1.Look{Metric: "samples, normalised"}, "true 1 1| 1→1 0→0|main 1→1 0→0|x.y.func# 0.625→0.875 0.625→0.875|gone 0.375→0 0.375→0|fresh 0→0.125 0→0.125"},
	} {
		for _, view := range []string{"ring", "icicle"} {
			if got := sides(c.look, view); got != c.want {
				t.Errorf("%s, %v:\n%s\nwant\n%s", view, c.look, got, c.want)
			}
		}
	}
	// A panel among others is asked in another way, and says the same.
	stream, err := r.client.Visualize(t.Context(), connect.NewRequest(&v1.VisualizeRequest{DataSet: d.Id, Shared: &v1.Shared{Pairing: &v1.Pairing{Swapped: true}},
		Panels: []*v1.Panel{{Id: "1", View: "icicle", Width: 640, Height: 480}}}))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for stream.Receive() {
		for _, p := range stream.Msg().Pictures {
			if p.Error != "" || p.Params["color"] != "change" || !strings.Contains(p.Scene.Legend.Title, "B to A") {
				t.Errorf("the panel is %q, %v, %v", p.Error, p.Params, p.Scene.GetLegend())
			}
		}
	}
	form, err := r.client.GetForm(t.Context(), connect.NewRequest(&v1.GetFormRequest{DataSet: a, View: "ring"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range form.Msg.Parameters {
		if p.Name == "least" || p.Name == "color" && (p.DefaultValue != "package" || len(p.Choices) != 3) {
			t.Errorf("one profile alone is offered %v", p)
		}
	}
	if _, err := r.client.Compare(t.Context(), connect.NewRequest(&v1.CompareRequest{DataSets: []string{a, b}, Names: "loud"})); err == nil || !strings.Contains(err.Error(), "exact, stable or short") {
		t.Errorf("names compared as loud: %v", err)
	}
}
