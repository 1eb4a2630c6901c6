// Package v8nodes reads the nodes of V8's profiles, which come in files of their
// own (package v8profile) and within traces (package chrometrace).
//
//	{"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":3,…},"parent":1}
//
// Definition: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-ProfileNode
// (protocol 1.3).
//
// What belongs here: what a node says, which node calls which, how long samples
// last. What does not: where nodes and samples stand in a file.
package v8nodes

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// Place tells functions apart: those of one name at different places are
// different methods.
type Place struct {
	name, url, script string
	line, column      int64
}

// Functions are the methods of all profiles of a file.
type Functions struct {
	add     func(source.Frame) data.EntityID
	byFrame map[string]data.EntityID // by the text of a call frame
	byPlace map[Place]data.EntityID
}

// NewFunctions starts without any; add adds a method even if its name is taken.
func NewFunctions(add func(source.Frame) data.EntityID) *Functions {
	return &Functions{add: add, byFrame: map[string]data.EntityID{}, byPlace: map[Place]data.EntityID{}}
}

func (f *Functions) at(p Place) data.EntityID {
	if p.url != "" {
		p.script = "" // the same file may have been loaded twice
	}
	id, ok := f.byPlace[p]
	if !ok {
		frame := source.Frame{Name: p.name, File: p.url}
		if frame.Name == "" {
			frame.Name = "(anonymous)"
		}
		if p.url != "" {
			frame.Line = p.line
		}
		id = f.add(frame)
		f.byPlace[p] = id
	}
	return id
}

// frame reads a call frame. Nodes of one function have the same text.
func (f *Functions) frame(raw []byte) data.EntityID {
	id, ok := f.byFrame[string(raw)]
	if !ok {
		var p Place
		i := 1
		for first := true; ; first = false {
			key, value, done, err := jsonstream.Member(raw, min(i, len(raw)), first)
			if err != nil || done {
				break
			}
			if i, err = jsonstream.Value(raw, value); err != nil {
				break
			}
			p.member(key, raw[value:i])
		}
		p.line++ // counted from 0
		id = f.at(p)
		f.byFrame[string(raw)] = id
	}
	return id
}

func (p *Place) member(key, raw []byte) {
	switch string(key) {
	case "functionName":
		p.name = text(raw)
	case "url":
		p.url = text(raw)
	case "scriptId":
		p.script = string(raw)
	case "lineNumber":
		p.line, _ = jsonstream.Decimal(raw, 0, math.MaxInt32)
	case "columnNumber":
		p.column, _ = jsonstream.Decimal(raw, 0, math.MaxInt32)
	}
}

func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return jsonstream.Unquote(raw, bytes.IndexByte(raw, '\\') >= 0)
}

// Nodes are the nodes of one profile, as columns. They may come before their
// callers.
type Nodes struct {
	Hits []int64
	Size []int64
	Heap bool // nodes have a size
	Hit  bool // nodes have hit counts

	functions *Functions
	parent    []int32 // -1: none that is known
	method    []data.EntityID
	root      []bool // it is the node (root)

	byID     map[int64]int32 // node
	parentOf map[int64]int32 // id of a node -> the node that names it as its child
	named    map[int32]int64 // node -> id that it names as its parent
}

// New starts a profile.
func New(f *Functions) *Nodes {
	return &Nodes{functions: f, byID: map[int64]int32{}, parentOf: map[int64]int32{}, named: map[int32]int64{}}
}

// Len is the number of nodes.
func (n *Nodes) Len() int { return len(n.parent) }

// Add begins a node; parent is -1 where it is told otherwise.
func (n *Nodes) Add(parent int32) int32 {
	n.parent = append(n.parent, parent)
	n.method = append(n.method, data.None)
	n.Hits, n.Size, n.root = append(n.Hits, 0), append(n.Size, 0), append(n.root, false)
	return int32(len(n.parent) - 1)
}

