package otlp

import "github.com/cambium-prof/cambium/source/jsonstream"

// Object has the members of an object in memory read, that starts at i; member
// gives where the value ends that starts at a place. What is no object is passed
// over. If the text ends early, the error is [jsonstream.Short].
func Object(b []byte, i int, member func(key []byte, value int) (end int, err error)) (end int, err error) {
	if i < len(b) && b[i] != '{' {
		return jsonstream.Value(b, i)
	}
	i++
	for first := true; ; first = false {
		key, value, done, err := jsonstream.Member(b, i, first)
		if err != nil || done {
			return value, err
		}
		if i, err = member(key, value); err != nil {
			return i, err
		}
	}
}

// Array has the elements of an array read, like Object.
func Array(b []byte, i int, element func(value int) (end int, err error)) (end int, err error) {
	if i < len(b) && b[i] != '[' {
		return jsonstream.Value(b, i)
	}
	for i = jsonstream.Space(b, i+1); i < len(b) && b[i] != ']'; {
		if i, err = element(i); err != nil {
			return i, err
		}
		if i = jsonstream.Space(b, i); i < len(b) && b[i] == ',' {
			i = jsonstream.Space(b, i+1)
		} else if i < len(b) && b[i] != ']' {
			return i, jsonstream.Expected(b, i, "a comma or the end of the array")
		}
	}
	if i >= len(b) {
		return i, jsonstream.Short
	}
	return i + 1, nil
}

// Numeral reads an integer that starts at i and may be in quotes. What is none is 0.
func Numeral(b []byte, i int) (n int64, end int, err error) {
	at := i
	quoted := at < len(b) && b[at] == '"'
	if quoted {
		at++
	}
	digits, u := at, uint64(0)
	for at < len(b) && b[at]-'0' <= 9 && at-digits < 19 { // as it mostly is, and 64 bits have
		u = 10*u + uint64(b[at]-'0')
		at++
	}
	switch {
	case at == digits || at == len(b):
	case quoted && b[at] == '"':
		return int64(u), at + 1, nil
	case !quoted && (b[at] == ',' || b[at] == ']' || b[at] == '}' || b[at] == ' ' || b[at] == '\n' || b[at] == '\r'):
		return int64(u), at, nil
	}
	if end, err = jsonstream.Value(b, i); err != nil {
		return 0, end, err
	}
	n, _ = Integer(b[i:end])
	return n, end, nil
}

// Numerals reads the integers of an array.
func Numerals(b []byte, i int, number func(n int64)) (end int, err error) {
	return Array(b, i, func(i int) (int, error) {
		n, end, err := Numeral(b, i)
		if err == nil {
			number(n)
		}
		return end, err
	})
}
