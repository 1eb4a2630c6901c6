package gperftools

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/source"
)

// maxLine bounds the memory for a line.
const maxLine = 1 << 20

// line takes a line of text without its end.
func (r *reader) line() (string, error) {
	var all []byte
	for {
		part, err := r.in.ReadSlice('\n')
		r.at += int64(len(part))
		all = append(all, part...)
		switch {
		case err == nil || err == io.EOF && len(all) > 0:
			return string(bytes.TrimRight(all, "\r\n")), nil
		case err != nil && err.Error() != "bufio: buffer full":
			return "", err
		case len(all) > maxLine:
			return "", fmt.Errorf("byte %d: a line is longer than %d bytes", r.at, maxLine)
		}
	}
}

// symbols takes what pprof --raw writes in front: a name for each address.
func (r *reader) symbols() error {
	bad := 0
	for first := true; ; first = false {
		text, err := r.line()
		if err != nil {
			return err
		}
		switch {
		case first, strings.HasPrefix(text, "binary="):
		case text == "---":
			text, err := r.line()
			if err == nil && text != strings.TrimSpace(profile) {
				err = fmt.Errorf("byte %d: expected --- profile behind the names, but found %s", r.at, source.Quote([]byte(text)))
			}
			if bad > 0 {
				r.b.Warn("%d lines of names are no address and name, and were left out", bad)
			}
			return err
		default:
			address, name, ok := strings.Cut(text, " ")
			pc, err := strconv.ParseUint(strings.TrimPrefix(address, "0x"), 16, 64)
			if !ok || err != nil || name == "" {
				bad++
				continue
			}
			r.names[pc] = name
		}
	}
}

// splitInlined splits caller<0000000000001234>--inlined. The address tells
// functions of one name apart within pprof.
func splitInlined(name string) []string {
	var parts []string
	for part := range strings.SplitSeq(name, "--") {
		if n := len(part); n > 18 && part[n-1] == '>' && part[n-18] == '<' {
			if _, err := strconv.ParseUint(part[n-17:n-1], 16, 64); err == nil {
				part = part[:n-18]
			}
		}
		// operator-- has nothing behind its dashes.
		if last := len(parts) - 1; part == "" || strings.HasPrefix(part, "(") && last >= 0 {
			if last >= 0 {
				parts[last] += "--" + part
				continue
			}
			part = name
		}
		parts = append(parts, part)
	}
	return parts
}

// mappings takes /proc/self/maps: 5584eaaf1000-5584eaaf6000 r-xp 00005000 fe:00 12 /usr/bin/lua
func (r *reader) mappings() error {
	for {
		text, err := r.line()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		fields := strings.Fields(text)
		if len(fields) < 6 || !strings.Contains(fields[1], "x") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		m := mapping{file: source.BinaryName(strings.Join(fields[5:], " "))}
		var errs [3]error
		m.from, errs[0] = strconv.ParseUint(from, 16, 64)
		m.to, errs[1] = strconv.ParseUint(to, 16, 64)
		m.offset, errs[2] = strconv.ParseUint(fields[2], 16, 64)
		if errors.Join(errs[:]...) == nil && m.from < m.to {
			r.maps = append(r.maps, m)
		}
	}
	slices.SortFunc(r.maps, func(a, b mapping) int { return cmp.Compare(a.from, b.from) })
	return nil
}

// binary gives the binary at an address, and where in its file that is.
func (r *reader) binary(pc uint64) (name string, offset uint64, ok bool) {
	i, found := slices.BinarySearchFunc(r.maps, pc, func(m mapping, pc uint64) int { return cmp.Compare(m.from, pc) })
	if !found {
		i--
	}
	if i < 0 || pc >= r.maps[i].to {
		return "", 0, false
	}
	return r.maps[i].file, pc - r.maps[i].from + r.maps[i].offset, true
}
