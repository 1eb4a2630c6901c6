package otlpprofile

import (
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
)

// json reads a message as JSON. What is small is read in the window, by functions
// that take its text and where it starts, and give where it ends.
func (m *message) json(in *jsonstream.Reader) error {
	return in.Object(func(key string) error {
		switch key {
		case "resourceProfiles", "resource_profiles":
			return in.Array(func() error { return m.jsonResource(in) })
		case "dictionary":
			return in.Object(func(key string) error { return m.jsonTable(in, key) })
		}
		return in.Skip()
	})
}

func (m *message) jsonResource(in *jsonstream.Reader) error {
	at := len(m.resources)
	m.resources = append(m.resources, nil)
	return in.Object(func(key string) error {
		switch key {
		case "resource":
			return in.Object(func(key string) error {
				if key != "attributes" {
					return in.Skip()
				}
				attributes, err := otlp.JSONAttributes(in)
				m.resources[at] = attributes
				return err
			})
		case "scopeProfiles", "scope_profiles":
			return in.Array(func() error {
				return in.Object(func(key string) error {
					if key != "profiles" {
						return in.Skip()
					}
					return in.Array(func() error { return m.jsonProfile(in, at) })
				})
			})
		}
		return in.Skip()
	})
}

func (m *message) jsonProfile(in *jsonstream.Reader, resource int) error {
	at := len(m.profiles)
	m.profiles = append(m.profiles, profile{resource: int32(resource)})
	return in.Object(func(key string) error {
		p := &m.profiles[at]
		switch key {
		case "sampleType", "sample_type":
			if c, err := in.Next(); err == nil && c == '[' { // there were several
				p.older = true
				return in.Skip()
			}
			return element(in, func(b []byte) (int, error) {
				return numbers(b, 0, func(key []byte, n int64) {
					switch string(key) {
					case "typeStrindex", "type_strindex":
						p.typ = jsonIndex(n)
					case "unitStrindex", "unit_strindex":
						p.unit = jsonIndex(n)
					}
				})
			})
		case "samples":
			return elements(in, m.jsonSample, func() { m.add(at) })
		case "locationIndices", "location_indices":
			p.older = true
			return in.Skip()
		case "timeUnixNano", "time_unix_nano":
			n, err := otlp.JSONNumber(in)
			p.time = uint64(max(n, 0))
			return err
		}
		return in.Skip()
	})
}

func (m *message) jsonSample(b []byte) (end int, err error) {
	s := &m.current
	s.begin()
	return otlp.Object(b, 0, func(key []byte, i int) (end int, err error) {
		switch string(key) {
		case "stackIndex", "stack_index":
			n, end, err := otlp.Numeral(b, i)
			s.stack = jsonIndex(n)
			return end, err
		case "values":
			return otlp.Numerals(b, i, func(n int64) { s.values = append(s.values, n) })
		case "timestampsUnixNano", "timestamps_unix_nano":
			return otlp.Numerals(b, i, func(n int64) { s.times = append(s.times, uint64(max(n, 0))) })
		case "attributeIndices", "attribute_indices":
			return otlp.Numerals(b, i, func(n int64) { s.labels = append(s.labels, jsonIndex(n)) })
		}
		return jsonstream.Value(b, i)
	})
}

