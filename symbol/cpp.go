package symbol

import "strings"

// splitCpp splits a demangled name of C++, or a name of C.
//
// A name does not say whether a qualifier is a namespace or a class. The rules:
// the class begins at the first qualifier that has template arguments; if none
// has, the last qualifier is a class if it begins with an upper-case letter, if
// the method is its constructor or destructor, if the method can only be a
// member (operator(), a conversion, a const method, a thunk), or if it is one
// of a few well-known classes of std.
//
// A function within which a lambda or a local class stands begins the method:
// all that follows belongs to it. A return type is dropped.
func splitCpp(name string) Name {
	for _, prefix := range cppTypePrefixes {
		if body, found := strings.CutPrefix(name, prefix); found && body != "" {
			return splitCppType(body, strings.TrimSuffix(prefix, " for "))
		}
	}
	thunk := ""
	for _, prefix := range cppMemberPrefixes {
		if strings.HasPrefix(name, prefix) {
			thunk, name = prefix, name[len(prefix):]
			break
		}
	}
	c := scanCpp(name)
	n := Name{Method: thunk + c.method}
	if c.method == "" {
		return Name{}
	}
	class := c.class(strings.HasSuffix(thunk, "thunk to "))
	n.Package = c.qualifiers[:class]
	n.Class = strings.Join(c.qualifiers[class:], "::")
	return n
}

// Before a type, what the demangler writes for the data of the type.
var cppTypePrefixes = [...]string{
	"vtable for ", "VTT for ", "construction vtable for ", "typeinfo for ", "typeinfo name for ",
}

// Before a method, what the demangler writes for what belongs to the method.
var cppMemberPrefixes = [...]string{
	"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
	"guard variable for ", "TLS init function for ", "TLS wrapper function for ",
	"transaction clone for ", "invocation function for block in ",
}

// splitCppType splits a type: all of it is package and class.
func splitCppType(typ, method string) Name {
	c := scanCpp(typ)
	if c.method == "" {
		return Name{}
	}
	class := c.class(false)
	if class == len(c.qualifiers)-1 && !strings.Contains(c.qualifiers[class], "<") {
		// What looks like a class is as likely a namespace.
		class++
	}
	return Name{
		Package: c.qualifiers[:class],
		Class:   strings.Join(append(c.qualifiers[class:len(c.qualifiers):len(c.qualifiers)], c.method), "::"),
		Method:  method,
	}
}

// cppName is a name with its qualifiers told apart.
type cppName struct {
	qualifiers []string
	method     string // with parameters and all that follows
	base       string // without template arguments and parameters
	member     bool   // can only be a member of a class
}

// Names of scopes that the language gives no name.
var cppAnonymous = [...]string{
	"(anonymous namespace)", "(anonymous class)", "(anonymous struct)", "(anonymous union)", "(anonymous)",
	"`anonymous namespace'", "`anonymous-namespace'",
}

// anonymousLen returns the length of the unnamed scope that s begins with, or 0.
func anonymousLen(s string) int {
	for _, a := range cppAnonymous {
		if strings.HasPrefix(s, a) {
			return len(a)
		}
	}
	return 0
}

