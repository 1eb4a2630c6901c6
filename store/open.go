package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

func init() {
	source.RegisterFolder(source.Folder{Name: "store", Title: "store (a folder with " + ManifestName + ")", Sniff: Is, Open: Open})
}

// Is reports whether a folder is a store.
func Is(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ManifestName))
	return err == nil && info.Mode().IsRegular()
}

// Open opens a store: it reads the entities, and nothing of the events.
func Open(ctx context.Context, dir string) (*data.Set, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	b := data.NewBuilder(dir, m.Source)
	for _, text := range m.Warnings {
		b.Warn("%s", text)
	}
	for _, t := range m.Entities {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := b.EntityType(t.Name, t.Description, t.Fields...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		names, columns, err := t.read(dir)
		if err != nil {
			return nil, err
		}
		if err := e.Adopt(names, t.Rows, columns...); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	for _, t := range m.Events {
		t.Kind = data.Event
		e, err := b.EventType(t.Name, t.Description, t.Fields...)
		if err == nil {
			err = e.AdoptStore(&events{root: dir, table: t})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	set, err := b.Finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return set, nil
}

// read reads the entities of a type.
func (t *entityTable) read(dir string) (names []string, columns []data.Column, err error) {
	columns = make([]data.Column, len(t.Fields))
	for i, f := range t.Fields {
		if f.IsReference() {
			columns[i].Refs = []data.EntityID{}
		}
	}
	if t.Named {
		names = []string{}
	}
	f, err := openFile(filepath.Join(dir, filepath.FromSlash(t.File)))
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	if f.NumRows() != int64(t.Rows) {
		return nil, nil, fmt.Errorf("%s: has %d rows instead of %d", f.name, f.NumRows(), t.Rows)
	}
	if t.Rows == 0 {
		return names, columns, nil
	}
	kinds := make([]int, len(columns)) // field -> column of the file
	for i, field := range t.Fields {
		kind := parquet.Int64
		if field.IsReference() {
			kind = parquet.Int32
		}
		if kinds[i], err = f.leaf(t.Columns[i], kind); err != nil {
			return nil, nil, err
		}
	}
	text := 0
	if t.Named {
		if text, err = f.leaf(nameColumn, parquet.ByteArray); err != nil {
			return nil, nil, err
		}
	}
	// What a group says about itself is believed only as far as the memory
	// goes that decoding it needs anyway.
	for _, g := range f.RowGroups() {
		n := int(g.NumRows())
		if n < 0 || n > maxGroupRows {
			return nil, nil, fmt.Errorf("%s: a row group has %d rows, more than %d", f.name, n, maxGroupRows)
		}
		for i, field := range t.Fields {
			if field.IsReference() {
				ids := make([]data.EntityID, n)
				err = f.readRefs(g, kinds[i], ids, int64(data.None))
				columns[i].Refs = append(columns[i].Refs, ids...)
			} else {
				values := make([]int64, n)
				err = f.readValues(g, kinds[i], values)
				columns[i].Values = append(columns[i].Values, values...)
			}
			if err != nil {
				return nil, nil, err
			}
		}
		if t.Named {
			part := make([]string, n)
			if err := f.readNames(g, text, part); err != nil {
				return nil, nil, err
			}
			names = append(names, part...)
		}
	}
	return names, columns, nil
}
