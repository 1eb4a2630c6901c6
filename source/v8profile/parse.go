package v8profile

import (
	"fmt"
	"math"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
	"github.com/cambium-prof/cambium/source/v8nodes"
)

// maxMicroseconds keeps times in nanoseconds, and their differences, within 64 bits.
const maxMicroseconds = math.MaxInt64 / 4000

// profile takes the object that is the profile, or that it is wrapped in.
func (r *reader) profile() error {
	return r.json.Object(func(key string) (err error) {
		switch key {
		case "nodes":
			return r.json.Array(r.node)
		case "head":
			return r.tree()
		case "samples":
			if r.Heap {
				return r.json.Skip()
			}
			r.samples.NewIDs()
			err = r.numbers(math.MaxInt64, r.samples.AddID)
		case "timeDeltas":
			if r.stamped {
				return r.json.Skip()
			}
			r.samples.NewTimes()
			err = r.numbers(maxMicroseconds/(1<<20), r.samples.AddTime)
		case "timestamps":
			r.stamped = true
			r.samples.NewTimes()
			err = r.numbers(maxMicroseconds, r.samples.AddTime)
		case "startTime":
			r.start, err = r.number()
		case "endTime":
			r.end, err = r.number()
		case "profile", "result":
			if r.wraps++; r.wraps > 2 {
				return r.json.Skip()
			}
			return r.profile()
		default:
			return r.json.Skip()
		}
		return err
	})
}

func (r *reader) number() (int64, error) {
	raw, err := r.json.Raw()
	if err != nil {
		return 0, err
	}
	n, ok := jsonstream.Decimal(raw, 0, maxMicroseconds)
	if !ok {
		return 0, fmt.Errorf("byte %d: expected a time, but found %s", r.json.Offset(), source.Quote(raw))
	}
	return n, nil
}

// numbers takes a list of numbers, or of samples of a heap profile, which it
// passes over. There are millions: they are taken as many as are in the window.
func (r *reader) numbers(most int64, add func(int64)) error {
	if err := r.json.Expect('['); err != nil {
		return err
	}
	any := false
	for {
		c, err := r.json.Next()
		if err != nil {
			return err
		}
		if c == '{' {
			for c != ']' {
				if err := r.json.Skip(); err != nil {
					return err
				}
				if c, err = r.json.Next(); err != nil {
					return err
				}
				if c == ',' {
					r.json.Advance(1)
				}
			}
		}
		b := r.json.Window()
		i, taken := 0, 0
		for {
			i = jsonstream.Space(b, i)
			if i < len(b) && b[i] == ',' && any {
				i = jsonstream.Space(b, i+1)
			}
			if i < len(b) && b[i] == ']' {
				r.json.Advance(i + 1)
				return nil
			}
			n, rest, ok := source.Number(b[i:])
			if ok && len(rest) > 0 && (rest[0] == ',' || rest[0] == ']' || rest[0] <= ' ') && n <= most && n >= -most {
				add(n)
				any = true
				i = len(b) - len(rest)
				taken = i
				continue
			}
			break
		}
		r.json.Advance(taken)
		if any {
			if c, err := r.json.Next(); err != nil {
				return err
			} else if c == ',' {
				r.json.Advance(1)
			} else {
				return r.json.Wrong("a comma or the end of the list")
			}
		}
		// A number at the edge of the window, or one with a point.
		raw, err := r.json.Raw()
		if err != nil {
			return err
		}
		n, ok := jsonstream.Decimal(raw, 0, most)
		if !ok {
			return fmt.Errorf("byte %d: expected a number of at most %d, but found %s", r.json.Offset(), most, source.Quote(raw))
		}
		add(n)
		any = true
	}
}

// node takes a node of the list.
func (r *reader) node() error {
	raw, err := r.json.Raw()
	if err != nil {
		return err
	}
	if err := r.Read(raw); err != nil {
		return fmt.Errorf("byte %d: %w", r.json.Offset(), err)
	}
	return nil
}

// tree takes nodes within nodes, of any depth.
func (r *reader) tree() error {
	type open struct {
		node  int32
		first bool // no member was read
		own   v8nodes.Place
	}
	if err := r.json.Expect('{'); err != nil {
		return err
	}
	stack := []open{{node: r.Add(-1), first: true}}
	defer func() {
		for _, o := range stack {
			r.Settle(o.node, o.own) // where the file ends
		}
	}()
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		var key [32]byte
		var name []byte
		done := false
		err := r.json.Parse(func(b []byte) (int, error) {
			k, end, over, err := jsonstream.Member(b, 0, top.first)
			name, done = key[:copy(key[:], k)], over
			return end, err
		})
		if err != nil {
			return err
		}
		top.first = false
		enter := false
		switch {
		case done:
			r.Settle(top.node, top.own)
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				enter, err = r.sibling(false) // the list of children goes on
			}
		case string(name) == "children":
			if err = r.json.Expect('['); err == nil {
				enter, err = r.sibling(true)
			}
		default:
			var raw []byte
			if raw, err = r.json.Raw(); err == nil {
				r.Member(top.node, &top.own, name, raw)
			}
		}
		if err != nil {
			return err
		}
		if enter {
			stack = append(stack, open{node: r.Add(stack[len(stack)-1].node), first: true})
		}
	}
	return nil
}

// sibling takes what is between the nodes of a list, and the opening brace of
// the next; enter is false at the end of the list.
func (r *reader) sibling(first bool) (enter bool, err error) {
	c, err := r.json.Next()
	if err != nil {
		return false, err
	}
	switch {
	case c == ']':
		r.json.Advance(1)
		return false, nil
	case c == ',' && !first:
		r.json.Advance(1)
	case !first:
		return false, r.json.Wrong("a comma or the end of the children")
	}
	return true, r.json.Expect('{')
}
