package scene

// Box is a rectangle by two corners, X0 <= X1 and Y0 <= Y1.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Rects are rectangles. All columns but those that may be nil have the same length;
// a row is a rectangle, in drawing order.
type Rects struct {
	X, Y, W, H []float64
	Fill       []Color
	ID         []uint32 // of what it stands for, or NoName
	Match      []uint8  // what is selected: MatchSelf; nil without a selection
	Count      []uint32 // elements that it stands for because each is too small, the first of which has the ID; 0 for one that is drawn itself; nil if all are
	Boxes      *Boxes   // of a chart of trees: what else there is to say; nil otherwise
	Slope      []Slope  // how cushions are shaded; nil if the rectangles are flat
	End        []uint32 // first id that is not below ID, of ids in pre-order; nil if they are not
}

// Boxes are what the rectangles of a chart of trees have besides, as sectors
// have it: a row per rectangle. The ID of a mark is its parent's, and Match says
// what a search found, or what is selected.
type Boxes struct {
	Ink         []Color   // for a label on the fill
	Name        []uint32  // index into Names and ShortNames, or NoName
	Self, Total []float64 // as of sectors
	Count       []uint32  // contexts it stands for
	Label       []bool    // whether there is room for a part of the name
	Names       []string
	ShortNames  []string
	Sides       *Sides // nil unless two profiles are compared
	Up          bool   // what is called is above its caller
}

// Add appends a rectangle.
func (r *Rects) Add(x, y, w, h float64, fill Color, id uint32) {
	r.X, r.Y = append(r.X, x), append(r.Y, y)
	r.W, r.H = append(r.W, w), append(r.H, h)
	r.Fill, r.ID = append(r.Fill, fill), append(r.ID, id)
}

// Len is the number of rectangles.
func (r *Rects) Len() int { return len(r.X) }

// Raster is an image stretched over a rectangle, without smoothing: every cell
// of it means something.
type Raster struct {
	X, Y, W, H    float64
	Columns, Rows int
	Pixels        []Color // row by row, the top one first
}

// Lines are straight lines, such as the ticks of axes. All columns have the
// same length.
type Lines struct {
	X0, Y0, X1, Y1 []float64
	Width          []float64
	Color          []Color
}

// Add appends a line.
func (l *Lines) Add(x0, y0, x1, y1, width float64, c Color) {
	l.X0, l.Y0 = append(l.X0, x0), append(l.Y0, y0)
	l.X1, l.Y1 = append(l.X1, x1), append(l.Y1, y1)
	l.Width, l.Color = append(l.Width, width), append(l.Color, c)
}

// Len is the number of lines.
func (l *Lines) Len() int { return len(l.X0) }

// Table is a part of the rows of a table. It fills the room of the picture; a
// renderer that scrolls asks for other rows.
type Table struct {
	Columns []TableColumn
	First   int // position of Rows[0] among all rows
	Total   int // rows there are
	Rows    []TableRow
	Tree    bool // rows are those of a tree: they have a depth, and can be expanded
}

// TableColumn is the head of a column.
type TableColumn struct {
	Title  string
	Number bool // aligned to the right
	// Sort is what to set the chart's parameter "sort" to, to sort by this
	// column; "" if it cannot be. Sorted tells that it is.
	Sort   string
	Sorted Order
}

// Order is the order of the rows of a table by a column.
type Order uint8

const (
	Unsorted Order = iota
	Falling
	Rising
)

// TableRow is a row: a text per column.
type TableRow struct {
	Cells    []string
	ID       uint32  // of the entity
	Color    Color   // of the group it belongs to; 0 if none
	Share    float64 // length of the bar behind it, 0 to 1
	Selected bool
	// Of a table whose rows are a tree: layers below the first row, whether it
	// has rows below it, and whether these are among the rows. Siblings tell
	// where it is among the rows of its parent, from 1, and how many these are.
	Depth                int
	Expandable, Expanded bool
	Sibling, Siblings    int
	Parent               int   // position of its parent among all rows; -1 for the first
	Match                uint8 // what a search found: MatchHidden if only rows that are not among the rows
}

// Plot is a part of a picture that has axes. It draws nothing: it says what a
// position means, so that a page can zoom, pan and select.
type Plot struct {
	X, Y, W, H float64
	Across, Up Axis // x and y; y counts from the top when it counts entities
	// Side is, of a comparison, the side whose focus is moved here: 1 or 2; 0 is
	// none. Across is the time from the start of that trace: all of it, or with
	// Window just the focus.
	Side   int
	Window bool
}

// Axis is what a plot spans in one direction.
type Axis struct {
	Name     string
	Unit     string
	From, To float64 // what it spans now: values, or positions of entities
	Min, Max float64 // what it spans when all is shown
	Entities bool    // positions of entities, in their order
	// Period tells that a part of it can be asked for as a period, though the
	// picture has no cells.
	Period bool
	// Dimension is the chart's dimension, "" if the axis belongs to none.
	Dimension string
}
