package cctcsv

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

type method struct {
	class, name, descriptor string
	root                    bool // the synthetic root
	thread                  bool // stands for a thread
}

// display is the name that people know the method by. A pseudo class such as
// <thread> is put in front of the name as it is.
func (m method) display() string {
	if m.class == "" || strings.HasPrefix(m.class, "<") {
		return m.class + m.name + m.descriptor
	}
	return m.class + "." + m.name + m.descriptor
}

// maxRecord bounds a record that goes over several lines: one quote too many
// must not swallow the file.
const maxRecord = 1 << 20

func (r *reader) readMethods() error {
	r.expect = "the line #methods"
	if _, err := r.lines.Next(); err != nil {
		return err
	}
	r.expect = "the header id,class,name,descriptor"
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	header, ok := source.SplitRecord(nil, line)
	if !ok || len(header) < 4 || header[0] != "id" || header[1] != "class" || header[2] != "name" || header[3] != "descriptor" {
		return fmt.Errorf("line %d: expected the header id,class,name,descriptor, but found %s", r.lines.Line(), source.Quote(line))
	}
	r.expect = "methods and then the line #nodes"
	var fields []string
	for {
		line, err := r.lines.Next()
		if err != nil {
			return err
		}
		if bytes.Equal(line, []byte("#nodes")) {
			return nil
		}
		if len(line) == 0 {
			continue
		}
		at := r.lines.Line()
		if fields, ok, err = r.record(fields, line); err != nil {
			return err
		}
		id, numErr := int64(0), error(nil)
		if len(fields) > 0 {
			id, numErr = strconv.ParseInt(fields[0], 10, 64)
		}
		if !ok || len(fields) < 4 || numErr != nil {
			err := fmt.Errorf("line %d: expected a method (id,class,name,descriptor), but found %s", at, source.Quote([]byte(strings.Join(fields, ","))))
			if len(r.methods) == 0 {
				return err
			}
			r.b.Warn("%v; the method is left out", err)
			continue
		}
		if !r.addMethod(id, method{class: fields[1], name: fields[2], descriptor: fields[3], root: fields[1] == "<root>", thread: fields[1] == "<thread>"}) {
			r.b.Warn("line %d: the id %d is taken already; the first method keeps it", at, id)
		}
	}
}

// addMethod keeps a method. Ids are row numbers as a rule; others need a map.
func (r *reader) addMethod(id int64, m method) bool {
	row := data.EntityID(len(r.methods))
	if _, taken := r.lookup(id); taken {
		return false
	}
	if id != int64(row) {
		if r.byID == nil {
			r.byID = map[int64]data.EntityID{}
		}
		r.byID[id] = row
		// The row's own number does not stand for it.
		if _, ok := r.byID[int64(row)]; !ok {
			r.byID[int64(row)] = data.None
		}
	} else if r.byID != nil {
		delete(r.byID, id)
	}
	r.threaded = r.threaded || m.thread
	r.methods = append(r.methods, m)
	return true
}

func (r *reader) lookup(id int64) (data.EntityID, bool) {
	if r.byID != nil {
		if row, ok := r.byID[id]; ok {
			return row, row != data.None
		}
	}
	return data.EntityID(id), id >= 0 && id < int64(len(r.methods))
}

// method gives the row of a method that a node refers to. One that is not
// listed gets a name of its own, so that the tree keeps its shape.
func (r *reader) method(id int64) data.EntityID {
	row, ok := r.lookup(id)
	if !ok {
		r.b.Warn("line %d: method %d is not in the list of methods", r.lines.Line(), id)
		row = data.EntityID(len(r.methods))
		r.addMethod(id, method{name: fmt.Sprintf("[method %d, not listed]", id)})
	}
	return row
}

// record splits a record, which goes on in the next line if that breaks
// within quotes. It is only valid until the next.
func (r *reader) record(fields []string, line []byte) ([]string, bool, error) {
	if bytes.IndexByte(line, '"') < 0 || bytes.Count(line, []byte{'"'})%2 == 0 {
		fields, ok := source.SplitRecord(fields[:0], line)
		return fields, ok, nil
	}
	text := bytes.Clone(line)
	for bytes.Count(text, []byte{'"'})%2 == 1 && len(text) < maxRecord {
		next, err := r.lines.Next()
		if err != nil {
			return nil, false, err
		}
		text = append(append(text, '\n'), next...)
	}
	fields, ok := source.SplitRecord(fields[:0], text)
	return fields, ok, nil
}
