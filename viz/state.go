package viz

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/query"
	"github.com/cambium-prof/cambium/scene"
)

// State is a workspace as it is saved: what a person made of a data set, but
// nothing of the data set. It is of use with every data set of the same shape;
// see [Workspace.Fit].
type State struct {
	Title  string
	Charts []ChartState
	Shared
	Layout json.RawMessage // where the charts are: the page's own
}

// ChartState is a chart of a saved workspace.
type ChartState struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	ChartSpec
	Sort map[string]string `json:"sort,omitempty"`
	Like string            `json:"like,omitempty"` // the id of the chart whose order it follows

	// Of charts of trees: the pipeline, and the metric.
	Steps  string `json:"-"`
	Metric string `json:"metric,omitempty"`
}

// stateVersion is raised when older programs would read a document wrong.
const stateVersion = 1

// document is a state as it is written. Colours are as in style sheets, and
// steps a list, in which contexts are named by their stacks.
type document struct {
	Version   int             `json:"version"`
	Title     string          `json:"title,omitempty"`
	Charts    []chartDocument `json:"charts"`
	Filter    string          `json:"filter,omitempty"`
	Groups    []groupDocument `json:"groups,omitempty"`
	Selection string          `json:"selection,omitempty"`
	Pairing   Pairing         `json:"pairing,omitzero"`
	Layout    json.RawMessage `json:"layout,omitempty"`
}

type chartDocument struct {
	ChartState
	Steps    []string            `json:"steps,omitempty"`
	Contexts map[string][]string `json:"contexts,omitempty"` // parameter -> stacks
}

type groupDocument struct {
	Name   string `json:"name"`
	Color  string `json:"color"`
	Filter string `json:"filter"`
	Hidden bool   `json:"hidden,omitempty"`
}

// focusOn begins a step that selects the subtree of a context.
const focusOn = string(query.Focus) + " "

// Save writes a state. Contexts, which are numbers, are named by their stacks,
// so that they mean something in other data sets.
func (w *Workspace) Save(s State) ([]byte, error) {
	d := document{Version: stateVersion, Title: s.Title, Charts: []chartDocument{}, Layout: s.Layout}
	for _, c := range s.Charts {
		steps, err := query.ParsePipeline(c.Steps)
		if err != nil {
			return nil, err
		}
		doc := chartDocument{ChartState: c}
		w.nameContexts(&doc)
		for _, step := range steps {
			if step.Kind == query.Compact {
				doc.Steps = append(doc.Steps, w.savedCompaction(step)...)
				continue
			}
			if step.Kind == query.Keep {
				step = query.FilterStep(w.portable(step.Text))
			}
			text := step.String()
			if step.Kind == query.Focus && w.Tree != nil && step.N > 0 && step.N < int64(w.Tree.Len()) {
				text = focusOn + query.StackOf(w.Tree, cct.NodeID(step.N))
			}
			doc.Steps = append(doc.Steps, text)
		}
		d.Charts = append(d.Charts, doc)
	}
	d.Filter, d.Selection, d.Pairing = w.portable(s.Filter), w.portable(s.Selection), s.Pairing
	for _, g := range s.Groups {
		d.Groups = append(d.Groups, groupDocument{g.Name, hex(g.Color), w.portable(g.Filter), g.Hidden})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("the workspace cannot be written: %w", err)
	}
	return append(text, '\n'), nil
}

// portable keeps what cannot be read: a person may be in the middle of it.
func (w *Workspace) portable(filter string) string {
	if text, err := query.Portable(filter, w.Set, w.Tree); err == nil {
		return text
	}
	return filter
}

func hex(c scene.Color) string {
	if _, _, _, a := c.RGBA8(); a != 255 {
		return fmt.Sprintf("#%08x", uint32(c))
	}
	return c.Hex()
}

func parseHex(text string) (scene.Color, error) {
	digits, ok := strings.CutPrefix(text, "#")
	v, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case !ok || err != nil || len(digits) != 6 && len(digits) != 8:
		return 0, fmt.Errorf("the colour %q is not written as #rrggbb", text)
	case len(digits) == 6:
		v = v<<8 | 0xff
	}
	return scene.Color(v), nil
}

