package matches

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cambium-prof/cambium/match"
	"github.com/cambium-prof/cambium/trace"
)

// icicle lays out a trace in so many pixels, and writes nodes and boxes by row.
func icicle(t *testing.T, text string, focus [2]int64, pixels float64, rows int) string {
	t.Helper()
	tr := traceOf(t, drawing(t, text))
	if focus == ([2]int64{}) {
		focus[1] = tr.To - tr.From
	}
	h := newHalf(tr, trace.NewLevels(tr, nil), match.A, focus, threadsOf(tr), 0, pixels)
	if rows == 0 {
		rows = h.used
	}
	h.layOut(0, 10, rows)
	lines := make([][]string, h.rows)
	for _, n := range h.nodes {
		lines[n.row] = append(lines[n.row], fmt.Sprintf("%s %.4g-%.4g", tr.Name(n.call), n.x0, n.x1))
	}
	for _, b := range h.boxes {
		lines[b.row] = append(lines[b.row], fmt.Sprintf("#%d %.3g-%.3g to %d", b.End-b.First, b.x0, b.x1, b.end))
	}
	if h.deeper > 0 {
		lines = append(lines, []string{fmt.Sprintf("%d deeper", h.deeper)})
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.Join(line, ", ") + "\n")
	}
	return out.String()
}

func threadsOf(t *trace.Trace) (all []int) {
	for i := range t.Threads {
		all = append(all, i)
	}
	return all
}

