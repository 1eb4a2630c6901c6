package query

import (
	"strings"
	"testing"
)

func TestConjuncts(t *testing.T) {
	for text, want := range map[string]string{
		`a == 1`:                              `a == 1`,
		``:                                    ``,
		`not a filter (`:                      `not a filter (`,
		`(a == 1) and (b in 1..2)`:            `a == 1|b in 1..2`,
		`a == 1 && b == 2 and (c > 3 or d)`:   `a == 1|b == 2|c > 3 or d`,
		`a == 1 or b == 2 and c == 3`:         `a == 1 or b == 2 and c == 3`,
		`((a == "x and y") and b == 'it''s')`: `((a == "x and y") and b == 'it''s')`,
		`not (a == 1 and b == 2)`:             `not (a == 1 and b == 2)`,
		`"a b" in ["c", "d"] and event > 7`:   `"a b" in ["c", "d"]|event > 7`,
		`a matches "^x\\d" and b != -1`:       `a matches "^x\\d"|b != -1`,
	} {
		if got := strings.Join(Conjuncts(text), "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := AllOf([]string{"a == 1", "b or c"}); got != "(a == 1) and (b or c)" {
		t.Error(got)
	}
	if AllOf(nil) != "" || AllOf([]string{"a"}) != "a" {
		t.Error("all of none, or of one")
	}
	for text, want := range map[string]bool{`Context == 7`: true, `"Context" == 7 or a`: true, `Contexts == 7`: false, `a contains "x"`: false, `(`: false} {
		if Mentions(text, "Context") != want {
			t.Errorf("%s mentions Context: %v", text, !want)
		}
	}
}
