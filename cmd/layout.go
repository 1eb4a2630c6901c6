package cmd

import (
	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/scene"
)

// Shapes of a scene as they are printed.
type sectorShape struct {
	Kind  string  `json:"kind"` // sector or mark
	ID    uint32  `json:"id"`   // of a mark: of the caller whose callees it stands for
	R0    float64 `json:"r0"`
	R1    float64 `json:"r1"`
	A0    float64 `json:"a0"`
	A1    float64 `json:"a1"`
	Count uint32  `json:"count,omitempty"` // of a mark: the contexts it stands for
}

type discShape struct {
	Kind  string  `json:"kind"` // disc or mark
	ID    uint32  `json:"id"`
	X     float64 `json:"x"` // of its centre
	Y     float64 `json:"y"`
	R     float64 `json:"r"`
	R0    float64 `json:"r0"` // the sector that it has: distances from the fan's centre
	R1    float64 `json:"r1"`
	A0    float64 `json:"a0"`
	A1    float64 `json:"a1"`
	Count uint32  `json:"count,omitempty"`
}

type rectShape struct {
	Kind  string  `json:"kind"` // rect or mark
	ID    uint32  `json:"id"`   // of the entity or the call; of a mark: the first that it stands for
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	W     float64 `json:"w"`
	H     float64 `json:"h"`
	Count uint32  `json:"count,omitempty"` // of a mark: the calls it stands for
}

type layoutScene struct {
	Width    float64    `json:"width"`
	Height   float64    `json:"height"`
	Center   [2]float64 `json:"center"`
	Shapes   []any      `json:"shapes"`
	Drawn    int64      `json:"drawn"`
	TooSmall int64      `json:"too_small"`
	Deeper   int64      `json:"deeper"` // hidden by --depth
}

func newLayout() *cobra.Command {
	var picture pictureFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "layout FILE…",
		Short: "Print the shapes of a picture",
		Long: `layout prints the scene of a view as JSON: shapes in pixels, origin top left, y
down. Angles are radians from twelve o'clock, clockwise. What would be under a
pixel is a mark; all contexts it stands for are counted in too_small, and those
below the depth limit in deeper.`,
		Example: "  cambium layout cpu.pb.gz --view ring --size 1440x900 --sizing area --depth 10 --json",
		Args:    func(c *cobra.Command, args []string) error { return filesOf(c, picture.view, args) },
		RunE: func(c *cobra.Command, args []string) error {
			s, err := picture.draw(c, args)
			if err != nil {
				return err
			}
			return printJSON(c.OutOrStdout(), layoutOf(s))
		},
	}
	picture.add(c)
	c.Flags().BoolVar(&asJSON, "json", true, "print a JSON object (there is no other form)")
	return c
}

func layoutOf(s *scene.Scene) layoutScene {
	sec := &s.Sectors
	l := layoutScene{
		Width: s.Width, Height: s.Height, Center: [2]float64{sec.CX, sec.CY},
		Shapes: make([]any, 0, sec.Len()+s.Rects.Len()), Drawn: s.Drawn, TooSmall: s.TooSmall, Deeper: s.Deeper,
	}
	for i := range sec.Len() {
		shape := sectorShape{Kind: "sector", ID: sec.ID[i], R0: sec.R0[i], R1: sec.R1[i], A0: sec.A0[i], A1: sec.A1[i]}
		if sec.Kind[i] == scene.Mark {
			shape.Kind, shape.Count = "mark", sec.Count[i]
		}
		if sec.Discs {
			disc := discShape{Kind: "disc", ID: shape.ID, R0: shape.R0, R1: shape.R1, A0: shape.A0, A1: shape.A1, Count: shape.Count}
			if sec.Kind[i] == scene.Mark {
				disc.Kind = "mark"
			}
			disc.X, disc.Y, disc.R = sec.Disc(i)
			l.Shapes = append(l.Shapes, disc)
			continue
		}
		l.Shapes = append(l.Shapes, shape)
	}
	for i, id := range s.Rects.ID {
		shape := rectShape{Kind: "rect", ID: id, X: s.Rects.X[i], Y: s.Rects.Y[i], W: s.Rects.W[i], H: s.Rects.H[i]}
		if s.Rects.Count != nil && s.Rects.Count[i] > 0 {
			shape.Kind, shape.Count = "mark", s.Rects.Count[i]
		}
		l.Shapes = append(l.Shapes, shape)
	}
	for i := range s.Tubes.Len() {
		l.Shapes = append(l.Shapes, tubeOf(&s.Tubes, i))
	}
	return l
}

// tubeShape is a band along a curve: x, y and how wide it is there, from left to
// right.
type tubeShape struct {
	Kind       string       `json:"kind"`
	A          uint32       `json:"a"`
	B          uint32       `json:"b"`
	Similarity float64      `json:"similarity"`
	Points     [][3]float32 `json:"points"`
}

func tubeOf(t *scene.Tubes, i int) tubeShape {
	shape := tubeShape{Kind: "tube", A: t.A[i], B: t.B[i], Similarity: t.Similarity[i]}
	for k := t.First[i]; k < t.First[i+1]; k++ {
		shape.Points = append(shape.Points, [3]float32{t.X[k], t.Y[k], t.W[k]})
	}
	return shape
}
