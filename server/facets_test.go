package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/data"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

// labelled has two threads of the same name and one of another, in two
// processes, of which one event has none, and a label that is everywhere the same.
func labelled(context.Context) (*data.Set, error) {
	b := data.NewBuilder("labelled", "test")
	var err error
	check := func(e error) {
		if err == nil {
			err = e
		}
	}
	entity := func(name string, fields []data.Field, names []string, columns ...data.Column) {
		e, failed := b.EntityType(name, "", fields...)
		check(failed)
		if failed == nil {
			check(e.Adopt(names, len(columns[0].Refs), columns...))
		}
	}
	named := func(name string, names ...string) {
		e, failed := b.EntityType(name, "")
		check(failed)
		if failed == nil {
			check(e.Adopt(names, len(names)))
		}
	}
	named("Method", "f", "g")
	entity("Context", []data.Field{data.Ref("Caller", "Context", "", data.Hierarchy), data.Ref("Method", "Method", "")}, nil,
		data.Column{Refs: []data.EntityID{data.None, 0}}, data.Column{Refs: []data.EntityID{0, 1}})
	named("Process", "server", "client")
	entity("Thread", []data.Field{data.Ref("Process", "Process", "")}, []string{"worker", "worker", "main"},
		data.Column{Refs: []data.EntityID{0, 0, 1}})
	named("Build", "debug", "release")
	samples, failed := b.EventType("Sample", "", data.Ref("Context", "Context", ""), data.Ref("Thread", "Thread", ""), data.Ref("Build", "Build", ""),
		data.Value("time", "ns", "", data.Amount))
	check(failed)
	if err != nil {
		return nil, err
	}
	check(samples.Adopt(5,
		data.Column{Refs: []data.EntityID{0, 1, 1, 0, 1}},
		data.Column{Refs: []data.EntityID{0, 1, 2, 2, data.None}},
		data.Column{Refs: []data.EntityID{1, 1, 1, 1, 1}},
		data.Column{Values: []int64{10, 30, 40, 15, 5}}))
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// Facets are the threads and what is reached through them, the largest first;
// a label with one value is none. What keeps a value is understood as a filter.
func TestFacets(t *testing.T) {
	r := serve(t, Options{})
	d, err := r.Sets.Add("labelled", labelled)
	if err != nil {
		t.Fatal(err)
	}
	id := r.await(d.ID, v1.DataSet_STATE_READY).Id
	answer, err := r.client.ListFacets(t.Context(), connect.NewRequest(&v1.ListFacetsRequest{DataSet: id}))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range answer.Msg.Facets {
		fmt.Fprintf(&got, "%s in %s: %d, %d without\n", f.Field, f.Unit, f.Whole, f.Without)
		for _, v := range f.Values {
			filter := fmt.Sprintf("%q in [%s]", f.Field, v.Mention)
			kept, err := r.client.CheckFilter(t.Context(), connect.NewRequest(&v1.CheckFilterRequest{DataSet: id, Filter: filter}))
			if err != nil || kept.Msg.Error != "" {
				t.Fatal(filter, err, kept.Msg.Error)
			}
			fmt.Fprintf(&got, "  %s %d: %s keeps %d\n", v.Name, v.Amount, filter, kept.Msg.Kept[0].Kept)
		}
	}
	const want = `Thread in ns: 100, 5 without
  main 55: "Thread" in ["main"] keeps 2
  worker 30: "Thread" in [1] keeps 1
  worker 10: "Thread" in [0] keeps 1
Process in ns: 100, 5 without
  client 55: "Process" in ["client"] keeps 2
  server 40: "Process" in ["server"] keeps 2
`
	if got.String() != want {
		t.Errorf("got\n%s\nexpected\n%s", got.String(), want)
	}
}

func TestAGroupingIsMadeOnce(t *testing.T) {
	r := serve(t, Options{})
	open := func() string {
		d, err := r.Sets.Add("twice", labelled)
		if err != nil {
			t.Fatal(err)
		}
		return r.await(d.ID, v1.DataSet_STATE_READY).Id
	}
	group := func(id, field string) string {
		answer, err := r.client.GroupBy(t.Context(), connect.NewRequest(&v1.GroupByRequest{DataSet: id, Field: field}))
		if err != nil {
			t.Fatal(err)
		}
		return answer.Msg.DataSet
	}
	one, other := open(), open()
	byThread := group(one, "Thread")
	if again := group(one, "Thread"); again != byThread {
		t.Errorf("the second grouping is %s, not %s", again, byThread)
	}
	for name, id := range map[string]string{"another field": group(one, "Build"), "another data set of the same path": group(other, "Thread")} {
		if id == byThread {
			t.Errorf("%s gives the grouping %s as well", name, id)
		}
	}
}