// ReadState reads what Save wrote, and makes it fit this data set.
func (w *Workspace) ReadState(ctx context.Context, text []byte) (State, []string, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return State{}, nil, fmt.Errorf("this is no saved workspace: %w", err)
	}
	switch {
	case d.Version == 0:
		return State{}, nil, fmt.Errorf("this is no saved workspace: it has no version")
	case d.Version > stateVersion:
		return State{}, nil, fmt.Errorf("the workspace was saved by a newer program: its version is %d, and this program knows %d", d.Version, stateVersion)
	}
	s := State{Title: d.Title, Shared: Shared{Filter: d.Filter, Selection: d.Selection, Pairing: d.Pairing}, Layout: d.Layout}
	for _, g := range d.Groups {
		color, err := parseHex(g.Color)
		if err != nil {
			return s, nil, fmt.Errorf("colour group %q: %w", g.Name, err)
		}
		s.Groups = append(s.Groups, Group{g.Name, color, g.Filter, g.Hidden})
	}
	var problems []string
	for _, c := range d.Charts {
		chart := c.ChartState
		params, lost := w.findContexts(c)
		chart.Params = params
		for _, problem := range lost {
			problems = append(problems, chart.called()+": "+problem)
		}
		steps, lost := w.steps(ctx, c.Steps)
		chart.Steps = steps
		for _, problem := range lost {
			problems = append(problems, chart.called()+": "+problem)
		}
		s.Charts = append(s.Charts, chart)
	}
	s, more := w.Fit(ctx, s)
	return s, append(problems, more...), nil
}

// steps finds the contexts that steps name. Those that come after one that
// there is not would mean something else, and are left out too.
func (w *Workspace) steps(ctx context.Context, texts []string) (pipeline string, problems []string) {
	var steps []string
	for _, text := range texts {
		if action, ok := strings.CutPrefix(text, actionThen); ok && w.Tree != nil && len(steps) > 0 {
			var lost string
			if text, lost = w.readAction(action); lost != "" {
				problems = append(problems, lost)
			} else {
				steps[len(steps)-1] += ";" + text
			}
			continue
		}
		text = w.hereStep(text)
		if stack, ok := strings.CutPrefix(text, focusOn); ok && w.Tree != nil {
			n, found := query.FindStack(w.Tree, stack)
			if !found {
				problems = append(problems, fmt.Sprintf("the context %s does not occur here, so that its callers are shown too.", stack))
				break
			}
			text = query.Step{Kind: query.Focus, N: int64(n)}.String()
		}
		if p, err := query.ParsePipeline(text); err == nil && len(p) == 1 && p[0].Kind == query.Keep {
			f := fitting{ctx: ctx, w: w}
			kept := f.filter("its filter", p[0].Text)
			problems = append(problems, f.problems...)
			if kept == "" {
				continue
			}
		}
		steps = append(steps, text)
	}
	return strings.Join(steps, ","), problems
}

// called is how sentences call a chart.
func (c ChartState) called() string {
	if c.Title != "" {
		return strconv.Quote(c.Title)
	}
	return "The chart " + c.View
}

// Fit makes a state fit a data set, and says in sentences what did not: charts
// that cannot be drawn are left out; of the others, what is not there is
// replaced by a default; filters that cannot be read here are empty.
func (w *Workspace) Fit(ctx context.Context, s State) (State, []string) {
	f := fitting{ctx: ctx, w: w}
	charts := s.Charts
	s.Charts = nil
	left := map[string]bool{}
	for _, c := range charts {
		if f.chart(&c) {
			s.Charts = append(s.Charts, c)
			left[c.ID] = true
		}
	}
	for i, c := range s.Charts {
		if !left[c.Like] {
			s.Charts[i].Like = ""
		}
	}
	s.Filter = f.filter("The filter", s.Filter)
	s.Selection = f.filter("The selection", s.Selection)
	s.Groups = slices.Clone(s.Groups)
	for i, g := range s.Groups {
		s.Groups[i].Filter = f.filter(fmt.Sprintf("The colour group %q", g.Name), g.Filter)
	}
	if len(s.Groups) > maxGroups {
		f.say("There are %d colour groups; the first %d are kept.", len(s.Groups), maxGroups)
		s.Groups = s.Groups[:maxGroups]
	}
	return s, f.problems
}

type fitting struct {
	ctx      context.Context
	w        *Workspace
	problems []string
}

