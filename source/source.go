// Package source turns files and streams into data sets.
//
// A [Format] is three things: a name, a way to recognise its content, and a
// reader that fills a [data.Builder]. Formats register themselves from their
// own folder below this one, and a binary links in those it wants (see
// package source/all), as database/sql drivers are. Files are recognised by
// their content, never by their name, and gzip and zstd are seen through.
//
// A reader answers in three ways: not mine (Sniff is false), mine but broken
// (an error that says where and what was expected), or read, perhaps in part
// with warnings.
//
// What belongs here: the registry, opening and unpacking, and the frame that
// readers of profiles share ([Profile]). What does not: the formats
// themselves, and anything about trees.
package source

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// Format is one file format that can be opened.
type Format struct {
	Name  string // short and stable: "pprof"
	Title string // for people: "pprof (profile.proto)"
	// Order decides between formats that both recognise a file: lower is
	// asked first. Formats with a signature are 0; those that can only say
	// "it looks like it" are higher.
	Order int
	// Sniff reports whether head, the first bytes of the unpacked content
	// (up to [SniffBytes], fewer only if the content is shorter), is of this
	// format. It must not need more than head to be sure enough.
	Sniff func(head []byte) bool
	// Read fills b from in. It returns an error only if nothing of use could
	// be read; a file that ends early or has broken parts gives what could
	// be read and a warning on b. Reading stops soon after ctx is done.
	Read func(ctx context.Context, in *Input, b *data.Builder) error
}

// SniffBytes is how much of the content a format may look at.
const SniffBytes = 64 << 10

var registry struct {
	sync.Mutex
	formats []Format
	folders []Folder
}

// Register adds a format. It panics if the name is taken: two formats of one
// name in one binary is a mistake of whoever builds it.
func Register(f Format) {
	registry.Lock()
	defer registry.Unlock()
	if slices.ContainsFunc(registry.formats, func(g Format) bool { return g.Name == f.Name }) {
		panic("source: two formats are called " + f.Name)
	}
	registry.formats = append(registry.formats, f)
	slices.SortStableFunc(registry.formats, func(a, b Format) int {
		if a.Order != b.Order {
			return a.Order - b.Order
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Folder is a format whose data sets are folders and not files.
type Folder struct {
	Name, Title string
	Sniff       func(dir string) bool
	// Read fills b from the folder, as that of a Format does.
	Read func(ctx context.Context, dir string, b *data.Builder) error
	// Open, in place of Read, gives a data set that is one already.
	Open func(ctx context.Context, dir string) (*data.Set, error)
}

// RegisterFolder adds a format of folders.
func RegisterFolder(f Folder) {
	registry.Lock()
	defer registry.Unlock()
	registry.folders = append(registry.folders, f)
}

// folderFormat finds the format of a folder; ok is false if there is none.
func folderFormat(dir string) (f Folder, ok bool) {
	registry.Lock()
	folders := slices.Clone(registry.folders)
	registry.Unlock()
	for _, f := range folders {
		if f.Sniff(dir) {
			return f, true
		}
	}
	return f, false
}

// Formats lists the registered formats in the order they are asked.
func Formats() []Format {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.formats)
}

// ErrUnrecognised is returned for content that no registered format claims.
type ErrUnrecognised struct {
	Name, Head string
	Damage     string // what was wrong with the packed file, or ""
}

func (e *ErrUnrecognised) Error() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Title)
	}
	text := fmt.Sprintf("%s: the content is in no format that is known here (it begins with %s); known are %s",
		e.Name, e.Head, strings.Join(names, ", "))
	if e.Damage != "" {
		text += "; " + e.Damage
	}
	return text
}

// Read recognises the format of in and reads it.
func Read(ctx context.Context, in *Input) (*data.Set, error) {
	switch f := in.folder; {
	case f.Open != nil:
		return f.Open(ctx, in.Name)
	case f.Read != nil:
		b := in.builder(ctx, f.Name)
		defer b.Close()
		if err := f.Read(ctx, in.Name, b); err != nil {
			return nil, err
		}
		return b.Finish()
	}
	head, err := in.Peek(SniffBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if len(head) == 0 {
		if w := in.Warning(); w != "" {
			return nil, fmt.Errorf("%s: %s", in.Name, w)
		}
		return nil, fmt.Errorf("%s: the file is empty", in.Name)
	}
	for _, f := range Formats() {
		if !f.Sniff(head) {
			continue
		}
		b := in.builder(ctx, f.Name)
		defer b.Close()
		if err := f.Read(ctx, in, b); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%s: read as %s: %w", in.Name, f.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := in.Refused(); err != nil {
			return nil, fmt.Errorf("%s: read as %s: %w", in.Name, f.Name, err)
		}
		if w := in.Warning(); w != "" {
			b.Warn("%s", w)
		}
		set, err := b.Finish()
		if err != nil {
			return nil, fmt.Errorf("%s: read as %s: %w", in.Name, f.Name, err)
		}
		return set, nil
	}
	return nil, &ErrUnrecognised{Name: in.Name, Head: quoteHead(head), Damage: in.Warning()}
}

// builder starts a data set of the input, which takes as long as ctx lets it.
func (in *Input) builder(ctx context.Context, format string) *data.Builder {
	b := data.NewBuilder(in.Name, format)
	b.Until(ctx.Err)
	if in.Spill != nil {
		b.SpillTo(in.Spill, in.SpillBeyond)
		b.SpillOften(in.SpillOften)
	}
	return b
}

func quoteHead(head []byte) string {
	const shown = 24
	if len(head) > shown {
		return fmt.Sprintf("%q…", head[:shown])
	}
	return fmt.Sprintf("%q", head)
}
