// Package text is what the renderers in scene/svg and scene/png have in common,
// so that they look the same: how wide text is and how it is shortened, where
// labels lie along arcs, what stands in the bottom left corner (legend and
// footer), and in which tones sectors are drawn.
//
// Widths are those of the Go fonts. A viewer that shows an SVG in another font
// will be a little off; the room left around labels allows for that.
//
// What does not belong here: drawing.
package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

const ellipsis = '…'

// Face is one of the fonts.
type Face struct {
	ttf  []byte
	once sync.Once
	font *sfnt.Font
	narr [0x500]float64 // advances in em of Latin, Greek and Cyrillic
}

var (
	Regular = &Face{ttf: goregular.TTF}
	Bold    = &Face{ttf: gobold.TTF}
)

// FaceOf is Bold or Regular.
func FaceOf(bold bool) *Face {
	if bold {
		return Bold
	}
	return Regular
}

func (f *Face) load() {
	f.once.Do(func() {
		var err error
		if f.font, err = opentype.Parse(f.ttf); err != nil {
			panic("text: embedded font: " + err.Error())
		}
		var buf sfnt.Buffer
		for r := range f.narr {
			f.narr[r] = f.advance(&buf, rune(r))
		}
	})
}

// Font is the parsed font. It is safe for concurrent use with separate
// buffers.
func (f *Face) Font() *sfnt.Font {
	f.load()
	return f.font
}

// Advance is the width of a character in em.
func (f *Face) Advance(r rune) float64 {
	f.load()
	if r >= 0 && int(r) < len(f.narr) {
		return f.narr[r]
	}
	return f.advance(nil, r)
}

func (f *Face) advance(buf *sfnt.Buffer, r rune) float64 {
	if buf == nil {
		buf = new(sfnt.Buffer)
	}
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	g, err := f.font.GlyphIndex(buf, r)
	if err == nil && g == 0 && r >= 0x1100 {
		return 1 // not in the font; most of what is not is as wide as it is high
	}
	const em = 1024
	a, err2 := f.font.GlyphAdvance(buf, g, fixed.I(em), font.HintingNone)
	if err != nil || err2 != nil {
		return 0.6
	}
	return float64(a) / 64 / em
}

// Measure is the width of s in pixels.
func (f *Face) Measure(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		w += f.Advance(r)
	}
	return w * size
}

// Measure is the width of s in the regular face.
func Measure(s string, size float64) float64 { return Regular.Measure(s, size) }

// Shorten gives s if it fits into limit pixels, and else what of it fits with
// a … in the middle, or nothing if not even two characters do. Of a qualified
// name the last component is what tells most: the package goes first, then
// the class, then arguments, and only then the name itself.
func Shorten(s string, limit, size float64) string { return Regular.Shorten(s, limit, size) }

// Shorten is as the function, in this face.
func (f *Face) Shorten(s string, limit, size float64) string {
	if !(limit > 0) || !(size > 0) {
		return ""
	}
	limit /= size
	runes := []rune(s)
	at := make([]float64, len(runes)+1) // position in em of every character
	for i, r := range runes {
		at[i+1] = at[i] + f.Advance(r)
	}
	end := len(runes)
	if at[end] <= limit {
		return s
	}
	limit -= f.Advance(ellipsis)
	starts, brackets := components(runes)
	for _, start := range starts {
		if at[end]-at[start] <= limit {
			return join(runes, at, limit, start, end)
		}
	}
	if len(starts) > 0 {
		// The last component alone is too long.
		cut := starts[len(starts)-1]
		runes, at = runes[cut:], at[cut:]
		brackets -= cut
		end -= cut
	}
	if brackets > 1 && at[brackets]-at[0] <= limit {
		return string(runes[:brackets]) + string(ellipsis)
	}
	if brackets > 1 {
		end = brackets
	}
	// Half of what fits from the end, the rest from the beginning.
	back := end
	for back > 1 && at[end]-at[back-1] <= limit/2 {
		back--
	}
	short := join(runes, at, limit, back, end)
	if utf8.RuneCountInString(short) < 3 {
		return ""
	}
	return short
}

// join gives as much of the beginning as fits before the characters from back
// to end.
func join(runes []rune, at []float64, limit float64, back, end int) string {
	front := 0
	for front < back && at[front+1]-at[0]+at[end]-at[back] <= limit {
		front++
	}
	head := strings.TrimRight(string(runes[:front]), "./:#\\ ")
	return head + string(ellipsis) + string(runes[back:end])
}

// components tells where the components of a qualified name start, but for the
// first, and where the arguments of the last one do (or its end). Separators
// within brackets are not its own.
func components(name []rune) (starts []int, brackets int) {
	depth := 0
	brackets = len(name)
	for i, r := range name {
		switch r {
		case '(', '[', '<', '{':
			if depth == 0 && brackets == len(name) {
				brackets = i
			}
			depth++
		case ')', ']', '>', '}':
			depth = max(depth-1, 0)
		case '.', '/', ':', '#', '\\':
			if depth == 0 && i > 0 && i+1 < len(name) && name[i+1] != r {
				starts = append(starts, i+1)
				brackets = len(name)
			}
		}
	}
	return starts, brackets
}

// Clean makes one line of plain text: without control characters, characters
// that change the direction of what follows, invalid UTF-8, and what XML
// cannot hold. Line breaks and tabs become spaces.
func Clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
		case r == '\t', r == '\n', r == '\r', r == 0x2028, r == 0x2029:
			b.WriteByte(' ')
		case unicode.IsControl(r):
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0xfeff:
		case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
