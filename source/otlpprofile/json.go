package otlpprofile

import (
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/otlp"
)

// json reads a message as JSON.
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
			return fields(in, map[string]func(n int64){
				"typeStrindex": func(n int64) { p.typ = jsonIndex(n) },
				"unitStrindex": func(n int64) { p.unit = jsonIndex(n) },
			})
		case "samples":
			return in.Array(func() error {
				if err := m.jsonSample(in); err != nil {
					return err
				}
				m.sampled(at)
				return nil
			})
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

func (m *message) jsonSample(in *jsonstream.Reader) error {
	m.sampling()
	return in.Object(func(key string) error {
		switch key {
		case "stackIndex", "stack_index":
			n, err := otlp.JSONNumber(in)
			m.current.stack = jsonIndex(n)
			return err
		case "values":
			return list(in, func(n int64) { m.values = append(m.values, n) })
		case "timestampsUnixNano", "timestamps_unix_nano":
			return list(in, func(n int64) { m.times = append(m.times, uint64(max(n, 0))) })
		case "attributeIndices", "attribute_indices":
			return list(in, func(n int64) { m.labels = append(m.labels, jsonIndex(n)) })
		}
		return in.Skip()
	})
}

// jsonTable reads a table of the dictionary.
func (m *message) jsonTable(in *jsonstream.Reader, key string) error {
	switch key {
	case "mappingTable", "mapping_table":
		return in.Array(func() error {
			var e mapping
			err := fields(in, map[string]func(n int64){
				"memoryStart":      func(n int64) { e.start = uint64(n) },
				"fileOffset":       func(n int64) { e.offset = uint64(n) },
				"filenameStrindex": func(n int64) { e.file = jsonIndex(n) },
			})
			m.mappings = append(m.mappings, e)
			return err
		})
	case "locationTable", "location_table":
		return in.Array(func() error { return m.jsonLocation(in) })
	case "functionTable", "function_table":
		return in.Array(func() error {
			var e function
			err := fields(in, map[string]func(n int64){
				"nameStrindex":       func(n int64) { e.name = jsonIndex(n) },
				"systemNameStrindex": func(n int64) { e.system = jsonIndex(n) },
				"filenameStrindex":   func(n int64) { e.file = jsonIndex(n) },
				"startLine":          func(n int64) { e.start = n },
			})
			m.functions = append(m.functions, e)
			return err
		})
	case "stringTable", "string_table":
		return in.Array(func() error {
			text, err := in.Text()
			m.strings = append(m.strings, text)
			return err
		})
	case "attributeTable", "attribute_table":
		return in.Array(func() error { return m.jsonAttribute(in) })
	case "stackTable", "stack_table":
		return in.Array(func() error {
			from := int32(len(m.frames))
			err := in.Object(func(key string) error {
				if camel(key) != "locationIndices" {
					return in.Skip()
				}
				return list(in, func(n int64) { m.frames = append(m.frames, jsonIndex(n)) })
			})
			m.stacks = append(m.stacks, run{from, int32(len(m.frames))})
			return err
		})
	}
	return in.Skip()
}

func (m *message) jsonLocation(in *jsonstream.Reader) error {
	e := location{lines: run{from: int32(len(m.lines))}}
	err := in.Object(func(key string) (err error) {
		n := int64(0)
		switch camel(key) {
		case "mappingIndex":
			n, err = otlp.JSONNumber(in)
			e.mapping = jsonIndex(n)
			return err
		case "address":
			n, err = otlp.JSONNumber(in)
			e.address = uint64(n)
			return err
		case "lines":
			return in.Array(func() error {
				var l line
				err := fields(in, map[string]func(n int64){
					"functionIndex": func(n int64) { l.function = jsonIndex(n) },
					"line":          func(n int64) { l.line = n },
				})
				m.lines = append(m.lines, l)
				return err
			})
		}
		return in.Skip()
	})
	e.lines.to = int32(len(m.lines))
	m.locations = append(m.locations, e)
	return err
}

func (m *message) jsonAttribute(in *jsonstream.Reader) error {
	var e attribute
	err := in.Object(func(key string) (err error) {
		n := int64(0)
		switch camel(key) {
		case "keyStrindex":
			n, err = otlp.JSONNumber(in)
			e.key = jsonIndex(n)
			return err
		case "unitStrindex":
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

// fields reads the numbers of an object whose members are called so.
func fields(in *jsonstream.Reader, numbers map[string]func(n int64)) error {
	return in.Object(func(key string) error {
		set := numbers[camel(key)]
		if set == nil {
			return in.Skip()
		}
		n, err := otlp.JSONNumber(in)
		if err == nil {
			set(n)
		}
		return err
	})
}

// camel gives the name of a member of JSON for that of the definition.
func camel(key string) string {
	var b []byte
	for i := 0; i < len(key); i++ {
		if key[i] == '_' && i+1 < len(key) && 'a' <= key[i+1] && key[i+1] <= 'z' {
			i++
			b = append(b, key[i]-'a'+'A')
			continue
		}
		b = append(b, key[i])
	}
	return string(b)
}

func list(in *jsonstream.Reader, number func(n int64)) error {
	return in.Array(func() error {
		n, err := otlp.JSONNumber(in)
		if err == nil {
			number(n)
		}
		return err
	})
}

func jsonIndex(n int64) int32 {
	if n < 0 || n >= 1<<31 {
		return -1
	}
	return int32(n)
}
