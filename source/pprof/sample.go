package pprof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
)

// samples are the samples as they stream by: a trie over locations, and the
// samples themselves, whose contexts are nodes of it until the end.
type samples struct {
	trie      *pathTrie // keys are rows of locations
	locations ids

	profile *source.Profile
	width   int         // values of a sample: as many as the first one has; 0 before it
	labels  *data.Spool // of all samples: see labelRef

	// The stack of the previous sample: its packed bytes at the end of tail,
	// so that the shared outer part stays where it is, and its frames from the
	// outermost inwards.
	tail   []byte
	length int
	path   []step

	packed []byte     // scratch: a stack that was not stored in one piece
	row    []int64    // scratch: the values of one sample
	of     []labelRef // scratch: its labels

	without problem // samples without values
	uneven  problem // samples with another number of values than the rest
}

// step is a frame of a stack with all those around it.
type step struct {
	id   uint64 // of the location
	hash uint64
	node data.EntityID // None if nobody asked yet
}

// labelRef is a label of a sample, as indexes of strings: they come later.
type labelRef struct {
	sample    uint32
	key, text uint32
	unit      uint32
	number    int64
}

// maxMetrics bounds the columns a file can make us keep.
const maxMetrics = 256

func (s *samples) init() {
	s.trie = newPathTrie(&s.locations)
	s.tail = make([]byte, 1<<10)
}

func (s *samples) n() int { return s.profile.Samples() }

var errTooMany = errors.New("there are more samples or contexts than can be numbered")

// sample takes in message Sample.
func (d *decoder) sample(b []byte, at int64) error {
	s := &d.samples
	if s.n() >= math.MaxUint32-1 || s.trie.len()+len(b) >= math.MaxUint32-1 {
		return errTooMany
	}
	var stack []byte
	owned := false // stack is s.packed
	row := s.row[:0]
	s.of = s.of[:0]
	for i := 0; i < len(b); {
		switch b[i] {
		case 1<<3 | wireBytes, 2<<3 | wireBytes, 3<<3 | wireBytes: // location_id, value, label
			size, n := binary.Uvarint(b[i+1:])
			if n <= 0 {
				return errVarint
			}
			from := i + 1 + n
			if size > uint64(len(b)-from) {
				return errLength
			}
			part := b[from : from+int(size)]
			switch b[i] >> 3 {
			case 1:
				if stack == nil {
					stack = part
					break
				}
				if !owned {
					s.packed, owned = append(s.packed[:0], stack...), true
				}
				s.packed = append(s.packed, part...)
				stack = s.packed
			case 2:
				for len(part) > 0 {
					v, n := binary.Uvarint(part)
					if n <= 0 {
						return errVarint
					}
					row = append(row, int64(v))
					part = part[n:]
				}
			case 3:
				if err := s.label(part); err != nil {
					return err
				}
			}
			i = from + int(size)
		case 1<<3 | wireVarint: // location_id, not packed
			_, n := binary.Uvarint(b[i+1:])
			if n <= 0 {
				return errVarint
			}
			if !owned {
				s.packed, owned = append(s.packed[:0], stack...), true
			}
			s.packed = append(s.packed, b[i+1:i+1+n]...)
			stack = s.packed
			i += 1 + n
		case 2<<3 | wireVarint: // value, not packed
			v, n := binary.Uvarint(b[i+1:])
			if n <= 0 {
				return errVarint
			}
			row = append(row, int64(v))
			i += 1 + n
		default:
			m := message{rest: b[i:]}
			if _, err := m.next(); err != nil {
				return err
			}
			i = len(b) - len(m.rest)
		}
	}
	s.row = row
	if !s.expected(row, len(d.types), at) {
		return nil
	}
	node, err := s.node(stack)
	if err != nil {
		return err
	}
	for _, l := range s.of {
		s.keep(l)
	}
	s.profile.Sample(node, row...)
	return nil
}

// expected tells whether a sample has the values it should have: as many as
// there are sample types, which come first in every known writer's files,
// else as many as the first sample.
func (s *samples) expected(row []int64, types int, at int64) bool {
	if s.width == 0 && len(row) > 0 && len(row) <= maxMetrics && (types == 0 || types == len(row)) {
		s.width = len(row)
		s.profile.AdoptMetrics(0, make([]source.Metric, s.width)...) // they get their names at the end
	}
	switch {
	case len(row) == 0:
		s.without.add("the one at byte %d", at)
	case len(row) != s.width:
		want := s.width
		if want == 0 {
			want = types
		}
		s.uneven.add("the sample at byte %d has %d values instead of %d", at, len(row), min(want, maxMetrics))
	default:
		return true
	}
	return false
}

// label takes in message Label for the sample that comes next.
func (s *samples) label(b []byte) error {
	l := labelRef{sample: uint32(s.n())}
	m := message{rest: b}
	for {
		more, err := m.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case m.is(1):
			l.key = index32(m.val)
		case m.is(2):
			l.text = index32(m.val)
		case m.is(3):
			l.number = int64(m.val)
		case m.is(4):
			l.unit = index32(m.val)
		}
	}
	if l.text != 0 || l.number != 0 || l.unit != 0 {
		s.of = append(s.of, l)
	}
	return nil
}

// keep keeps a label until strings are known.
func (s *samples) keep(l labelRef) {
	columns := s.labels.Row()
	for i, v := range []uint32{l.sample, l.key, l.text, l.unit} {
		columns[i].Refs = append(columns[i].Refs, data.EntityID(v))
	}
	columns[labelNumber].Values = append(columns[labelNumber].Values, l.number)
}

