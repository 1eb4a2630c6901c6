package folded

import (
	"bytes"

	"github.com/cambium-prof/cambium/source"
)

// sniffLines is how many lines are looked at.
const sniffLines = 50

// sniff has no signature to go by: most of the first lines must be a stack
// and a count, and half of those with a ';' in the stack; or all lines must be
// such a stack, or a single word, and a count. What other texts look like is ruled out: a label
// in front ("version: 1", "I: 1 2 3"), a blank after the ';'.
func sniff(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("# austin: ")) {
		return false // the latter has times, and no frames in front: see package austin
	}
	var good, deep, bad, words int
	eachLine(head, func(line []byte) bool {
		stack, ok := looksFolded(line)
		switch {
		case !ok:
			bad++
		case bytes.IndexByte(stack, ';') >= 0:
			good++
			deep++
		default:
			good++
			if isName(stack) {
				words++
			}
		}
		return good+bad < sniffLines
	})
	if good+bad == 0 {
		// One line longer than what may be looked at: a very deep stack.
		return len(head) >= source.SniffBytes && bytes.Count(head, []byte{';'}) > len(head)/1000 &&
			!bytes.Contains(head, []byte("; ")) && !likeJSON(head)
	}
	return deep > 0 && 2*deep >= good && good > 2*bad || bad == 0 && (words == good || deep > 0 && words+deep == good)
}

// isName tells whether a stack of one frame looks like the name of a function:
// one word, as C++ has them at the oddest.
func isName(stack []byte) bool {
	return !bytes.ContainsAny(stack, " \t=\"") && !isNumber(stack) && !likeJSON(stack) &&
		(bytes.IndexByte(stack, ',') < 0 || bytes.ContainsAny(stack, "<("))
}

// eachLine calls f with the trimmed lines that say something. The last one is
// left out if head was cut there.
func eachLine(head []byte, f func(line []byte) bool) {
	cut := len(head) >= source.SniffBytes
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if !ended && cut {
			return
		}
		head = rest
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if !f(line) {
			return
		}
	}
}

func looksFolded(line []byte) (stack []byte, ok bool) {
	blank := lastBlank(line)
	if blank <= 0 || !isNumber(line[blank+1:]) {
		return nil, false
	}
	stack = bytes.TrimRight(line[:blank], " \t")
	if word, _, more := bytes.Cut(line, []byte{' '}); more && bytes.HasSuffix(word, []byte{':'}) && bytes.IndexByte(word, ';') < 0 {
		return nil, false
	}
	for _, c := range stack {
		if c < ' ' && c != '\t' {
			return nil, false
		}
	}
	if len(stack) == 0 || bytes.IndexByte(stack, ';') >= 0 && (bytes.Contains(stack, []byte("; ")) || likeJSON(stack)) {
		return nil, false
	}
	return stack, true
}

// likeJSON rules out an object; PHP's outermost function is called {main}.
func likeJSON(stack []byte) bool {
	return stack[0] == '{' && (len(stack) == 1 || bytes.IndexByte([]byte("\" {}"), stack[1]) >= 0)
}

func isNumber(b []byte) bool {
	_, _, err := parseCount(b)
	return err != errNoNumber
}

// differential reports whether nearly all stacks of head have two counts. One
// line alone does not tell: "Thread 5 100" is a frame with a blank in its name.
func differential(head []byte) bool {
	var lines, two int
	eachLine(head, func(line []byte) bool {
		if stack, ok := looksFolded(line); ok {
			lines++
			if blank := lastBlank(stack); blank > 0 && isNumber(stack[blank+1:]) {
				two++
			}
		}
		return true
	})
	return two > 1 && 10*two >= 9*lines
}
