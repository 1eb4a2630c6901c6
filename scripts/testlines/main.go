// Command testlines reads what "go test -json" writes and prints what a person
// wants of it: one line per package, and everything that a failed test said.
// With an argument it writes "PASSED FAILED", the number of tests, to that file.
//
//	go test -json ./... | go run ./scripts/testlines counts
//
// Subtests count as tests. A test that was started and never ended, and a
// package that does not compile or fails outside of a test, count as failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// event is a line of go test -json, see "go doc test2json".
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output
	Test       string
	Output     string
	Elapsed    float64
}

// run is what is known of one package until it ends.
type run struct {
	state map[string]string // by test: "run", "pass", "fail" or "skip"
	lines []line
}

type line struct{ test, text string }

type counts struct{ passed, failed, skipped int }

func main() {
	sum, err := report(os.Stdin, os.Stdout)
	if err == nil && len(os.Args) > 1 {
		err = os.WriteFile(os.Args[1], fmt.Appendf(nil, "%d %d\n", sum.passed, sum.failed), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlines:", err)
		os.Exit(1)
	}
	if sum.failed > 0 {
		os.Exit(1)
	}
}

func report(in io.Reader, out io.Writer) (counts, error) {
	start := time.Now()
	var sum counts
	packages := map[string]*run{}
	lines := bufio.NewReader(in)
	for {
		raw, err := lines.ReadBytes('\n')
		if len(raw) > 0 {
			var e event
			if json.Unmarshal(raw, &e) != nil {
				out.Write(raw) // go itself, before any test
			} else {
				sum.add(take(packages, e, out))
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return sum, err
		}
	}
	for name, p := range packages { // go test itself ended early
		fmt.Fprintf(out, "FAIL\t%s\tdid not end\n", name)
		sum.add(p.count())
		sum.failed++
	}
	_, err := fmt.Fprintf(out, "Go tests: %d passed, %d failed, %d skipped (%.1fs)\n",
		sum.passed, sum.failed, sum.skipped, time.Since(start).Seconds())
	return sum, err
}

// take notes an event, and gives the counts of a package when it ends.
func take(packages map[string]*run, e event, out io.Writer) counts {
	if e.Action == "build-output" {
		fmt.Fprint(out, e.Output)
	}
	if e.Package == "" {
		return counts{}
	}
	p := packages[e.Package]
	if p == nil {
		p = &run{state: map[string]string{}}
		packages[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
	case e.Test != "" && (e.Action == "run" || e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		p.state[e.Test] = e.Action
	case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		delete(packages, e.Package)
		return p.end(e, out)
	}
	return counts{}
}

func (p *run) end(e event, out io.Writer) counts {
	sum := p.count()
	switch e.Action {
	case "skip":
		fmt.Fprintf(out, "?   \t%s\t[no test files]\n", e.Package)
	case "pass":
		fmt.Fprintf(out, "ok  \t%s\t%.3fs\t%s\n", e.Package, e.Elapsed, sum)
	case "fail":
		if sum.failed == 0 {
			sum.failed = 1
		}
		for _, l := range p.lines {
			s := p.state[l.test]
			own := l.test == "" && (l.text == "FAIL\n" || strings.HasPrefix(l.text, "FAIL\t")) // ours says more
			if !own && s != "pass" && s != "skip" {
				fmt.Fprint(out, l.text)
			}
		}
		fmt.Fprintf(out, "FAIL\t%s\t%.3fs\t%s\n", e.Package, e.Elapsed, sum)
	}
	return sum
}

func (p *run) count() counts {
	var c counts
	for _, state := range p.state {
		switch state {
		case "pass":
			c.passed++
		case "skip":
			c.skipped++
		default:
			c.failed++
		}
	}
	return c
}

func (c *counts) add(d counts) {
	c.passed += d.passed
	c.failed += d.failed
	c.skipped += d.skipped
}

func (c counts) String() string {
	s := fmt.Sprintf("%d passed", c.passed)
	if c.failed > 0 {
		s += fmt.Sprintf(", %d failed", c.failed)
	}
	if c.skipped > 0 {
		s += fmt.Sprintf(", %d skipped", c.skipped)
	}
	return s
}
