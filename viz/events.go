package viz

import (
	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

// EventChart is a chart that receives events. Its life is that of EVolve: it
// is configured, receives the events of its subject that the workspace's
// filter leaves, batch after batch and in order, and then shows them, as often
// and in as many ways as it is asked. What needs other events, or other cells,
// is another chart; what does not (order, size, theme, a part of the rows) is
// in the [Frame], so that it never costs a pass.
//
// Calls are never concurrent. Scene and the optional methods below may be
// called between batches too: the chart then shows what it has so far.
type EventChart interface {
	Chart
	Batch(Batch) error
	Scene(Frame) (*scene.Scene, error)
}

// Batch is a run of events that the filter left, in order. It is only valid
// during the call that receives it.
type Batch struct {
	Rows    int
	Columns []data.Column // by dimension of the definition; empty if no field is mapped to an optional one
	// Group is the colour group per row: 0 for none, g for group g-1. It is
	// nil if there are no groups.
	Group []uint8

	first   int64
	offsets []uint32 // row -> distance from first; nil if nothing was filtered out
	events  []int64  // row -> how many events it stands for; nil for one each
}

// Events is how many events a row stands for: one, unless the chart is
// [Additive].
func (b *Batch) Events(row int) int64 {
	if b.events == nil {
		return 1
	}
	return b.events[row]
}

// Sequence is the sequence number of an event within its type, of the first if
// the row stands for several.
func (b *Batch) Sequence(row int) int64 {
	if b.offsets == nil {
		return b.first + int64(row)
	}
	return b.first + int64(b.offsets[row])
}

// Frame is how a chart is looked at.
type Frame struct {
	Viewport
	Dark   bool
	Groups []Group // in the order that Batch.Group counts them
	// Orders gives the entities of a dimension that occur, by dimension name,
	// in the order in which to show them. A dimension of values has none.
	Orders map[string][]data.EntityID
	// Selected marks the entities of a dimension that are selected, by
	// dimension name and row of the entity table. It is nil without a
	// selection, and has no entry for what the selection says nothing about.
	Selected map[string][]bool
	// SelectedCalls are the calls of a trace that are selected: positions in the
	// levels of Config.Calls, rising; nil without a selection. Charts of traces
	// alone have them.
	SelectedCalls []int32
	// Sides are the same for the two traces of a comparison, by match.Side.
	Sides [2]SideFrame
	// Rows and Columns are the part of the entities on the axes to show, as
	// positions in Orders; the zero value is all of them.
	Rows, Columns Range
	// First is the first row of a table to write out.
	First int
}

// SideFrame is how one side of a comparison is looked at.
type SideFrame struct {
	Focus         *Period // as of Pairing
	SelectedCalls []int32 // as of Frame, in the levels of that side's Calls
	Threads       []int   // those whose calls are shown, rising
}

// Range is a half-open interval; the zero value stands for everything.
type Range struct{ From, To float64 }

// All reports whether the range is everything.
func (r Range) All() bool { return !(r.To > r.From) }

// Group is a named colour that the workspace gives to events and entities, the
// same in all charts.
type Group struct {
	Name   string      `json:"name"`
	Color  scene.Color `json:"color"`
	Filter string      `json:"filter"` // what belongs to it: see query.ParseFilter
	Hidden bool        `json:"hidden,omitempty"`
}

// Period is the part of a coordinate to show, ends included.
type Period struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// The rest of the protocol is optional: a chart has these methods if they mean
// something for it.

// Sorted is a chart with entities on its axes, which can be sorted.
type Sorted interface {
	// Entities gives the entities that occur on a dimension, nil if it has none.
	Entities(dimension string) *Entities
}

// Pointed is a chart that can say what is under the pointer.
type Pointed interface {
	At(f Frame, x, y float64) (Hit, bool)
}

// Selectable is a chart in which a rectangle, or a point, selects.
type Selectable interface {
	// Select gives what the rectangle covers, of which corners may be equal.
	Select(f Frame, r scene.Box) Selection
}

// Answering is a chart that can say in numbers what it shows: what `cambium
// chart` prints. It is a []Value or a *Grid, or whatever else encodes as JSON.
type Answering interface {
	Answer(Frame) any
}

// Hit is what is under the pointer.
type Hit struct {
	Title string
	Facts []Fact
	// Marks are parts of the picture that belong to it, and are marked while it
	// is pointed at.
	Marks []Mark
}

// Mark is a rectangle that is laid over a picture.
type Mark struct {
	scene.Box
	Color scene.Color
}

// Fact is a line of a hit: what, and how much.
type Fact struct{ Name, Value string }

// Selection is what a person selected in a chart.
type Selection struct {
	// Entities are the chosen ones, by dimension name.
	Entities map[string][]data.EntityID
	// Periods are parts of coordinates, by dimension name.
	Periods map[string]Period
	// Events is a run of sequence numbers; nil if the selection has none.
	Events *Period
	// Filter is a selection in the words of a filter, besides the others.
	Filter string
	// Focus moves the focus of a comparison, by match.Side: nil leaves it, and a
	// focus from 0 to 0 is all.
	Focus [2]*Period
}

// Value is a bar, or a row of a table.
type Value struct {
	Entity string `json:"entity"`
	Value  int64  `json:"value"`
}

// Grid is what a chart of cells shows. Cells are column, row and value, by
// column and then row.
type Grid struct {
	X0       int64      `json:"x0"`                // where column 0 starts, a multiple of Interval
	Interval int64      `json:"interval"`          // width of a column
	Columns  []string   `json:"columns,omitempty"` // of a grid with entities on both axes
	Rows     []string   `json:"rows"`
	Cells    [][3]int64 `json:"cells"`
}

// Celled is an answer that has a grid, and perhaps more.
type Celled interface{ Grid() *Grid }

// Grid gives the grid itself.
func (g *Grid) Grid() *Grid { return g }
