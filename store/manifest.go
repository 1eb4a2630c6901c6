package store

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/cambium-prof/cambium/data"
)

// ManifestName is the file that makes a folder a store.
const ManifestName = "cambium-store.json"

const (
	signature = "cambium store"
	version   = 1
)

// manifest is the content of the JSON file.
type manifest struct {
	Format   string        `json:"format"` // signature
	Version  int           `json:"version"`
	Name     string        `json:"name,omitempty"`   // of the data set
	Source   string        `json:"source,omitempty"` // the format it was read from
	Warnings []string      `json:"warnings,omitempty"`
	Entities []entityTable `json:"entities"`
	Events   []eventTable  `json:"events"`
}

type entityTable struct {
	data.Definition
	Rows    int      `json:"rows"`
	Named   bool     `json:"named"`   // whether there is a column of names
	Columns []string `json:"columns"` // field -> name of its column
	File    string   `json:"file"`
}

type eventTable struct {
	data.Definition
	Rows        int64     `json:"rows"`
	Columns     []string  `json:"columns"`      // field -> name of its column
	SegmentRows int64     `json:"segment_rows"` // of all segments but the last
	GroupRows   int64     `json:"group_rows"`   // of all row groups of a segment but the last
	Segments    []segment `json:"segments"`
}

// segment is one file of events.
type segment struct {
	File string `json:"file"`
	Rows int64  `json:"rows"`
	// Min and Max are by field. Of references they leave out those to
	// nothing; Min is larger than Max if there are no others.
	Min []int64 `json:"min"`
	Max []int64 `json:"max"`
}

// maxManifest bounds what is read of a manifest: 10^9 events take 100 KB.
const maxManifest = 256 << 20

// readManifest reads and checks what can be checked without the other files.
func readManifest(dir string) (*manifest, error) {
	name := filepath.Join(dir, ManifestName)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &manifest{}
	d := json.NewDecoder(io.LimitReader(f, maxManifest))
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("%s: is not the JSON object that describes a store: %w", name, err)
	}
	switch {
	case m.Format != signature:
		return nil, fmt.Errorf("%s: \"format\" is %q instead of %q", name, m.Format, signature)
	case m.Version != version:
		return nil, fmt.Errorf("%s: is version %d, but only version %d can be read here", name, m.Version, version)
	}
	for _, e := range m.Entities {
		if err := checkTable(e.Definition, e.Columns, e.File); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if e.Rows < 0 {
			return nil, fmt.Errorf("%s: entity type %q has %d rows", name, e.Name, e.Rows)
		}
	}
	for _, e := range m.Events {
		if err := e.check(m); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, nil
}

func checkTable(def data.Definition, columns []string, files ...string) error {
	if len(columns) != len(def.Fields) {
		return fmt.Errorf("type %q has %d columns for %d fields", def.Name, len(columns), len(def.Fields))
	}
	for _, file := range files {
		if !filepath.IsLocal(filepath.FromSlash(file)) {
			return fmt.Errorf("type %q: the file %q is not inside the store", def.Name, file)
		}
	}
	return nil
}

func (e *eventTable) check(m *manifest) error {
	if err := checkTable(e.Definition, e.Columns); err != nil {
		return err
	}
	if e.GroupRows < 1 || e.GroupRows > maxGroupRows || e.SegmentRows < e.GroupRows || e.SegmentRows%e.GroupRows != 0 {
		return fmt.Errorf("type %q: segments of %d rows in groups of %d rows are not what a store has", e.Name, e.SegmentRows, e.GroupRows)
	}
	var rows int64
	for i, s := range e.Segments {
		if err := checkTable(e.Definition, e.Columns, s.File); err != nil {
			return err
		}
		if s.Rows < 1 || s.Rows > e.SegmentRows || i < len(e.Segments)-1 && s.Rows != e.SegmentRows {
			return fmt.Errorf("type %q: segment %d has %d rows", e.Name, i, s.Rows)
		}
		if len(s.Min) != len(e.Fields) || len(s.Max) != len(e.Fields) {
			return fmt.Errorf("type %q: segment %d has not a smallest and a largest value for each of %d fields", e.Name, i, len(e.Fields))
		}
		for f, field := range e.Fields {
			if !field.IsReference() {
				continue
			}
			if s.Min[f] < 0 || s.Max[f] >= m.rowsOf(field.Refers) {
				return fmt.Errorf("type %q: segment %d: field %q refers to %s %d, but there are only %d", e.Name, i, field.Name, field.Refers, s.Max[f], m.rowsOf(field.Refers))
			}
		}
		rows += s.Rows
	}
	if rows != e.Rows {
		return fmt.Errorf("type %q: the segments have %d rows instead of %d", e.Name, rows, e.Rows)
	}
	return nil
}

func (m *manifest) rowsOf(entityType string) int64 {
	for _, e := range m.Entities {
		if e.Name == entityType {
			return int64(e.Rows)
		}
	}
	return 0
}

func (m *manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestName), append(text, '\n'), 0o666)
}

// columnNames gives a column to every field: the field's name, unless another
// column is called so. DuckDB does not tell upper from lower case, and has
// columns of its own.
func columnNames(fields []data.Field) []string {
	taken := map[string]bool{nameColumn: true, "filename": true, "file_row_number": true, "file_index": true, "cambium_sequence": true}
	names := make([]string, len(fields))
	for i, f := range fields {
		base := printable(f.Name)
		names[i] = base
		for n := 2; taken[strings.ToLower(names[i])]; n++ {
			names[i] = fmt.Sprintf("%s_%d", base, n)
		}
		taken[strings.ToLower(names[i])] = true
	}
	return names
}

func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '_'
	}, strings.ToValidUTF8(name, "_"))
}

// fileName makes a name of a type's that every file system takes.
func fileName(nth int, typeName string) string {
	const longest = 40
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, typeName)
	return fmt.Sprintf("%d-%s", nth, name[:min(len(name), longest)])
}