// labelNumber is the column of labels that follows those of sample, key, text
// and unit.
const labelNumber = 4

// index32 stores the index of a string; one that no file can have stays wrong.
func index32(v uint64) uint32 { return uint32(min(v, math.MaxUint32)) }

// node gives the trie's node of a packed stack, leaf first. Only what differs
// from the previous stack is looked at.
func (s *samples) node(stack []byte) (data.EntityID, error) {
	n := len(stack)
	if n == 0 {
		return data.None, nil // the previous stack stays
	}
	if stack[n-1] >= 0x80 {
		return data.None, errVarint
	}
	prev := s.tail[len(s.tail)-s.length:]
	common := commonSuffix(stack, prev)
	// The common bytes must start with a number of both stacks. After one
	// step the byte before is common, too, so both agree.
	for common > 0 && (!startsNumber(stack, n-common) || !startsNumber(prev, len(prev)-common)) {
		common--
	}
	for _, c := range prev[:len(prev)-common] {
		if c < 0x80 {
			s.path = s.path[:len(s.path)-1]
		}
	}
	if n > len(s.tail) {
		tail := make([]byte, 2*n)
		copy(tail[len(tail)-common:], prev[len(prev)-common:])
		s.tail = tail
	}
	copy(s.tail[len(s.tail)-n:], stack[:n-common])
	s.length = n

	// Backwards is outermost first; and the last byte of a number is its
	// highest.
	shared, hash := len(s.path), uint64(0)
	if shared > 0 {
		hash = s.path[shared-1].hash
	}
	for end := n - common; end > 0; {
		end--
		id := uint64(stack[end])
		if end > 0 && stack[end-1] >= 0x80 {
			last := end
			for end > 0 && stack[end-1] >= 0x80 {
				end--
				id = id<<7 | uint64(stack[end]&0x7f)
			}
			if length := last - end + 1; length > binary.MaxVarintLen64 || length == binary.MaxVarintLen64 && stack[last] > 1 {
				s.length, s.path = 0, s.path[:0]
				return data.None, errVarint
			}
		}
		hash = s.trie.extend(hash, id)
		s.path = append(s.path, step{id, hash, data.None})
	}
	return s.enter(shared), nil
}

// enter gives the node of the stack in s.path, of which the outermost steps up
// to shared are in the trie for sure.
func (s *samples) enter(shared int) data.EntityID {
	// Steps below in are in the trie, those from out on are not.
	in, out := shared, len(s.path)
	if in < out && (in == 0 || s.path[in-1].node != data.None) {
		parent := data.None
		if in > 0 {
			parent = s.path[in-1].node
		}
		key := data.EntityID(s.locations.of(s.path[in].id))
		if child, sure := s.trie.walk(parent, key); child != data.None {
			s.path[in].node = child
			in++
		} else if sure {
			out = in
		}
	}
	for in < out {
		ask := int(uint(in+out) / 2)
		if found := s.trie.find(s.path[ask].hash); found != data.None {
			s.path[ask].node = found
			in = ask + 1
		} else {
			out = ask
		}
	}
	at := data.None
	if in > 0 {
		last := &s.path[in-1]
		if last.node == data.None {
			last.node = s.trie.find(last.hash)
		}
		at = last.node
	}
	for i := in; i < len(s.path); i++ {
		step := &s.path[i]
		at = s.trie.add(at, data.EntityID(s.locations.of(step.id)))
		step.node = at
	}
	return at
}

func startsNumber(b []byte, at int) bool { return at == 0 || b[at-1] < 0x80 }

// commonSuffix is the number of bytes at the end of a and b that are equal.
func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	for n >= 8 {
		if x := binary.LittleEndian.Uint64(a[n-8:n]) ^ binary.LittleEndian.Uint64(b[n-8:n]); x != 0 {
			return len(a) - n + bits.LeadingZeros64(x)/8
		}
		n -= 8
	}
	for n > 0 && a[n-1] == b[n-1] {
		n--
	}
	return len(a) - n
}

// ids numbers 64-bit ids in the order of their first appearance. Writers count
// from 1, so small ones are looked up directly.
type ids struct {
	direct []uint32 // id -> number + 1, 0 if new
	sparse map[uint64]uint32
	list   []uint64 // number -> id
}

const maxDirect = 4 << 20

func (t *ids) of(id uint64) uint32 {
	if id < uint64(len(t.direct)) {
		if n := t.direct[id]; n != 0 {
			return n - 1
		}
	}
	return t.add(id)
}

func (t *ids) add(id uint64) uint32 {
	if n, ok := t.sparse[id]; ok {
		return n
	}
	n := uint32(len(t.list))
	t.list = append(t.list, id)
	if id < maxDirect {
		if id >= uint64(len(t.direct)) {
			direct := make([]uint32, max(int(id)+1, 2*len(t.direct)))
			copy(direct, t.direct)
			t.direct = direct
		}
		t.direct[id] = n + 1
		return n
	}
	if t.sparse == nil {
		t.sparse = map[uint64]uint32{}
	}
	t.sparse[id] = n
	return n
}

// mismatch gives up on a profile whose samples do not fit its sample types.
func (s *samples) mismatch(types int) error {
	switch {
	case s.uneven.n > 0 && s.n() == 0:
		return fmt.Errorf("no sample could be used: %s", s.uneven.first)
	case s.without.n > 0 && s.n() == 0:
		return fmt.Errorf("none of the %d samples has a value", s.without.n)
	case s.n() > 0 && types != s.width:
		return fmt.Errorf("samples have %d values, but there are %d sample types", s.width, types)
	}
	return nil
}
