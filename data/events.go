package data

import (
	"context"
	"fmt"
	"slices"
)

// BatchRows is the largest number of rows in a batch, and usual for all but the
// last of a pass.
const BatchRows = 64 << 10

// Batch is a run of events. Its slices are only valid during the callback
// that receives it.
type Batch struct {
	First   int64    // sequence number of row 0
	Rows    int      // number of events, > 0
	Columns []Column // by index of the requested paths, each Rows long
}

// ones is the column of Count.
var ones = func() []int64 {
	c := make([]int64, BatchRows)
	for i := range c {
		c[i] = 1
	}
	return c
}()

// Read makes one pass over the events, in order, with the columns of the
// given paths (which must be of this table's definition). Indirect references
// are resolved batch by batch, so that they cost nothing when nobody asks.
// The pass ends early with the context's error, or with yield's. Any number
// of passes may be made, also at the same time.
func (t *EventTable) Read(ctx context.Context, paths []Path, yield func(Batch) error) error {
	hops := make([][]Column, len(paths)) // per path: the entity columns after the first step
	for i, p := range paths {
		if p.IsCount() {
			continue
		}
		var err error
		if hops[i], err = t.hops(p); err != nil {
			return err
		}
	}
	scratch := make([][]EntityID, len(paths))
	batch := Batch{Columns: make([]Column, len(paths))}
	// complete makes a batch from its direct columns.
	complete := func(first int64, rows int, direct func(path int) Column) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.First, batch.Rows = first, rows
		for i, p := range paths {
			if p.IsCount() {
				batch.Columns[i] = Column{Values: ones[:rows]}
				continue
			}
			c := direct(i)
			if len(hops[i]) > 0 {
				if scratch[i] == nil {
					scratch[i] = make([]EntityID, min(BatchRows, t.rows))
				}
				c = Column{Refs: resolve(scratch[i][:rows], c.Refs, hops[i])}
			}
			batch.Columns[i] = c
		}
		return yield(batch)
	}
	if t.store != nil {
		return t.readStore(ctx, paths, complete)
	}
	for from := 0; from < t.rows; from += BatchRows {
		to := min(from+BatchRows, t.rows)
		err := complete(int64(from), to-from, func(path int) Column { return t.Columns[paths[path].steps[0]].slice(from, to) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readStore reads each direct field once, whatever goes through it.
func (t *EventTable) readStore(ctx context.Context, paths []Path, complete func(int64, int, func(int) Column) error) error {
	var fields []int
	at := make([]int, len(paths)) // path -> index in fields
	for i, p := range paths {
		if p.IsCount() {
			continue
		}
		if at[i] = slices.Index(fields, p.steps[0]); at[i] < 0 {
			at[i] = len(fields)
			fields = append(fields, p.steps[0])
		}
	}
	return t.store.Read(ctx, fields, 0, int64(t.rows), func(b Batch) error {
		return complete(b.First, b.Rows, func(path int) Column { return b.Columns[at[path]] })
	})
}

// Follow replaces what the direct reference of a path refers to by what the
// whole path leads to, in place.
func (t *EventTable) Follow(p Path, ids []EntityID) error {
	hops, err := t.hops(p)
	if err == nil {
		resolve(ids, ids, hops)
	}
	return err
}

func (t *EventTable) hops(p Path) ([]Column, error) {
	if len(p.steps) == 0 || p.steps[0] >= len(t.Fields) {
		return nil, fmt.Errorf("path %q is not one of event type %q", p.Name, t.Definition.Name)
	}
	def := t.Definition
	var hops []Column
	for _, step := range p.steps[1:] {
		target := t.set.Entity(def.Fields[p.steps[len(hops)]].Refers)
		if target == nil || step >= len(target.Columns) {
			return nil, fmt.Errorf("path %q is not one of event type %q", p.Name, t.Definition.Name)
		}
		hops = append(hops, target.Columns[step])
		def = target.Definition
	}
	return hops, nil
}

func resolve(into, ids []EntityID, hops []Column) []EntityID {
	copy(into, ids)
	for _, hop := range hops {
		for i, id := range into {
			if id != None {
				into[i] = hop.Refs[id]
			}
		}
	}
	return into
}
