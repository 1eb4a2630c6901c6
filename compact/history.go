package compact

import "encoding/binary"

// History is a compacted tree with what was done to it, which can be undone and
// done again. It holds one tree; of each step it keeps the levels that changed,
// written short, up to Limit bytes in all. It is not safe for concurrent use.
type History struct {
	Limit int // bytes of steps; the oldest are forgotten beyond

	tree   *Tree
	done   []step
	undone []step // the last undone is the last
	size   int
}

// step is an action and what it changed: runs of contexts with equal levels
// before and equal ones after, each the distance from the run before, its
// length, and the two levels, as varints.
type step struct {
	action  Action
	changes []byte
}

// DefaultLimit holds hundreds of steps that change millions of contexts.
const DefaultLimit = 64 << 20

// NewHistory begins with a tree.
func NewHistory(t *Tree) *History { return &History{Limit: DefaultLimit, tree: t} }

// Tree is the tree after all that was done.
func (h *History) Tree() *Tree { return h.tree }

// Done lists the actions that were done and not undone. After a step was
// forgotten, they do not lead from the first tree to the present one.
func (h *History) Done() Actions {
	l := make(Actions, len(h.done))
	for i, s := range h.done {
		l[i] = s.action
	}
	return l
}

// CanUndo and CanRedo report whether there is something to undo or redo.
func (h *History) CanUndo() bool { return len(h.done) > 0 }

// CanRedo reports whether there is something to redo.
func (h *History) CanRedo() bool { return len(h.undone) > 0 }

// Do takes an action. An action that is blocked, or changes nothing, is no
// step; one that changes something makes it impossible to redo what was undone.
func (h *History) Do(a Action) error {
	made, err := h.tree.Apply(a)
	if err != nil {
		return err
	}
	s := step{a, differences(h.tree.level, made.level)}
	if len(s.changes) == 0 {
		return nil
	}
	h.tree = made
	for _, u := range h.undone {
		h.size -= len(u.changes)
	}
	h.undone = nil
	h.done = append(h.done, s)
	h.size += len(s.changes)
	for len(h.done) > 1 && h.size > h.Limit {
		h.size -= len(h.done[0].changes)
		h.done = h.done[1:]
	}
	return nil
}

// Undo goes back a step, if there is one.
func (h *History) Undo() bool {
	if !h.CanUndo() {
		return false
	}
	s := h.done[len(h.done)-1]
	h.done = h.done[:len(h.done)-1]
	h.undone = append(h.undone, s)
	h.tree = h.tree.replay(s.changes, false)
	return true
}

// Redo does again what was undone last, if there is something.
func (h *History) Redo() bool {
	if !h.CanRedo() {
		return false
	}
	s := h.undone[len(h.undone)-1]
	h.undone = h.undone[:len(h.undone)-1]
	h.done = append(h.done, s)
	h.tree = h.tree.replay(s.changes, true)
	return true
}

// differences writes where two lists of levels differ.
func differences(before, after []uint16) []byte {
	var out []byte
	last := 0
	for i := 0; i < len(before); {
		if before[i] == after[i] {
			i++
			continue
		}
		from := i
		for i < len(before) && before[i] == before[from] && after[i] == after[from] {
			i++
		}
		out = binary.AppendUvarint(out, uint64(from-last))
		out = binary.AppendUvarint(out, uint64(i-from))
		out = binary.AppendUvarint(out, uint64(before[from]))
		out = binary.AppendUvarint(out, uint64(after[from]))
		last = i
	}
	return out
}

// replay makes the tree with the levels of before or after some differences.
func (t *Tree) replay(changes []byte, after bool) *Tree {
	c := t.change()
	next := func() uint64 {
		v, n := binary.Uvarint(changes)
		changes = changes[n:]
		return v
	}
	at := uint64(0)
	for len(changes) > 0 {
		at += next()
		end := at + next()
		level := next()
		if to := next(); after {
			level = to
		}
		for ; at < end; at++ {
			c.set(uint32(at), int(level))
		}
	}
	return t.apply(c)
}