// jsonTable reads a table of the dictionary.
func (m *message) jsonTable(in *jsonstream.Reader, key string) error {
	switch key {
	case "mappingTable", "mapping_table":
		var e mapping
		return elements(in, func(b []byte) (int, error) {
			e = mapping{}
			return numbers(b, 0, func(key []byte, n int64) {
				switch string(key) {
				case "memoryStart", "memory_start":
					e.start = uint64(n)
				case "fileOffset", "file_offset":
					e.offset = uint64(n)
				case "filenameStrindex", "filename_strindex":
					e.file = jsonIndex(n)
				}
			})
		}, func() { m.mappings = append(m.mappings, e) })
	case "locationTable", "location_table":
		return elements(in, m.jsonLocation, func() {
			from := int32(len(m.lines))
			m.lines = append(m.lines, m.inlined...)
			m.location.lines = run{from, int32(len(m.lines))}
			m.locations = append(m.locations, m.location)
		})
	case "functionTable", "function_table":
		var e function
		return elements(in, func(b []byte) (int, error) {
			e = function{}
			return numbers(b, 0, func(key []byte, n int64) {
				switch string(key) {
				case "nameStrindex", "name_strindex":
					e.name = jsonIndex(n)
				case "systemNameStrindex", "system_name_strindex":
					e.system = jsonIndex(n)
				case "filenameStrindex", "filename_strindex":
					e.file = jsonIndex(n)
				case "startLine", "start_line":
					e.start = n
				}
			})
		}, func() { m.functions = append(m.functions, e) })
	case "stringTable", "string_table":
		return in.Array(func() error {
			text, err := in.Text()
			m.strings = append(m.strings, text)
			return err
		})
	case "attributeTable", "attribute_table":
		return in.Array(func() error { return m.jsonAttribute(in) })
	case "stackTable", "stack_table":
		return elements(in, func(b []byte) (int, error) {
			m.path = m.path[:0]
			return otlp.Object(b, 0, func(key []byte, i int) (int, error) {
				if string(key) != "locationIndices" && string(key) != "location_indices" {
					return jsonstream.Value(b, i)
				}
				return otlp.Numerals(b, i, func(n int64) { m.path = append(m.path, jsonIndex(n)) })
			})
		}, m.stack)
	}
	return in.Skip()
}

// jsonLocation reads a location and its lines.
func (m *message) jsonLocation(b []byte) (end int, err error) {
	m.location, m.inlined = location{}, m.inlined[:0]
	e := &m.location
	return otlp.Object(b, 0, func(key []byte, i int) (end int, err error) {
		n := int64(0)
		switch string(key) {
		case "mappingIndex", "mapping_index":
			n, end, err = otlp.Numeral(b, i)
			e.mapping = jsonIndex(n)
			return end, err
		case "address":
			n, end, err = otlp.Numeral(b, i)
			e.address = uint64(n)
			return end, err
		case "lines":
			return otlp.Array(b, i, func(i int) (int, error) {
				var l line
				end, err := numbers(b, i, func(key []byte, n int64) {
					switch string(key) {
					case "functionIndex", "function_index":
						l.function = jsonIndex(n)
					case "line":
						l.line = n
					}
				})
				m.inlined = append(m.inlined, l)
				return end, err
			})
		}
		return jsonstream.Value(b, i)
	})
}

func (m *message) jsonAttribute(in *jsonstream.Reader) error {
	var e attribute
	err := in.Object(func(key string) (err error) {
		n := int64(0)
		switch key {
		case "keyStrindex", "key_strindex":
			n, err = otlp.JSONNumber(in)
			e.key = jsonIndex(n)
			return err
		case "unitStrindex", "unit_strindex":
			n, err = otlp.JSONNumber(in)
			e.unit = jsonIndex(n)
			return err
		case "value":
			e.value, err = otlp.JSONAnyValue(in)
			return err
		}
		return in.Skip()
	})
	m.attributes = append(m.attributes, e)
	return err
}

// elements reads the objects of an array, and calls add after each.
func elements(in *jsonstream.Reader, parse func(b []byte) (end int, err error), add func()) error {
	return in.Array(func() error {
		err := element(in, parse)
		if err == nil {
			add()
		}
		return err
	})
}

// element has an object read in the window, again if it was cut off there.
func element(in *jsonstream.Reader, parse func(b []byte) (end int, err error)) error {
	if c, err := in.Next(); err != nil {
		return err
	} else if c != '{' {
		return in.Expect('{')
	}
	return in.Parse(parse)
}

// numbers reads the members of an object as integers, whatever they are.
func numbers(b []byte, i int, number func(key []byte, n int64)) (end int, err error) {
	return otlp.Object(b, i, func(key []byte, i int) (int, error) {
		n, end, err := otlp.Numeral(b, i)
		if err == nil {
			number(key, n)
		}
		return end, err
	})
}

func jsonIndex(n int64) int32 {
	if n < 0 || n >= 1<<31 {
		return -1
	}
	return int32(n)
}