// Member takes a member of a node. own collects those of the call frame where
// there is none, as in old profiles.
func (n *Nodes) Member(node int32, own *Place, key, raw []byte) {
	switch string(key) {
	case "callFrame":
		if n.method[node] == data.None {
			n.method[node] = n.functions.frame(raw)
			n.root[node] = n.parent[node] < 0 && bytes.Contains(raw, []byte(`"(root)"`))
		}
	case "id":
		if id, ok := jsonstream.Decimal(raw, 0, math.MaxInt64); ok {
			if _, taken := n.byID[id]; !taken {
				n.byID[id] = node
			}
		}
	case "parent":
		if id, ok := jsonstream.Decimal(raw, 0, math.MaxInt64); ok {
			n.named[node] = id
		}
	case "hitCount":
		if v, ok := jsonstream.Decimal(raw, 0, math.MaxInt64); ok {
			n.Hits[node], n.Hit = v, true
		}
	case "selfSize":
		if v, ok := jsonstream.Decimal(raw, 0, math.MaxInt64); ok {
			n.Size[node], n.Heap = v, true
		}
	case "children":
		n.children(node, raw)
	default:
		own.member(key, raw)
	}
}

// children notes what a list of ids names.
func (n *Nodes) children(node int32, list []byte) {
	for len(list) > 0 {
		id, rest, ok := source.Number(list)
		if !ok {
			list = list[1:]
			continue
		}
		if _, taken := n.parentOf[id]; !taken {
			n.parentOf[id] = node
		}
		list = rest
	}
}

// Settle ends a node: one without a call frame gets its method.
func (n *Nodes) Settle(node int32, own Place) {
	if n.method[node] == data.None {
		n.root[node] = own.name == "(root)"
		n.method[node] = n.functions.at(own)
	}
}

// Read takes a node of a list.
func (n *Nodes) Read(raw []byte) error {
	if raw[0] != '{' {
		return fmt.Errorf("expected a node, but found %s", source.Quote(raw))
	}
	node := n.Add(-1)
	var own Place
	defer func() { n.Settle(node, own) }()
	i := 1
	for first := true; ; first = false {
		key, value, done, err := jsonstream.Member(raw, i, first)
		if err != nil || done {
			return err
		}
		if i, err = jsonstream.Value(raw, value); err != nil {
			return err
		}
		n.Member(node, &own, key, raw[value:i])
	}
}

// Node finds a node by its id.
func (n *Nodes) Node(id int64) (node int32, ok bool) {
	node, ok = n.byID[id]
	return node, ok
}

// Contexts gives the context of each node, None of (root) and of what hangs on
// nothing; child makes one. lost counts nodes that are their own callers.
func (n *Nodes) Contexts(child func(parent, method data.EntityID) data.EntityID) (contexts []data.EntityID, lost int) {
	for id, parent := range n.parentOf {
		if node, ok := n.byID[id]; ok && n.parent[node] < 0 {
			n.parent[node] = parent
		}
	}
	for node, id := range n.named {
		if parent, ok := n.byID[id]; ok && n.parent[node] < 0 {
			n.parent[node] = parent
		}
	}
	const (
		fresh = iota
		onWay
		known
	)
	state := make([]byte, len(n.parent))
	contexts = slices.Repeat([]data.EntityID{data.None}, len(n.parent))
	var way []int32
	for i := range n.parent {
		node := int32(i)
		for node >= 0 && state[node] == fresh {
			state[node] = onWay
			way = append(way, node)
			node = n.parent[node]
		}
		circle := node >= 0 && state[node] == onWay
		for _, node := range slices.Backward(way) {
			state[node] = known
			if parent := n.parent[node]; circle {
				lost++
			} else if !n.root[node] {
				above := data.None
				if parent >= 0 {
					above = contexts[parent]
				}
				contexts[node] = child(above, n.method[node])
			}
		}
		way = way[:0]
	}
	return contexts, lost
}
