package store

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/klauspost/compress/s2"

	"github.com/cambium-prof/cambium/data"
)

// pages are a temporary file of columns, which are read back in this run of the
// program, once: a form that is written and read at the speed of memory matters
// more than a small one.
//
// A page is its columns one after the other, each in little-endian integers
// and compressed.
type pages struct {
	file   *os.File
	size   int64
	list   []pageAt
	plain  []byte // scratch
	packed []byte // scratch
}

// pageAt is where a page is.
type pageAt struct {
	offset  int64
	rows    int
	columns []columnAt
}

type columnAt struct {
	bytes int // packed; 0 if the column is empty
	refs  bool
}

// newPages starts pages in a file of a folder.
func newPages(dir string) (*pages, error) {
	f, err := os.CreateTemp(dir, "pages-*")
	if err != nil {
		return nil, fmt.Errorf("events that do not fit into memory need a temporary file: %w", err)
	}
	return &pages{file: f}, nil
}

// Write keeps columns.
func (p *pages) Write(rows int, columns []data.Column) (int, error) {
	at := pageAt{offset: p.size, rows: rows}
	p.packed = p.packed[:0]
	for _, c := range columns {
		p.plain = p.plain[:0]
		for _, id := range c.Refs {
			p.plain = binary.LittleEndian.AppendUint32(p.plain, uint32(id))
		}
		for _, v := range c.Values {
			p.plain = binary.LittleEndian.AppendUint64(p.plain, uint64(v))
		}
		in := columnAt{refs: len(c.Refs) > 0}
		if len(p.plain) > 0 {
			from := len(p.packed)
			if most := s2.MaxEncodedLen(len(p.plain)); cap(p.packed)-from < most {
				p.packed = append(make([]byte, 0, 2*(from+most)), p.packed...)
			}
			in.bytes = len(s2.Encode(p.packed[from:cap(p.packed)], p.plain))
			p.packed = p.packed[:from+in.bytes]
		}
		at.columns = append(at.columns, in)
	}
	if _, err := p.file.Write(p.packed); err != nil {
		return 0, fmt.Errorf("events that do not fit into memory could not be kept on disk: %w", err)
	}
	p.size += int64(len(p.packed))
	p.list = append(p.list, at)
	return len(p.list) - 1, nil
}

// Read gives what was written.
func (p *pages) Read(page int, into []data.Column) ([]data.Column, error) {
	at := p.list[page]
	size := 0
	for _, c := range at.columns {
		size += c.bytes
	}
	if cap(p.packed) < size {
		p.packed = make([]byte, size)
	}
	packed := p.packed[:size]
	if _, err := p.file.ReadAt(packed, at.offset); err != nil {
		return nil, fmt.Errorf("events that were kept on disk could not be read again: %w", err)
	}
	for len(into) < len(at.columns) {
		into = append(into, data.Column{})
	}
	for i, c := range into {
		into[i] = data.Column{Refs: c.Refs[:0], Values: c.Values[:0]}
	}
	for i, c := range at.columns {
		column := &into[i]
		if c.bytes == 0 {
			continue
		}
		var err error
		if p.plain, err = s2.Decode(p.plain[:cap(p.plain)], packed[:c.bytes]); err != nil {
			return nil, fmt.Errorf("%s: what was written was changed: %w", p.file.Name(), err)
		}
		packed = packed[c.bytes:]
		if c.refs {
			for b := p.plain; len(b) >= 4; b = b[4:] {
				column.Refs = append(column.Refs, data.EntityID(binary.LittleEndian.Uint32(b)))
			}
		} else {
			for b := p.plain; len(b) >= 8; b = b[8:] {
				column.Values = append(column.Values, int64(binary.LittleEndian.Uint64(b)))
			}
		}
	}
	return into, nil
}

// Close removes the file.
func (p *pages) Close() error {
	err := p.file.Close()
	if gone := os.Remove(p.file.Name()); err == nil {
		err = gone
	}
	return err
}
