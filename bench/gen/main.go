// Command gen writes large profiles of a made-up Java program: the input of
// the benchmarks. The same flags give the same bytes.
//
// The trees have what makes real ones of their size hard or easy to read:
// names of full length, most methods rare and few in a third of all contexts,
// recursion, about half of the contexts leaves, deep stacks that share most
// of their frames with the stack before, totals over many orders of magnitude.
//
//	go run ./bench/gen -format pprof -contexts 2166169 -methods 11555 -depth 131 -o /tmp/big.pb.gz
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	format := flag.String("format", "pprof", "pprof, folded or cctcsv")
	contexts := flag.Int("contexts", 2166169, "number of calling contexts")
	methods := flag.Int("methods", 11555, "number of methods")
	depth := flag.Int("depth", 131, "depth of the deepest context")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	shuffle := flag.Bool("shuffle", false, "samples in random order (pprof and folded)")
	out := flag.String("o", "", "file to write; packed if it ends in .gz (pprof: always packed)")
	flag.Parse()
	if err := run(*format, *contexts, *methods, *depth, *seed, *shuffle, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(format string, contexts, methods, depth int, seed uint64, shuffle bool, out string) (err error) {
	write, ok := map[string]func(*bufio.Writer, *tree, []int32) error{"pprof": writePprof, "folded": writeFolded, "cctcsv": writeCSV}[format]
	switch {
	case !ok:
		return fmt.Errorf("-format %q: is none of pprof, folded, cctcsv", format)
	case out == "":
		return errors.New("-o is missing: the file to write")
	case format == "cctcsv" && shuffle:
		return errors.New("-shuffle: a cctcsv file is in preorder by definition")
	}
	t, err := newTree(contexts, methods, depth, seed)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var sink io.Writer = f
	if format == "pprof" || strings.HasSuffix(out, ".gz") {
		z := gzip.NewWriter(f)
		defer func() { err = errors.Join(err, z.Close()) }()
		sink = z
	}
	w := bufio.NewWriterSize(sink, 1<<20)
	if err := write(w, t, t.order(seed, shuffle)); err != nil {
		return err
	}
	return w.Flush()
}
