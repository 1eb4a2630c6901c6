package match

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/cambium-prof/cambium/trace"
)

// DefaultTau is the τ that is taken if nobody says another: 0.1 to 0.3 have
// given good results (section III).
const DefaultTau = 0.2

// Side is one of the two traces.
type Side int

// The traces.
const (
	A Side = 0
	B Side = 1
)

// Other is the other trace.
func (s Side) Other() Side { return 1 - s }

// Pair is two traces that can be compared, with the classes of their calls.
// It does not depend on τ, and is not changed once it is made.
type Pair struct {
	Traces  [2]*trace.Trace
	Classes [2]*Classes

	methods  *numbering
	starts   [2][]Int128 // class -> sum of the starts of its calls
	clocks   [2]func() *clock
	postings [2]func() *postings
}

// NewPair finds the classes of two traces.
func NewPair(ctx context.Context, a, b *trace.Trace, names Names) (*Pair, error) {
	p := &Pair{Traces: [2]*trace.Trace{a, b}}
	p.methods = names.number(p.Traces)
	err := parallel(ctx, 2, 1, func(_, side, _ int) error {
		t := p.Traces[side]
		var err error
		p.Classes[side], err = classify(ctx, t, p.methods.of[side], len(p.methods.names))
		if err == nil {
			p.starts[side] = sumStarts(t, p.Classes[side])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for side := range p.Traces {
		p.postings[side] = sync.OnceValue(func() *postings { return newPostings(p.Classes[side], (p.methods.common+63)/64) })
		p.clocks[side] = sync.OnceValue(func() *clock { return newClock(p.Traces[side], p.Classes[side]) })
	}
	return p, nil
}

// Methods is the number of methods that the trace calls.
func (p *Pair) Methods(side Side) int { return p.methods.called[side] }

// Whole is the similarity of all that two traces call (eq. 3), as if each had one
// call around all others.
func Whole(a, b *trace.Trace, names Names) float64 {
	n := names.number([2]*trace.Trace{a, b})
	if n.called[A] == 0 || n.called[B] == 0 {
		return 0
	}
	return float64(n.common) / float64(n.called[A]+n.called[B]-n.common)
}

// Similarity is s of two calls (eq. 3).
func (p *Pair) Similarity(a, b trace.CallID) float64 {
	x, y := p.Classes[A].Of[a], p.Classes[B].Of[b]
	return p.similarity(x, y, uint32(shared(p.Classes[A], x, p.Classes[B], y)))
}

// similarity is s of the calls of two classes that share that many methods.
func (p *Pair) similarity(x, y ClassID, shared uint32) float64 {
	return float64(shared) / float64(p.Classes[A].Size[x]+p.Classes[B].Size[y]-shared)
}

// link is a pair of classes that match, as one of them sees it.
type link struct {
	class  ClassID // of the other trace
	shared uint32  // methods in both
}

// links are the pairs of classes that match, by the class of one trace: those
// of class c are all[first[c]:first[c+1]], by rising class of the other trace.
type links struct {
	first []int
	all   []link
}

// maxLinks is how many links are kept, which is 8 bytes for each direction.
// Beyond that they are found again whenever they are needed.
const maxLinks = 1 << 26

// Matches are the matches of two traces for one τ. It is safe for concurrent
// use.
type Matches struct {
	*Pair
	Tau float64
	// Total is the number of matches.
	Total int64

	least []uint32  // ‖Γ(a)‖+‖Γ(b)‖ -> how many methods they must share to match
	from  [2]*links // nil if they are too many to be kept
	// By class of one trace, over its matches with all calls of the other:
	count [2][]int64   // how many there are
	sum   [2][]float64 // their similarities
	times [2][]Int128  // the starts of the calls of the other trace, from its beginning

	groups   func() *Groups
	repeated [2]func() []Repetition
}

// At finds what matches for one τ. Progress may be nil; it is told how much is
// done, from 0 to 1, and may be called by several goroutines.
func (p *Pair) At(ctx context.Context, tau float64, progress func(done float64)) (*Matches, error) {
	return p.at(ctx, tau, progress, maxLinks)
}

func (p *Pair) at(ctx context.Context, tau float64, progress func(done float64), keep int) (*Matches, error) {
	if math.IsNaN(tau) {
		return nil, fmt.Errorf("τ is not a number")
	}
	m := &Matches{Pair: p, Tau: tau, least: thresholds(tau, p.Classes)}
	m.groups = sync.OnceValue(m.findGroups)
	for side := range m.repeated {
		m.repeated[side] = sync.OnceValue(func() []Repetition { return m.findRepetitions(Side(side)) })
	}
	if err := m.find(ctx, progress, keep); err != nil {
		return nil, err
	}
	for side := A; side <= B; side++ {
		n := p.Classes[side].Len()
		m.count[side], m.sum[side], m.times[side] = make([]int64, n), make([]float64, n), make([]Int128, n)
		other := p.Classes[side.Other()]
		starts := p.starts[side.Other()]
		err := m.each(ctx, side, func(class ClassID, row []link) {
			for _, l := range row {
				calls := other.Calls[l.class]
				m.count[side][class] += calls
				m.sum[side][class] += float64(calls) * m.similarityOf(side, class, l)
				m.times[side][class] = m.times[side][class].plus(starts[l.class])
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for class, n := range m.count[A] {
		m.Total += n * p.Classes[A].Calls[class]
	}
	return m, nil
}

// similarityOf is s of the calls of a class and of one it is linked with.
func (m *Matches) similarityOf(side Side, class ClassID, l link) float64 {
	if side == B {
		return m.similarity(l.class, class, l.shared)
	}
	return m.similarity(class, l.class, l.shared)
}

// thresholds gives, by the sum of the sizes of two sets, the least number of
// methods they must share to be more similar than τ, which is more than there
// are if nothing is enough. It compares quotients as eq. 3 has them, so that
// s = τ = 0.2 is no match: one of five, in 64 bits, is 0.2 in 64 bits.
func thresholds(tau float64, classes [2]*Classes) []uint32 {
	most := 0
	for _, c := range classes {
		if n := c.Len(); n > 0 {
			most += int(c.Size[n-1])
		}
	}
	least := make([]uint32, most+1)
	n := 0 // rises with the sum, as it would not if τ were negative
	for sum := range least {
		for n = max(n-1, 0); 2*n <= sum && !(float64(n)/float64(sum-n) > tau); n++ {
		}
		least[sum] = uint32(n)
	}
	return least
}

// postings tell of each word of 64 methods in which classes of a trace it is not
// empty, so that a search looks only at sets that may share something.
type postings struct {
	first []int     // word -> its first posting; with one entry more at the end
	class []ClassID // posting -> class, rising within a word
	bits  []uint64
}

// newPostings takes the words that have methods which both traces call.
func newPostings(c *Classes, words int) *postings {
	p := &postings{first: make([]int, words+1)}
	for _, word := range c.at {
		if int(word) < words {
			p.first[word+1]++
		}
	}
	for word := range words {
		p.first[word+1] += p.first[word]
	}
	p.class, p.bits = make([]ClassID, p.first[words]), make([]uint64, p.first[words])
	next := slices.Clone(p.first)
	for class := range c.Len() {
		for i := c.first[class]; i < c.first[class+1] && int(c.at[i]) < words; i++ {
			at := next[c.at[i]]
			p.class[at], p.bits[at] = ClassID(class), c.bits[i]
			next[c.at[i]]++
		}
	}
	return p
}

// searcher finds the links of one class after the other.
type searcher struct {
	from, to *Classes
	in       *postings // of to
	least    []uint32
	shared   []uint32 // by class of to; all 0 between searches
}

func (m *Matches) searcher(side Side) *searcher {
	to := m.Classes[side.Other()]
	return &searcher{m.Classes[side], to, m.postings[side.Other()](), m.least, make([]uint32, to.Len())}
}

// search appends the links of a class.
//
// Two sets are at most as similar as the ratio of their sizes, so that only a
// range of the other trace's classes, which are in the order of size, can match.
func (s *searcher) search(class ClassID, row []link) []link {
	f, t := s.from, s.to
	size := f.Size[class]
	from := ClassID(sort.Search(t.Len(), func(i int) bool { return s.least[size+t.Size[i]] <= t.Size[i] }))
	to := ClassID(sort.Search(t.Len(), func(i int) bool { return s.least[size+t.Size[i]] > size }))
	if from >= to {
		return row
	}
	for i := f.first[class]; i < f.first[class+1] && int(f.at[i]) < len(s.in.first)-1; i++ {
		in, own := s.in, f.bits[i]
		low, high := in.first[f.at[i]], in.first[f.at[i]+1]
		at, _ := slices.BinarySearch(in.class[low:high], from)
		end, _ := slices.BinarySearch(in.class[low:high], to)
		classes := in.class[low+at : low+end]
		for k, b := range in.bits[low+at : low+end] {
			s.shared[classes[k]] += uint32(bits.OnesCount64(own & b))
		}
	}
	shared, sizes := s.shared[from:to], t.Size[from:to]
	for i, n := range shared {
		if n >= s.least[size+sizes[i]] {
			row = append(row, link{from + ClassID(i), n})
		}
	}
	clear(shared)
	return row
}

// block is how many classes a goroutine takes at a time.
const block = 32

// find makes the links of both directions, unless they are too many.
func (m *Matches) find(ctx context.Context, progress func(float64), keep int) error {
	n := m.Classes[A].Len()
	blocks := make([][]link, (n+block-1)/block)
	first := make([]int, n+1)
	var found, done atomic.Int64
	searchers := make([]*searcher, runtime.GOMAXPROCS(0))
	scratch := make([][]link, len(searchers))
	err := parallel(ctx, n, block, func(worker, from, to int) error {
		if searchers[worker] == nil {
			searchers[worker] = m.searcher(A)
		}
		row := scratch[worker][:0]
		for class := from; class < to; class++ {
			before := len(row)
			row = searchers[worker].search(ClassID(class), row)
			first[class+1] = len(row) - before
		}
		scratch[worker] = row
		if found.Add(int64(len(row))) <= int64(keep) {
			blocks[from/block] = append([]link(nil), row...)
		}
		if progress != nil {
			progress(float64(done.Add(int64(to-from))) / float64(n))
		}
		return nil
	})
	if err != nil || found.Load() > int64(keep) {
		return err
	}
	forth := &links{first: first, all: make([]link, 0, found.Load())}
	for i, b := range blocks {
		forth.all = append(forth.all, b...)
		blocks[i] = nil
	}
	back := &links{first: make([]int, m.Classes[B].Len()+1), all: make([]link, len(forth.all))}
	for class := range n {
		forth.first[class+1] += forth.first[class]
	}
	for _, l := range forth.all {
		back.first[l.class+1]++
	}
	for class := range m.Classes[B].Len() {
		back.first[class+1] += back.first[class]
	}
	next := append([]int(nil), back.first...)
	for class := range n {
		for _, l := range forth.all[forth.first[class]:forth.first[class+1]] {
			back.all[next[l.class]] = link{ClassID(class), l.shared}
			next[l.class]++
		}
	}
	m.from = [2]*links{forth, back}
	return nil
}

// row gives the links of a class; s makes them if they are not kept.
func (m *Matches) row(side Side, class ClassID, s *searcher) []link {
	if l := m.from[side]; l != nil {
		return l.all[l.first[class]:l.first[class+1]]
	}
	return s.search(class, nil)
}

// each calls f with the links of every class of a trace, from several
// goroutines, each class once.
func (m *Matches) each(ctx context.Context, side Side, f func(class ClassID, row []link)) error {
	return m.eachWith(ctx, side, func(_ int, class ClassID, row []link) { f(class, row) })
}

func (m *Matches) eachWith(ctx context.Context, side Side, f func(worker int, class ClassID, row []link)) error {
	searchers := make([]*searcher, runtime.GOMAXPROCS(0))
	return parallel(ctx, m.Classes[side].Len(), block, func(worker, from, to int) error {
		if searchers[worker] == nil && m.from[side] == nil {
			searchers[worker] = m.searcher(side)
		}
		for class := from; class < to; class++ {
			f(worker, ClassID(class), m.row(side, ClassID(class), searchers[worker]))
		}
		return nil
	})
}

// parallel calls f for parts of 0 to n-1 on all cores. Workers are numbered
// from 0 to GOMAXPROCS-1. It ends early with the first error, or if ctx is done.
func parallel(ctx context.Context, n, part int, f func(worker, from, to int) error) error {
	workers := min(runtime.GOMAXPROCS(0), (n+part-1)/part)
	var next atomic.Int64
	errs := make([]error, max(workers, 1))
	var failed atomic.Bool
	var wait sync.WaitGroup
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for !failed.Load() {
				from := int(next.Add(int64(part))) - part
				if from >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = f(w, from, min(from+part, n))
				}
				if errs[w] != nil {
					failed.Store(true)
					return
				}
			}
		}()
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