func (f *fitting) say(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// chart makes a chart fit; false if it cannot be drawn here.
func (f *fitting) chart(c *ChartState) bool {
	factory, err := Find(c.View)
	if err != nil {
		f.say("%s is left out: %v.", c.called(), err)
		return false
	}
	d := factory.Definition.For(f.w.Difference != nil)
	f.params(c, d)
	if d.Tree {
		return f.tree(c)
	}
	return f.events(c, d)
}

func (f *fitting) params(c *ChartState, d Definition) {
	params := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		one := map[string]string{name: c.Params[name]}
		if _, err := d.CheckParams(one); err != nil {
			f.say("%s: a setting is not kept: %v.", c.called(), err)
			continue
		}
		i := slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name })
		if d.Parameters[i].Type == Metric && !f.metric(c.Params[name]) {
			f.say("%s: there is no metric %q here; another one is shown.", c.called(), c.Params[name])
			continue
		}
		params[name] = c.Params[name]
	}
	c.Params = params
}

func (f *fitting) metric(name string) bool {
	if f.w.Tree == nil {
		return name == ""
	}
	_, ok := f.w.Tree.Metric(name)
	return ok
}

func (f *fitting) tree(c *ChartState) bool {
	if f.w.Tree == nil {
		f.say("%s is left out: it draws calling contexts, of which there are none here.", c.called())
		return false
	}
	if !f.metric(c.Metric) {
		f.say("%s: there is no metric %q here; %s is shown.", c.called(), c.Metric, f.w.Tree.Metrics[f.w.Tree.Preferred].Name)
		c.Metric = ""
	}
	if _, _, err := f.w.View(f.ctx, Look{Steps: c.Steps}); err != nil {
		f.say("%s: the steps are not kept: %v.", c.called(), err)
		c.Steps = ""
	}
	return true
}

func (f *fitting) events(c *ChartState, d Definition) bool {
	subject, err := d.Subject(f.w.Set, c.Subject)
	if err != nil {
		instead, none := d.Subject(f.w.Set, "")
		if none != nil {
			f.say("%s is left out: %v.", c.called(), none)
			return false
		}
		f.say("%s: there are no events of the type %q here; it shows those of the type %s.", c.called(), c.Subject, instead.Definition.Name)
		subject = instead
	}
	c.Subject = subject.Definition.Name
	kept := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Map)) {
		i, field := d.dimension(name), c.Map[name]
		if i < 0 {
			f.say("%s: this build's %s has no dimension %q.", c.called(), d.Title, name)
			continue
		}
		p, ok := f.w.Set.Path(subject.Definition, field)
		if field != "" && (!ok || !d.Dimensions[i].fits(f.w.Set, subject, p)) {
			f.say("%s: events of the type %s have no field %q that could be its %s; it has its default.", c.called(), c.Subject, field, strings.ToLower(d.Dimensions[i].called()))
			continue
		}
		kept[name] = field
	}
	if _, err := d.Map(f.w.Set, subject, kept); err != nil {
		if _, none := d.Map(f.w.Set, subject, nil); none != nil {
			f.say("%s is left out: %v.", c.called(), none)
			return false
		}
		f.say("%s: the choice of fields is not kept: %v.", c.called(), err)
		kept = map[string]string{}
	}
	c.Map = kept
	sort := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Sort)) {
		if d.dimension(name) < 0 {
			continue
		}
		if _, err := FindScheme(c.Sort[name]); err != nil {
			f.say("%s: %v.", c.called(), err)
			continue
		}
		sort[name] = c.Sort[name]
	}
	c.Sort = sort
	if c.Period != nil && c.Period.From > c.Period.To {
		c.Period = nil
	}
	return true
}

// called is what a person calls a dimension.
func (d Dimension) called() string {
	if d.Title != "" {
		return d.Title
	}
	return d.Name
}

// filter gives the filter if it can be read here, and says what it names that
// does not occur.
func (f *fitting) filter(what, text string) string {
	missing, err := query.Missing(text, f.w.Set, f.w.Tree)
	if err != nil {
		f.say("%s cannot be applied here: %v.", what, err)
		return ""
	}
	for _, m := range missing {
		switch {
		case m.Missing == 0:
		case m.Named == 1:
			f.say("%s: what it names as %s does not occur here.", what, m.Name)
		case m.Missing == m.Named:
			f.say("%s: none of the %d it names as %s occur here.", what, m.Named, m.Name)
		default:
			f.say("%s: %d of the %d it names as %s do not occur here.", what, m.Missing, m.Named, m.Name)
		}
	}
	return text
}