func TestIcicle(t *testing.T) {
	const deep = `
m-------------------
 f----  g--h--
  aaa    c cd
  bbb      e`
	const two = `
m-------
 f--

n-------
  f-`
	for _, c := range []struct {
		name, text, want string
		focus            [2]int64
		pixels           float64
		rows             int
	}{
		{name: "each call is as wide as it takes", text: deep, pixels: 200, want: "m 0-200\nf 10-60, g 80-110, h 110-140\na 20-30, a 30-40, a 40-50, c 90-100, c 110-120, d 120-130\nb 20-30, b 30-40, b 40-50, e 110-120\n"},
		{name: "stacks under a pixel are boxes", text: deep, pixels: 10, want: "m 0-10\nf 0.5-3, g 4-5.5, h 5.5-7\n#6 1-2.5 to 4, #1 4.5-5 to 3, #3 5.5-6.5 to 4\n\n"},
		{name: "all of it is a box", text: deep, pixels: 0.5, want: "#14 0-0.5 to 4\n\n\n\n"},
		{name: "a part of the time", text: deep, focus: [2]int64{400, 1200}, pixels: 80, want: "m 0-80\nf 0-20, g 40-70, h 70-80\na 0-10, c 50-60, c 70-80\nb 0-10, e 70-80\n"},
		{name: "rows that have no room", text: deep, pixels: 200, rows: 2, want: "m 0-200\nf 10-60, g 80-110, h 110-140\n10 deeper\n"},
		{name: "threads one after the other", text: two, pixels: 80, want: "m 0-80\nf 10-40\nn 0-80\nf 20-40\n"},
	} {
		if got := icicle(t, c.text, c.focus, c.pixels, c.rows); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// drawTrace draws a trace of any shape.
func drawTrace(t *rapid.T, tb testing.TB, name string) *trace.Trace {
	var threads []string
	for range rapid.IntRange(1, 2).Draw(t, name+" threads") {
		width := rapid.IntRange(8, 60).Draw(t, "width")
		lines := []string{"m" + strings.Repeat("-", width-1)}
		for depth := 1; depth < 6; depth++ {
			above, line := lines[depth-1], make([]byte, width)
			for i := range line {
				line[i] = ' '
			}
			for at := 0; at < width; {
				if above[at] == ' ' {
					at++
					continue
				}
				end := at + 1 // of the caller
				for end < width && above[end] == '-' {
					end++
				}
				for at < end {
					from := at + rapid.IntRange(0, 4).Draw(t, "gap")
					to := from + rapid.IntRange(1, 12).Draw(t, "took")
					if to > end {
						break
					}
					line[from] = "abcdef"[rapid.IntRange(0, 5).Draw(t, "method")]
					for i := from + 1; i < to; i++ {
						line[i] = '-'
					}
					at = to
				}
				at = end
			}
			if strings.TrimSpace(string(line)) == "" {
				break
			}
			lines = append(lines, string(line))
		}
		threads = append(threads, strings.Join(lines, "\n"))
	}
	return traceOf(tb, drawing(tb, strings.Join(threads, "\n\n")))
}

// TestIcicleAccounts: every call that has a part of the time is a node, in a box,
// or too deep; nodes are a pixel wide and boxes have nothing that is.
func TestIcicleAccounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := drawTrace(rt, t, "a")
		length := tr.To - tr.From
		from := rapid.Int64Range(0, length-1).Draw(rt, "from")
		focus := [2]int64{from, from + rapid.Int64Range(1, length-from).Draw(rt, "time")}
		if rapid.Bool().Draw(rt, "all") {
			focus = [2]int64{0, length}
		}
		pixels := rapid.Float64Range(1, 300).Draw(rt, "pixels")
		h := newHalf(tr, trace.NewLevels(tr, nil), match.B, focus, threadsOf(tr), 5, pixels)
		h.layOut(400, -7, rapid.IntRange(1, h.used).Draw(rt, "rows"))
		least := h.perPixel()
		deeper := int64(0)
		for c := range trace.CallID(tr.Len()) {
			in := tr.Start[c] < h.until() && tr.Stop[c] > tr.From+focus[0]
			spanned := slices.ContainsFunc(h.spans, func(s match.Span) bool { return c >= s.First && c < s.End })
			if in != spanned {
				rt.Fatalf("call %d from %d to %d: in the spans %v, want %v", c, tr.Start[c]-tr.From, tr.Stop[c]-tr.From, spanned, in)
			}
			if !in {
				continue
			}
			n, own := h.find(c)
			box := h.boxOf(c)
			row := h.base[tr.ThreadOf(c)] + int(tr.Depth[c])
			switch {
			case own && box >= 0:
				rt.Fatalf("call %d is a node and in a box", c)
			case own:
				if tr.Duration(c) < least || int(h.nodes[n].row) != row || h.nodes[n].x1 > 5+pixels+1e-9 || h.nodes[n].x0 < 5 {
					rt.Fatalf("call %d takes %d of %d: %+v", c, tr.Duration(c), least, h.nodes[n])
				}
			case box >= 0:
				if tr.Duration(c) >= least || row >= int(h.boxes[box].end) && int(h.boxes[box].end) < h.rows {
					rt.Fatalf("call %d on row %d takes %d of %d, in %+v", c, row, tr.Duration(c), least, h.boxes[box])
				}
			case row < h.rows:
				rt.Fatalf("call %d on row %d is nowhere", c, row)
			default:
				deeper++
			}
		}
		if focus == ([2]int64{0, length}) && deeper != h.deeper {
			rt.Fatalf("%d calls are too deep, counted %d", deeper, h.deeper)
		}
		for i, n := range h.nodes {
			if n.parent >= 0 && (h.nodes[n.parent].call != tr.Parent[n.call] || int(n.end) > int(h.nodes[n.parent].end)) || int(n.end) <= i {
				rt.Fatalf("node %d is %+v", i, n)
			}
		}
	})
}

func TestRowHeight(t *testing.T) {
	for _, c := range []struct {
		height float64
		used   int
		row    float64
		rows   int
	}{
		{600, 10, 18, 10},    // as high as they get
		{600, 20, 8, 20},     // 9.3 each, in steps
		{600, 100, 2.5, 100}, // lower than that they do not get
		{600, 1000, 2.5, 100},
		{10, 5, 2.5, 1},
	} {
		if row, rows := rowHeight(c.height, c.used); row != c.row || rows != c.rows {
			t.Errorf("%d rows in %g: %d of %g, want %d of %g", c.used, c.height, rows, row, c.rows, c.row)
		}
	}
}

// TestTimesBeyondFloats: a trace whose clock counts from long ago has its calls
// where they are, to the nanosecond.
func TestTimesBeyondFloats(t *testing.T) {
	tr := traceOf(t, drawingFrom(t, "m---------\n    f", math.MaxInt64-10_000))
	h := newHalf(tr, trace.NewLevels(tr, nil), match.A, [2]int64{0, 10 * column}, threadsOf(tr), 0, 10)
	h.layOut(0, 10, 2)
	if len(h.nodes) != 2 || h.nodes[1].x0 != 4 || h.nodes[1].x1 != 5 {
		t.Errorf("nodes %+v", h.nodes)
	}
}