// scanCpp reads a name up to its parameter list.
func scanCpp(s string) cppName {
	var c cppName
	var b brackets
	start := 0          // of the current qualifier, or the method
	parameters := -1    // where the parameter list begins
	conversion := false // within the type of a conversion operator
	typed := false      // a return type has been dropped

scan:
	for i := 0; i < len(s); {
		if n, converts := operatorLen(s, i); n > 0 {
			if b.depth() == 0 && i == start {
				conversion = converts
				c.member = converts || isMemberOperator(s[i:i+n])
				c.base = s[i : i+n]
			}
			i += n
			// GNU separates an operator from its template arguments.
			if !converts && strings.HasPrefix(s[i:], " <") {
				i++
			}
			continue
		}
		if b.depth() > 0 {
			b.read(s, i)
			i++
			continue
		}
		if s[i] == '(' || s[i] == '`' {
			if n := anonymousLen(s[i:]); n > 0 && (i == start && n < len(s) || conversion) {
				i += n
				continue
			}
		}
		switch {
		case s[i] == '(' && strings.HasSuffix(strings.TrimSuffix(s[max(start, i-9):i], " "), "decltype"):
			b.read(s, i)
		case s[i] == '(':
			parameters = i
			break scan
		case conversion:
			b.read(s, i)
		case strings.HasPrefix(s[i:], "::"):
			c.qualifiers = append(c.qualifiers, s[start:i])
			i += 2
			start = i
			continue
		case s[i] == ' ' && strings.HasPrefix(s[i+1:], "["):
			break scan // [clone .cold]
		case s[i] == ' ' && strings.HasPrefix(s[i+1:], "(") && anonymousLen(s[i+1:]) == 0:
			// decltype (...), or a remark such as (.cold).
		case s[i] == ' ':
			c.qualifiers = c.qualifiers[:0]
			start = i + 1
			typed = true
		case i == start && isCppClosure(s[i:]):
			break scan
		default:
			b.read(s, i)
		}
		i++
	}

	if typed && parameters < 0 && len(c.qualifiers) == 0 && !strings.Contains(s, "<") {
		start = 0 // Words, but not of C++.
	}
	c.method = s[start:]
	if c.base == "" {
		c.base = c.method
		if i := strings.IndexAny(c.base, "(<[ "); i >= 0 {
			c.base = c.base[:i]
		}
	}
	if parameters >= 0 {
		if end := closing(s, parameters); end >= 0 {
			after := s[end+1:]
			c.member = c.member || strings.HasPrefix(after, " const") ||
				strings.HasPrefix(after, " volatile") || strings.HasPrefix(after, " &")
		}
	}
	return c
}

// class returns the index of the qualifier at which the class begins, or the
// number of qualifiers if there is no class.
func (c *cppName) class(member bool) int {
	for i, q := range c.qualifiers {
		if strings.Contains(q, "<") {
			return i
		}
	}
	last := len(c.qualifiers) - 1
	if last < 0 {
		return 0
	}
	q := c.qualifiers[last]
	switch {
	case anonymousLen(q) > 0:
	case member, c.member, startsUpper(q), c.base == q, c.base == "~"+q:
		return last
	case c.qualifiers[0] == "std" && cppStdClasses[q]:
		return last
	}
	return last + 1
}

var cppStdClasses = map[string]bool{
	"string": true, "wstring": true, "vector": true, "map": true, "set": true, "list": true,
	"ostream": true, "istream": true, "iostream": true, "filebuf": true, "ios_base": true,
	"locale": true, "thread": true, "mutex": true, "condition_variable": true, "exception": true,
	"error_code": true, "error_category": true, "random_device": true,
}

// isCppClosure reports whether s begins with the type of a lambda, as GNU, LLVM
// or Microsoft write it.
func isCppClosure(s string) bool {
	return strings.HasPrefix(s, "{lambda") || strings.HasPrefix(s, "'lambda") ||
		strings.HasPrefix(s, "$_") || strings.HasPrefix(s, "<lambda")
}

// The symbols of operators; a longer one comes before its prefixes.
var cppOperators = [...]string{
	"<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=",
	"<", ">", ",",
}

// operatorLen returns the length of the operator name at i of s, without its
// template arguments, or 0. A conversion operator, and any that is a word, is
// read up to its type only.
func operatorLen(s string, i int) (n int, converts bool) {
	const keyword = "operator"
	if s[i] != 'o' || !strings.HasPrefix(s[i:], keyword) || i > 0 && isWord(s[i-1]) {
		return 0, false
	}
	rest := s[i+len(keyword):]
	if strings.HasPrefix(rest, `""`) {
		n = 2
		for n < len(rest) && (isWord(rest[n]) || rest[n] == ' ' && n == 2) {
			n++
		}
		return len(keyword) + n, false
	}
	for _, op := range cppOperators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		// LLVM writes operator< with template arguments as "operator<<int>".
		if op == "<<" && len(rest) > 2 && (isWord(rest[2]) || anonymousLen(rest[2:]) > 0) {
			op = "<"
		}
		return len(keyword) + len(op), false
	}
	if len(rest) > 1 && rest[0] == ' ' && (isWord(rest[1]) || anonymousLen(rest[1:]) > 0) {
		return len(keyword) + 1, true
	}
	return 0, false
}

// isMemberOperator reports whether the language allows the operator as a member
// only.
func isMemberOperator(operator string) bool {
	switch operator {
	case "operator()", "operator[]", "operator->", "operator=":
		return true
	}
	return false
}
