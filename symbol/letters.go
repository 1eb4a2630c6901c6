package symbol

import (
	"unicode"
	"unicode/utf8"
)

// Many languages tell types from packages by case alone, so the rules here ask
// for the case of a first letter.

// startsUpper reports whether s begins with an upper-case letter, leading
// underscores aside, as they only mark a name as private.
func startsUpper(s string) bool {
	for len(s) > 0 && s[0] == '_' {
		s = s[1:]
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func startsDigit(s string) bool { return s != "" && isDigit(s[0]) }

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

// isWord reports whether c can be part of an identifier. Bytes of other
// alphabets can.
func isWord(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return s != "" && !isDigit(s[0])
}
