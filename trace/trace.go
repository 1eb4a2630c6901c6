// Package trace holds call traces: which method was called when, for how long,
// and from which call, per thread.
//
// A [Trace] is a struct of arrays in pre-order, one thread after the other. It
// is built from the calls of a data set ([Build]) and never changed afterwards.
// [Levels] orders the same calls by thread and depth, which is what a picture
// needs: what a window shows is found by binary search, and runs of calls that
// are too narrow to be told apart are passed over in one step.
//
// Depth is data here, not stack: every walk is a loop over arrays.
//
// What does not belong: reading files, calling context trees (package cct makes
// one of the same events), the similarity of two traces (package match), and
// layout.
package trace

import (
	"math"
	"sort"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// CallID is the row of a call in its trace.
type CallID uint32

// NoCall is the parent of an outermost call, and the answer "there is none".
const NoCall CallID = math.MaxUint32

// Trace is the calls of a data set.
//
// A row is a call. Rows are in pre-order per thread: a call comes before those
// it makes, calls of one caller are in the order of their start, and a subtree
// is the slice from a call to its end. Threads are in the order of their first
// start. A call lies within its caller, and calls of one caller do not overlap.
//
//	row  parent  end  depth  start  stop  method       0  1  2  3  4  5  6
//	 0   NoCall   4     0      0      6   main         main─────────────────
//	 1      0     3     1      1      4   f               f────────   f────
//	 2      1     3     2      2      3   h                  h──
//	 3      0     4     1      5      6   f
type Trace struct {
	Parent []CallID        // call -> caller; NoCall for outermost calls
	End    []CallID        // call -> first row after its subtree
	Depth  []int32         // call -> callers around it; 0 for outermost
	Method []data.EntityID // call -> row of Methods
	Start  []int64         // call -> nanoseconds, as the source has them
	Stop   []int64         // call -> nanoseconds; Stop >= Start
	Self   []int64         // call -> nanoseconds that none of the calls it makes covers

	Threads []Thread
	Methods *data.EntityTable
	From    int64 // the first start of all
	To      int64 // the last stop of all

	// Calls are the events that the trace was built from.
	Calls *data.EventTable
	// Cut is the number of calls that outlasted their caller, and were made to
	// end with it.
	Cut int

	fields Fields
	events []uint32 // call -> event; nil if they are the same
	byRow  []CallID // event -> call; nil if they are the same
}

// Thread is the calls of one thread: the rows First to End-1.
type Thread struct {
	First, End CallID
	Name       string
	Process    string        // "" if the source does not tell it
	Entity     data.EntityID // of the thread, or None
}

// Fields are the fields of calls that tell what a trace needs. A path that the
// data set does not have is the zero Path.
type Fields struct {
	Start, Duration, Context, Method, Thread data.Path
}

// Len is the number of calls.
func (t *Trace) Len() int { return len(t.Parent) }

// Name is the name of the call's method.
func (t *Trace) Name(c CallID) string { return t.Methods.NameOf(t.Method[c]) }

// Duration is the wall time of a call.
func (t *Trace) Duration(c CallID) int64 { return t.Stop[c] - t.Start[c] }

// Fields tells by which fields the trace was built.
func (t *Trace) Fields() Fields { return t.fields }

// Unit is how many nanoseconds the unit is in which the data set has starts.
func (t *Trace) Unit() int64 { return nanoseconds[strings.ToLower(string(t.fields.Start.Field.Unit))] }

// Event is the sequence number of a call among the events of the data set.
func (t *Trace) Event(c CallID) int64 {
	if t.events == nil {
		return int64(c)
	}
	return int64(t.events[c])
}

// OfEvent gives the call of an event.
func (t *Trace) OfEvent(sequence int64) CallID {
	if t.byRow == nil {
		return CallID(sequence)
	}
	return t.byRow[sequence]
}

// ThreadOf gives the index of the thread that a call is of.
func (t *Trace) ThreadOf(c CallID) int {
	return sort.Search(len(t.Threads), func(i int) bool { return t.Threads[i].End > c })
}

// Children calls yield for the calls that c makes, in order, until it says no.
func (t *Trace) Children(c CallID) func(yield func(CallID) bool) {
	return func(yield func(CallID) bool) {
		for k := c + 1; k < t.End[c]; k = t.End[k] {
			if !yield(k) {
				return
			}
		}
	}
}
