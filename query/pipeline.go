// Package query is the text that people and programs write to say which part
// of a data set they mean: the pipeline of operations on its calling context
// tree, and searches for contexts.
//
// What does not belong: the operations themselves (package cct).
package query

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/cct"
	"github.com/cambium-prof/cambium/compact"
	"github.com/cambium-prof/cambium/data"
)

// Kind is one of the operations a pipeline can have.
type Kind string

const (
	// Focus selects the subtree of a context (focus:ID).
	Focus Kind = "focus"
	// NoRecursion eliminates recursion in the current subtree (norec).
	NoRecursion Kind = "norec"
	// ByMethod discards calling contexts in the current subtree (bymethod).
	ByMethod Kind = "bymethod"
	// Depth limits the layers that are shown below the root (depth:N), or to so
	// many below where the tree first forks (depth:auto).
	Depth Kind = "depth"
	// Compact merges contexts into classes and packages, in the current subtree
	// (compact:LEVEL;ACTION;…, see compaction.go).
	Compact Kind = "compact"
	// Keep keeps events, and the contexts that these reached (filter:EXPR, see
	// filtering.go).
	Keep Kind = "filter"
)

// Step is one operation of a pipeline.
type Step struct {
	Kind Kind
	N    int64  // the context's id of Focus, the number of layers of Depth
	Text string // the actions of Compact; the expression of Keep; auto, of Depth
}

func (s Step) String() string {
	switch {
	case s.Kind == Keep:
		return fmt.Sprintf("%s:%s", s.Kind, escapeFilter(s.Text))
	case s.Text != "":
		return fmt.Sprintf("%s:%s", s.Kind, s.Text)
	case s.Kind == Focus || s.Kind == Depth:
		return fmt.Sprintf("%s:%d", s.Kind, s.N)
	}
	return string(s.Kind)
}

// Pipeline is a list of operations, applied from left to right. Its text form
// is the steps with commas between: "focus:12,norec,focus:40,depth:12".
type Pipeline []Step

func (p Pipeline) String() string {
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.String()
	}
	return strings.Join(steps, ",")
}

// auto is the depth that shows something of every tree, and autoLayers how many
// layers that is beyond the trunk.
const (
	auto       = "auto"
	autoLayers = 12
)

// maxSteps bounds the work a text can ask for.
const maxSteps = 100

// ParsePipeline reads the text form. An empty text is an empty pipeline.
func ParsePipeline(text string) (Pipeline, error) {
	var p Pipeline
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		if len(p) == maxSteps {
			return nil, fmt.Errorf("the pipeline has more than %d steps", maxSteps)
		}
		name, arg, _ := strings.Cut(word, ":")
		s := Step{Kind: Kind(name)}
		switch s.Kind {
		case Focus, Depth:
			if s.Kind == Depth && arg == auto {
				s.Text = auto
				break
			}
			n, err := strconv.ParseInt(arg, 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("step %q: expected %s:N with a number from 0", word, name)
			}
			s.N = n
		case NoRecursion, ByMethod:
			if arg != "" {
				return nil, fmt.Errorf("step %q: %s takes no number", word, name)
			}
		case Compact:
			text, err := parseCompact(arg)
			if err != nil {
				return nil, fmt.Errorf("step %q: %w", word, err)
			}
			s.Text = text
		case Keep:
			text, err := unescapeFilter(arg)
			if err != nil {
				return nil, fmt.Errorf("step %q: %w", word, err)
			}
			s.Text = text
		default:
			return nil, fmt.Errorf("step %q: is not one of focus:ID, norec, bymethod, depth:N, depth:auto, compact:LEVEL, filter:EXPRESSION", word)
		}
		p = append(p, s)
	}
	return p, nil
}

// Trees remembers trees that pipelines made, by the text that made them, so
// that a pipeline which goes on from another does not start anew. A nil Trees
// remembers nothing.
type Trees interface {
	Get(pipeline string) *cct.Tree
	Put(pipeline string, t *cct.Tree)
	// Filtered gives the tree that make makes, or one that it made before. It
	// takes as long as a pass over the events: who asks for the same meanwhile
	// may share it.
	Filtered(ctx context.Context, pipeline string, make Filtering) (*cct.Tree, error)
	// Of compacted trees, what they are made from by small steps.
	GetCompacted(pipeline string) *Compacted
	PutCompacted(pipeline string, t *Compacted)
	// CompactNames gives the compacted names of methods, made once.
	CompactNames(methods *data.EntityTable) *compact.Names
}

