package viz

import (
	"cmp"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/scene"
)

const legendEntries = 10

// mostSummed is the most contexts below the root whose own amounts are added
// up for the legend. All else costs as much as it shows, but these sums cost as
// much as there is: about 1.5 ns a context. Larger subtrees have no shares.
const mostSummed = 200_000

// packageLegend names the packages whose own cost takes most of the picture,
// with what is their own of the root's total, drawn or not.
func packageLegend(config Config, cells []Cell) *scene.Legend {
	cost := map[string]float64{}
	for i := range cells {
		if m := cells[i].Method; m != data.None && !cells[i].Mark {
			cost[config.Program.Packages[m]] += max(cells[i].Self, 0)
		}
	}
	delete(cost, "")
	// A package that is not drawn explains no colour, whatever it costs.
	own := ownShares(config, cost)
	if own != nil {
		cost = own
	}
	names := make([]string, 0, len(cost))
	for p := range cost {
		names = append(names, p)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := cmp.Compare(cost[b], cost[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	legend := &scene.Legend{Title: "Packages with most of their own " + config.View.Metrics[config.Metric].Name + " here"}
	for _, p := range names[:min(len(names), legendEntries)] {
		legend.Entries = append(legend.Entries, scene.LegendEntry{Label: p, Color: config.Program.PackageColor(p, config.Dark), Share: own[p]})
	}
	if len(legend.Entries) == 0 {
		return nil
	}
	return legend
}

// GroupLegend adds the colour groups to a legend. They come first, as their
// colours go before all others.
func GroupLegend(l *scene.Legend, groups []Group) *scene.Legend {
	var entries []scene.LegendEntry
	for _, g := range groups {
		if !g.Hidden {
			entries = append(entries, scene.LegendEntry{Label: g.Name, Color: g.Color})
		}
	}
	switch {
	case len(entries) == 0:
		return l
	case l == nil:
		return &scene.Legend{Title: "Groups", Entries: entries}
	case len(l.Entries) > 0:
		l.Title = "Groups. " + l.Title
	}
	l.Entries = append(entries, l.Entries...)
	return l
}

// ownShares gives for each package what is its own of the root's total, or nil
// if that is not known: where it would take too long, and where the total is
// not the sum of parts above zero.
func ownShares[T any](config Config, packages map[string]T) map[string]float64 {
	t, root, metric := config.View.Tree, config.View.Root, config.Metric
	whole := float64(t.Total[metric][root])
	if t.End[root]-root > mostSummed || whole <= 0 || t.Negative[metric] || t.Saturated || len(packages) == 0 {
		return nil
	}
	byMethod := make([]int64, t.Methods.Rows())
	self := t.Self[metric][root:t.End[root]]
	for i, m := range t.Method[root:t.End[root]] {
		if m != data.None {
			byMethod[m] += self[i]
		}
	}
	shares := make(map[string]float64, len(packages))
	for p := range packages {
		shares[p] = 0
	}
	for m, sum := range byMethod {
		if sum == 0 {
			continue
		}
		if p := config.Program.Packages[m]; p != "" {
			if share, ok := shares[p]; ok {
				shares[p] = share + float64(sum)/whole
			}
		}
	}
	return shares
}
