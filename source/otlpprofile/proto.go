package otlpprofile

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/source/otlp"
)

// shapes are the types that the fields of tables of the dictionary may have: a
// digit for each from 1, 0 a number, 2 a message, p one or more numbers.
var shapes = map[protowire.Number]string{1: "0000p", 2: "002p", 3: "0000", 4: "22", 6: "020", 7: "p"}

func shaped(shape string, message []byte) bool {
	return otlp.Looks(message, func(num protowire.Number, typ protowire.Type, _ []byte) bool {
		if int(num) > len(shape) {
			return false
		}
		switch shape[num-1] {
		case '0':
			return typ == protowire.VarintType
		case '2':
			return typ == protowire.BytesType
		}
		return typ == protowire.VarintType || typ == protowire.BytesType
	})
}

// sniffProto recognises ProfilesData by its structure: message in message down to
// a sample type, which is two numbers, or a dictionary, whose tables have shapes of
// their own. Either may come first.
func sniffProto(head []byte) bool {
	const message = protowire.BytesType
	found := false
	otlp.Looks(otlp.First(head), func(num protowire.Number, typ protowire.Type, body []byte) bool {
		if typ != message || num > 2 {
			return false
		}
		if num == 2 {
			entries := 0
			found = otlp.Looks(body, func(num protowire.Number, typ protowire.Type, entry []byte) bool {
				if shape := shapes[num]; shape != "" && len(entry) > 0 {
					entries++
					return typ == message && shaped(shape, entry)
				}
				return typ == message && num <= 7
			}) && entries > 0
			return false
		}
		return otlp.Looks(body, func(num protowire.Number, typ protowire.Type, scope []byte) bool {
			if num != 2 {
				return typ == message && num <= 3
			}
			return typ == message && otlp.Looks(scope, func(num protowire.Number, typ protowire.Type, profile []byte) bool {
				if num != 2 {
					return typ == message && num <= 3
				}
				otlp.Looks(profile, func(num protowire.Number, typ protowire.Type, body []byte) bool {
					found = found || num == 1 && typ == message && len(body) > 0 && len(body) <= 14 && shaped("000", body)
					return num <= 11
				})
				return false
			})
		})
	})
	return found
}

// proto reads a message.
func (m *message) proto(s *otlp.Stream) error {
	return s.Each(func(num protowire.Number) error {
		switch num {
		case 1:
			return m.protoResource(s)
		case 2:
			return s.Within("dictionary", func(num protowire.Number) error {
				if num > 7 {
					return s.Skip()
				}
				raw, err := s.Bytes("entry of the dictionary")
				if err != nil {
					return err
				}
				if !m.entry(num, raw) {
					return fmt.Errorf("byte %d: an entry of the dictionary's table %d is broken", s.Offset()-int64(len(raw)), num)
				}
				return nil
			})
		}
		return s.Skip()
	})
}

func (m *message) protoResource(s *otlp.Stream) error {
	at := len(m.resources)
	m.resources = append(m.resources, nil)
	return s.Within("resource with profiles", func(num protowire.Number) error {
		switch num {
		case 1:
			raw, err := s.Bytes("resource")
			if err == nil {
				m.resources[at] = otlp.Attributes(raw, 1)
			}
			return err
		case 2:
			return s.Within("scope with profiles", func(num protowire.Number) error {
				if num != 2 {
					return s.Skip()
				}
				return m.protoProfile(s, at)
			})
		}
		return s.Skip()
	})
}

func (m *message) protoProfile(s *otlp.Stream, resource int) error {
	at := len(m.profiles)
	m.profiles = append(m.profiles, profile{resource: int32(resource)})
	return s.Within("profile", func(num protowire.Number) error {
		switch num {
		case 1:
			raw, err := s.Bytes("sample type")
			otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, _ []byte) {
				switch {
				case typ != protowire.VarintType:
				case num == 1:
					m.profiles[at].typ = index(n)
				case num == 2:
					m.profiles[at].unit = index(n)
				}
			})
			return err
		case 2:
			raw, err := s.Bytes("sample")
			if err != nil {
				return err
			}
			if !m.protoSample(raw) {
				return fmt.Errorf("byte %d: a sample is broken", s.Offset()-int64(len(raw)))
			}
			m.add(at)
			return nil
		case 3:
			if s.Message() { // what is a time now was a list of locations
				m.profiles[at].older = true
				return s.Skip()
			}
			n, err := s.Number()
			m.profiles[at].time = n
			return err
		}
		return s.Skip()
	})
}