// Filtering makes the tree of a filter, and tells how many events are done.
type Filtering func(ctx context.Context, progress func(done, total int64)) (*cct.Tree, error)

// Apply runs the pipeline on the data set's own tree, or one that a filter made
// of it. Focus and depth only move the view; the other operations make a new
// tree of the current subtree.
func (p Pipeline) Apply(ctx context.Context, base *cct.Tree, trees Trees) (cct.View, error) {
	return p.run(ctx, base, trees, func(Doubt) {})
}

// Doubt is what a person should know about a step: it does not, or not wholly, do
// what it says.
type Doubt struct {
	Step    int      // position in the pipeline
	Text    string   // in a few words
	Details []string // in sentences
}

// Doubts runs the pipeline, and tells what steps do not do.
func (p Pipeline) Doubts(ctx context.Context, base *cct.Tree, trees Trees) ([]Doubt, error) {
	var all []Doubt
	_, err := p.run(ctx, base, trees, func(d Doubt) { all = append(all, d) })
	return all, err
}

func (p Pipeline) run(ctx context.Context, base *cct.Tree, trees Trees, doubt func(Doubt)) (cct.View, error) {
	v := base.Whole()
	deep := false
	for i, s := range p {
		switch s.Kind {
		case Focus:
			n, ok := v.Node(cct.NodeID(min(s.N, int64(cct.NoNode))))
			if !ok || n < v.Root || n >= v.End[v.Root] {
				return v, fmt.Errorf("step %q: there is no context %d in what the steps before it leave", s, s.N)
			}
			v.Root = n
		case Depth:
			v.Layers = int(min(s.N, 1<<30))
			deep = s.Text == auto
		case NoRecursion, ByMethod:
			key := p[:i+1].making()
			var made *cct.Tree
			if trees != nil {
				made = trees.Get(key)
			}
			if made == nil {
				if s.Kind == NoRecursion {
					made = cct.EliminateRecursion(v.Tree, v.Root)
				} else {
					made = cct.ByMethod(v.Tree, v.Root)
				}
				if trees != nil {
					trees.Put(key, made)
				}
			}
			v.Tree, v.Root = made, cct.Root
		case Compact:
			made, err := p[:i+1].compacted(v, trees)
			if err != nil {
				return v, err
			}
			v.Tree, v.Root = made.Tree.Tree, cct.Root
			if d := s.skips(made); d.Text != "" {
				d.Step = i
				doubt(d)
			}
		case Keep:
			made, err := p[:i+1].filtered(ctx, v, trees)
			if err != nil {
				return v, err
			}
			if made == v.Tree {
				what := v.Events().Definition.Name
				doubt(Doubt{i, "does not apply here", []string{fmt.Sprintf("The filter says nothing about events of the type %s, from which the tree is made, so that all are kept.", what)}})
				break
			}
			v.Tree, v.Root = made, cct.Root
		}
	}
	if deep {
		v.Layers = v.Trunk(v.Preferred) + autoLayers
	}
	return v, nil
}

// Making lists, for each step of a kind, under what [Trees] remember what it made.
func (p Pipeline) Making(kind Kind) []string {
	var texts []string
	for i, s := range p {
		if s.Kind == kind {
			texts = append(texts, p[:i+1].making())
		}
	}
	return texts
}

// making is the part of a pipeline that decides which tree it makes: without
// depth limits, and of consecutive steps of focus only the last.
func (p Pipeline) making() string {
	var kept Pipeline
	for _, s := range p {
		switch {
		case s.Kind == Depth:
		case s.Kind == Focus && len(kept) > 0 && kept[len(kept)-1].Kind == Focus:
			kept[len(kept)-1] = s
		default:
			kept = append(kept, s)
		}
	}
	return kept.String()
}
