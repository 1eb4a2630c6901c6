package source

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]struct {
		n    int64
		rest string
		ok   bool
	}{
		"0": {0, "", true}, "42,x": {42, ",x", true}, "-7 ": {-7, " ", true}, "": {}, "-": {}, "x1": {rest: "x1"}, "+1": {rest: "+1"},
		"9223372036854775807": {math.MaxInt64, "", true}, "9223372036854775808": {rest: "9223372036854775808"},
		"00000000000000000000000000012": {12, "", true},
	} {
		n, rest, ok := Number([]byte(text))
		if ok != want.ok || ok && (n != want.n || string(rest) != want.rest) {
			t.Errorf("%q: %d, %q, %v", text, n, rest, ok)
		}
	}
}

func TestSplitRecord(t *testing.T) {
	for line, want := range map[string][]string{
		`a,b`: {"a", "b"}, `a,,`: {"a", "", ""}, ``: {""}, `"a,b",c`: {"a,b", "c"}, `"say ""x""",`: {`say "x"`, ""}, `a"b,c`: {`a"b`, "c"},
		`"a`: nil, `"a"b,c`: nil,
	} {
		if got, ok := SplitRecord(nil, []byte(line)); ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, ok)
		}
	}
}

// eachLine takes lines that begin with "+" for good ones.
func eachLine(t *testing.T, raw []byte) (good []string, warnings []string, err error) {
	t.Helper()
	in, err := NewInput(context.Background(), "test", bytes.NewReader(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b := data.NewBuilder("test", "test")
	err = EachLine(context.Background(), in, b, func(line []byte) error {
		if line[0] != '+' {
			return errors.New("expected +")
		}
		good = append(good, string(line))
		return nil
	})
	set, finishErr := b.Finish()
	if finishErr != nil {
		t.Fatal(finishErr)
	}
	return good, set.Warnings, err
}

func TestEachLine(t *testing.T) {
	good, warnings, err := eachLine(t, []byte("+a\r\n\n-\n+b"))
	if err != nil || !slices.Equal(good, []string{"+a", "+b"}) || !slices.Equal(warnings, []string{
		"line 3: expected +; the line is left out",
		"line 4: the file ends here without a line break; it may have been cut off",
	}) {
		t.Errorf("%q, %q, %v", good, warnings, err)
	}
	_, warnings, err = eachLine(t, []byte("+a\n"+strings.Repeat("-\n", 5000)+"+b\n"))
	if err != nil || len(warnings) != shownBad+1 || warnings[shownBad] != "5000 lines were left out" {
		t.Errorf("%q, %v", warnings, err)
	}
	for text, want := range map[string]string{
		"\n\n":                              "there are only blank lines",
		"\n-\n-\n":                          "line 2: expected +",
		strings.Repeat("-\n", maxBad) + "+": "line 1: expected +", // enough was seen
	} {
		if good, _, err := eachLine(t, []byte(text)); err == nil || err.Error() != want || good != nil {
			t.Errorf("%.10q: %q, %v", text, good, err)
		}
	}
	// A damaged file does not hand out the rest of a line.
	whole := []byte(strings.Repeat("+a line that is the same each time\n", 10_000))
	packed := gz(t, whole)
	good, _, err = eachLine(t, packed[:len(packed)-20])
	if err != nil || len(good) == 0 || slices.ContainsFunc(good, func(line string) bool { return line != good[0] }) {
		t.Errorf("%d lines, the last is %q, %v", len(good), good[len(good)-1:], err)
	}
}
