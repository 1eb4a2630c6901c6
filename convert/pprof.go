package convert

import (
	"bufio"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/data"
)

// Fields of the messages of github.com/google/pprof/proto/profile.proto.
const (
	profileSampleType  = 1
	profileSample      = 2
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileDefaultType = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocation = 1
	sampleValue    = 2

	locationID   = 1
	locationLine = 4
	lineFunction = 1
	lineLine     = 2

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFile       = 4
	functionStartLine  = 5
)

// pprofWriter writes the parts of a profile one by one; strings go out as they
// are first needed, since the order of fields is free.
type pprofWriter struct {
	w       *bufio.Writer
	b       []byte // scratch: a message
	head    []byte // scratch: tag and length
	strings uint64 // written so far
}

// writePprof writes a tree as a profile. Each method is one location with one
// line, of the same id as its function.
func writePprof(w *bufio.Writer, set *data.Set, t *cct.Tree) error {
	p := &pprofWriter{w: w}
	if _, err := p.text(""); err != nil { // string 0 must be empty
		return err
	}
	if err := p.metrics(t); err != nil {
		return err
	}
	f := newFrames(set, t)
	if err := p.samples(f); err != nil {
		return err
	}
	return p.functions(f)
}

// message writes a part of the profile.
func (p *pprofWriter) message(field protowire.Number, parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	p.head = protowire.AppendTag(p.head[:0], field, protowire.BytesType)
	p.head = protowire.AppendVarint(p.head, uint64(size))
	if _, err := p.w.Write(p.head); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := p.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// text writes a string and gives its index.
func (p *pprofWriter) text(s string) (uint64, error) {
	if s == "" && p.strings > 0 {
		return 0, nil
	}
	p.strings++
	return p.strings - 1, p.message(profileString, []byte(s))
}

func (p *pprofWriter) metrics(t *cct.Tree) error {
	for i, m := range t.Metrics {
		name, err := p.text(m.Name)
		if err != nil {
			return err
		}
		unit, err := p.text(string(m.Unit))
		if err != nil {
			return err
		}
		p.b = appendNumber(p.b[:0], valueTypeType, name)
		p.b = appendNumber(p.b, valueTypeUnit, unit)
		if err := p.message(profileSampleType, p.b); err != nil {
			return err
		}
		if i == t.Preferred {
			if _, err := p.w.Write(appendNumber(p.b[:0], profileDefaultType, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pprofWriter) samples(f *frames) error {
	t := f.tree
	var stack leafFirst
	var id, head, values []byte
	for n := range cct.NodeID(t.Len()) {
		if k := above(t, n); k >= 0 {
			id = protowire.AppendVarint(id[:0], uint64(f.number(n)+1))
			stack.cut(k)
			stack.push(id)
		}
		some := false
		values = values[:0]
		for _, self := range t.Self {
			some = some || self[n] != 0
			values = protowire.AppendVarint(values, uint64(self[n]))
		}
		if !some {
			continue
		}
		packed := stack.packed()
		head = head[:0]
		if len(packed) > 0 {
			head = protowire.AppendTag(head, sampleLocation, protowire.BytesType)
			head = protowire.AppendVarint(head, uint64(len(packed)))
		}
		p.b = protowire.AppendTag(p.b[:0], sampleValue, protowire.BytesType)
		p.b = protowire.AppendBytes(p.b, values)
		if err := p.message(profileSample, head, packed, p.b); err != nil {
			return err
		}
	}
	return nil
}

func (p *pprofWriter) functions(f *frames) error {
	files := map[data.EntityID]uint64{} // file -> index of its string
	var line []byte
	for i, m := range f.methods {
		id, at := uint64(i+1), uint64(f.lineOf(m))
		name, err := p.text(f.name(m))
		if err != nil {
			return err
		}
		var fileName uint64
		if file := f.fileOf(m); file != data.None {
			index, ok := files[file]
			if !ok {
				if index, err = p.text(f.files.NameOf(file)); err != nil {
					return err
				}
				files[file] = index
			}
			fileName = index
		}
		p.b = appendNumber(p.b[:0], functionID, id)
		p.b = appendNumber(p.b, functionName, name)
		p.b = appendNumber(p.b, functionSystemName, name)
		p.b = appendNumber(p.b, functionFile, fileName)
		p.b = appendNumber(p.b, functionStartLine, at)
		if err := p.message(profileFunction, p.b); err != nil {
			return err
		}
		line = appendNumber(line[:0], lineFunction, id)
		line = appendNumber(line, lineLine, at)
		p.b = appendNumber(p.b[:0], locationID, id)
		p.b = protowire.AppendTag(p.b, locationLine, protowire.BytesType)
		p.b = protowire.AppendBytes(p.b, line)
		if err := p.message(profileLocation, p.b); err != nil {
			return err
		}
	}
	return nil
}

// appendNumber appends a field; 0 is what a field is that is not there.
func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// leafFirst is the current stack as profile.proto has it, with the innermost
// frame first. It grows towards the front, so that a sample is a slice of it.
type leafFirst struct {
	buf  []byte
	ends []int // frame -> how many bytes it and those around it take
}

func (s *leafFirst) size() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

func (s *leafFirst) packed() []byte { return s.buf[len(s.buf)-s.size():] }

func (s *leafFirst) cut(frames int) { s.ends = s.ends[:frames] }

func (s *leafFirst) push(frame []byte) {
	size := s.size() + len(frame)
	if size > len(s.buf) {
		bigger := make([]byte, 2*size+1024)
		copy(bigger[len(bigger)-len(s.buf):], s.buf)
		s.buf = bigger
	}
	copy(s.buf[len(s.buf)-size:], frame)
	s.ends = append(s.ends, size)
}
