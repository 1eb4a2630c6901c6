package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cambium-prof/cambium/scene/png"
	"github.com/cambium-prof/cambium/scene/svg"
)

func newRender() *cobra.Command {
	var picture pictureFlags
	var out string
	var scale float64
	c := &cobra.Command{
		Use:     "render FILE… -o OUT.svg|OUT.png",
		Short:   "Write a picture, without a browser",
		Example: "  cambium render cpu.pb.gz --view ring --depth 10 -o cpu.svg",
		Args:    func(c *cobra.Command, args []string) error { return filesOf(c, picture.view, args) },
		RunE: func(c *cobra.Command, args []string) error {
			ending := strings.ToLower(filepath.Ext(out))
			if ending != ".svg" && ending != ".png" {
				return usagef("-o %q: expected a name that ends in .svg or .png", out)
			}
			if !(scale > 0) {
				return usagef("--scale %g: expected a number above 0", scale)
			}
			s, err := picture.draw(c, args)
			if err != nil {
				return err
			}
			return writeFile(out, func(f *os.File) error {
				if ending == ".svg" {
					return svg.Write(f, s)
				}
				return png.Write(f, s, scale)
			})
		},
	}
	picture.add(c)
	c.Flags().StringVarP(&out, "output", "o", "", "the file to write: its ending decides the format")
	c.Flags().Float64Var(&scale, "scale", 2, "pixels of a .png per pixel of --size")
	return c
}

// writeFile writes beside the target and renames, so that a failure leaves no
// half file under its name.
func writeFile(name string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
