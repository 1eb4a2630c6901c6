package symbol

import "strings"

// pathElements returns the folders and the file name of a path of any system.
// Drives, "." and ".." are no elements.
func pathElements(path string) []string {
	elements := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	kept := elements[:0]
	for i, e := range elements {
		drive := i == 0 && len(e) == 2 && e[1] == ':'
		if e != "." && e != ".." && !drive {
			kept = append(kept, e)
		}
	}
	return kept
}

// trimPosition removes the line, or the line and the column, after a path.
func trimPosition(location string) (path string, found bool) {
	path = location
	for range 2 {
		i := strings.LastIndexByte(path, ':')
		if i <= 0 || !isDigits(path[i+1:]) {
			break
		}
		path, found = path[:i], true
	}
	return path, found
}

// baseName returns what follows the last slash of a path.
func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// extension returns the extension of a file name with its dot, or "".
func extension(path string) string {
	name := baseName(path)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[i:]
	}
	return ""
}