func (m *message) protoSample(raw []byte) bool {
	s := &m.current
	s.begin()
	sound := true
	whole := otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
		switch num {
		case 1:
			s.stack = index(n)
		case 2:
			sound = varints(typ, n, body, func(n uint64) { s.labels = append(s.labels, index(n)) }) && sound
		case 4:
			sound = varints(typ, n, body, func(n uint64) { s.values = append(s.values, int64(n)) }) && sound
		case 5:
			if typ == protowire.Fixed64Type {
				s.times = append(s.times, n)
			}
			for typ == protowire.BytesType && len(body) > 0 {
				v, size := protowire.ConsumeFixed64(body)
				if size < 0 {
					sound = false
					return
				}
				s.times, body = append(s.times, v), body[size:]
			}
		}
	})
	return whole && sound
}

// varints reads the numbers of a repeated field, one by one or packed.
func varints(typ protowire.Type, n uint64, body []byte, number func(n uint64)) bool {
	if typ == protowire.VarintType {
		number(n)
		return true
	}
	for len(body) > 0 {
		v, size := protowire.ConsumeVarint(body)
		if size < 0 {
			return false
		}
		number(v)
		body = body[size:]
	}
	return typ == protowire.BytesType
}

// index reads an index into a table; what is too large for one is none.
func index(n uint64) int32 {
	if n >= 1<<31 {
		return -1
	}
	return int32(n)
}

// entry adds an entry to a table of the dictionary.
func (m *message) entry(table protowire.Number, raw []byte) bool {
	sound := true
	switch table {
	case 1:
		var e mapping
		sound = otlp.Fields(raw, func(num protowire.Number, _ protowire.Type, n uint64, _ []byte) {
			switch num {
			case 1:
				e.start = n
			case 3:
				e.offset = n
			case 4:
				e.file = index(n)
			}
		})
		m.mappings = append(m.mappings, e)
	case 2:
		e := location{lines: run{from: int32(len(m.lines))}}
		sound = otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
			switch {
			case num == 1:
				e.mapping = index(n)
			case num == 2:
				e.address = n
			case num == 3 && typ == protowire.BytesType:
				var l line
				otlp.Fields(body, func(num protowire.Number, _ protowire.Type, n uint64, _ []byte) {
					switch num {
					case 1:
						l.function = index(n)
					case 2:
						l.line = int64(n)
					}
				})
				m.lines = append(m.lines, l)
			}
		})
		e.lines.to = int32(len(m.lines))
		m.locations = append(m.locations, e)
	case 3:
		var e function
		sound = otlp.Fields(raw, func(num protowire.Number, _ protowire.Type, n uint64, _ []byte) {
			switch num {
			case 1:
				e.name = index(n)
			case 2:
				e.system = index(n)
			case 3:
				e.file = index(n)
			case 4:
				e.start = int64(n)
			}
		})
		m.functions = append(m.functions, e)
	case 5:
		m.strings = append(m.strings, clean(raw))
	case 6:
		var e attribute
		sound = otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
			switch {
			case num == 1:
				e.key = index(n)
			case num == 2 && typ == protowire.BytesType:
				e.value = otlp.AnyValue(body)
			case num == 3:
				e.unit = index(n)
			}
		})
		m.attributes = append(m.attributes, e)
	case 7:
		m.path = m.path[:0]
		sound = otlp.Fields(raw, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
			if num == 1 {
				varints(typ, n, body, func(n uint64) { m.path = append(m.path, index(n)) })
			}
		})
		m.stack()
	}
	return sound
}
