package predict_test

import (
	"fmt"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/predict"
)

// beforeLast guesses the target before the last one: right for sites that
// alternate. A site's pair holds its last two targets, the last one second.
type beforeLast [][2]data.EntityID

func (p beforeLast) Observe(site, target data.EntityID) bool {
	guess := p[site][0]
	p[site] = [2]data.EntityID{p[site][1], target}
	return guess != data.None && guess != target
}

func init() {
	predict.Register(predict.Definition{
		Name:        "before-last",
		Title:       "Before last",
		Description: "The target before the last one of the site.",
		New: func(sites, _ int) predict.Predictor {
			p := make(beforeLast, sites)
			for i := range p {
				p[i] = [2]data.EntityID{data.None, data.None}
			}
			return p
		},
	})
}

// A predictor is a method and a registration. Whoever links the package in finds
// it by its name, beside those that come with the program.
func ExampleRegister() {
	oneBit, err := predict.Find("one-bit")
	if err != nil {
		fmt.Println(err)
		return
	}
	own, err := predict.Find("before-last")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := predict.NewScore(1, oneBit, own)
	for _, target := range []data.EntityID{1, 2, 1, 2, 1, 2} {
		s.Observe(0, target)
	}
	for i, d := range s.Predictors {
		fmt.Printf("%s: %d of %d missed\n", d, s.TotalMisses[i], s.TotalEvents)
	}
	// Output:
	// one-bit: 5 of 6 missed
	// before-last: 0 of 6 missed
}
