package perfsamples

import "github.com/cambium-prof/cambium/data"

// Stacks makes contexts of stacks of which mostly the next one shares much with
// the one before.
type Stacks struct {
	// Child gives the context of a call within another, or within none.
	Child func(caller, callee data.EntityID) data.EntityID

	before   []data.EntityID // the last stack, outermost first
	contexts []data.EntityID // of it, as far out as each frame
}

// Context gives the context of frames, the innermost first, or None if there are
// none.
func (s *Stacks) Context(frames []data.EntityID) data.EntityID {
	n, keep := len(frames), 0
	for keep < n && keep < len(s.before) && s.before[keep] == frames[n-1-keep] {
		keep++
	}
	s.before, s.contexts = s.before[:keep], s.contexts[:keep]
	context := data.None
	if keep > 0 {
		context = s.contexts[keep-1]
	}
	for i := n - 1 - keep; i >= 0; i-- {
		context = s.Child(context, frames[i])
		s.before = append(s.before, frames[i])
		s.contexts = append(s.contexts, context)
	}
	return context
}
