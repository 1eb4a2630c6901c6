package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/convert"
)

func newConvert() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "convert FILE -o OUT",
		Short: "Write a file in another format",
		Long: `convert writes a profile in the format that OUT's ending names: .pb.gz (pprof),
.folded, .speedscope.json, .trace.json (the calls of a trace), or .cambium, which
keeps everything there is.`,
		Example: "  cambium convert java.hprof.txt -o java.pb.gz",
		Args:    oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			ending, err := convert.Ending(out)
			if err != nil {
				return usagef("-o %q: expected a name that ends in .pb.gz, .folded, .speedscope.json, .trace.json or .cambium", out)
			}
			w, err := load(c.Context(), args[0])
			if err != nil {
				return err
			}
			return writeFile(out, func(f *os.File) error { return convert.Write(c.Context(), f, ending, w.Set, w.Tree) })
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write: its ending decides the format")
	return c
}
