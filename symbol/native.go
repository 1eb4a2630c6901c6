package symbol

import "strings"

// splitNative splits a symbol of which nothing is known but where it was loaded
// from. The package is the name of the binary without its folder, as folders
// differ between machines.
func splitNative(name, binary string) Name {
	method := name
	if symbol, found := strings.CutSuffix(name, "_[k]"); found {
		method = symbol
		if binary == "" {
			binary = "[kernel]"
		}
	}
	if binary == "" {
		binary, method = cutBinary(method)
	}
	// An offset into the function is a place, not part of the name.
	if i := strings.LastIndex(method, "+0x"); i > 0 && isHex(method[i+3:]) {
		method = method[:i]
	}
	return Name{Package: binaryElements(binary), Method: method}
}

// cutBinary cuts a binary off a name that has one: libc.so.6`malloc (DTrace),
// libc.so.6!malloc (Windows, VTune), "malloc (/usr/lib/libc.so.6)" (perf).
func cutBinary(name string) (binary, symbol string) {
	if i := strings.IndexAny(name, "`!"); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	if i := strings.Index(name, " (/"); i > 0 && strings.HasSuffix(name, ")") {
		return name[i+2 : len(name)-1], name[:i]
	}
	return "", name
}

func binaryElements(binary string) []string {
	binary = strings.TrimSuffix(binary, " (deleted)")
	if !strings.HasPrefix(binary, "[") {
		binary = baseName(binary)
	}
	if binary == "" || binary == "[unknown]" {
		return nil
	}
	return []string{binary}
}

// isAddress reports whether name is an address in place of a symbol.
func isAddress(name string) bool {
	hex, found := strings.CutPrefix(name, "0x")
	return found && isHex(hex)
}
