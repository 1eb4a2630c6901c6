package symbol

import "strings"

// brackets tells how deep in brackets a name is while it is read from left to
// right. Names are not always balanced: they are cut off by profilers, and
// "<" and ">" are operators too. A closing bracket therefore closes what was
// left open within its pair, and is ignored if it has no pair.
type brackets struct {
	open  []byte
	count [128]int32 // open brackets by kind, so that a search for a pair cannot fail
}

func (b *brackets) depth() int { return len(b.open) }

// read takes the byte at i of s into account.
func (b *brackets) read(s string, i int) {
	switch c := s[i]; c {
	case '(', '[', '{', '<':
		b.open = append(b.open, c)
		b.count[c]++
	case ')':
		b.close('(')
	case ']':
		b.close('[')
	case '}':
		b.close('{')
	case '>':
		// Not the end of "->" or "=>", and not an operator: within another
		// bracket than "<", ">" compares.
		if i > 0 && (s[i-1] == '-' || s[i-1] == '=') {
			return
		}
		if len(b.open) > 0 && b.open[len(b.open)-1] == '<' {
			b.close('<')
		}
	}
}

func (b *brackets) close(kind byte) {
	if b.count[kind] == 0 {
		return
	}
	for {
		last := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		b.count[last]--
		if last == kind {
			return
		}
	}
}

// closing returns the index of the bracket that closes the one at i, or -1.
func closing(s string, i int) int {
	var b brackets
	for ; i < len(s); i++ {
		b.read(s, i)
		if b.depth() == 0 {
			return i
		}
	}
	return -1
}

// splitOutside splits s at every separator that is outside of brackets.
func splitOutside(s, separator string) []string {
	var parts []string
	var b brackets
	start := 0
	for i := 0; i < len(s); i++ {
		if b.depth() == 0 && strings.HasPrefix(s[i:], separator) {
			parts = append(parts, s[start:i])
			i += len(separator) - 1
			start = i + 1
			continue
		}
		b.read(s, i)
	}
	return append(parts, s[start:])
}
