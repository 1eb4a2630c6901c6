//go:build duckdb && cgo && (((linux || darwin) && (amd64 || arm64)) || (windows && amd64))

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	duckdb "github.com/duckdb/duckdb-go-bindings"

	"github.com/cambium-prof/cambium/store"
	"github.com/cambium-prof/cambium/viz"
	_ "github.com/cambium-prof/cambium/viz/all"
)

// eventsStore is the store that the benchmarks below use, made by genevents.
func eventsStore(b *testing.B) string {
	dir := os.Getenv("CAMBIUM_EVENTS")
	if dir == "" {
		b.Skip("CAMBIUM_EVENTS names no store (go run ./bench/genevents makes one)")
	}
	return dir
}

// BenchmarkReopen opens the store until its first chart could be asked for.
func BenchmarkReopen(b *testing.B) {
	dir := eventsStore(b)
	for b.Loop() {
		workspace(b, dir)
	}
}

func workspace(b *testing.B, dir string) *viz.Workspace {
	set, err := store.Open(context.Background(), dir)
	if err != nil {
		b.Fatal(err)
	}
	w, err := viz.NewWorkspace(context.Background(), set)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkEvents compares charts of the events of a store with what DuckDB's
// own query on the same files takes, one after the other.
func BenchmarkEvents(b *testing.B) {
	dir := eventsStore(b)
	files := filepath.Join(dir, "events", "*", "*.parquet")
	for _, c := range []struct {
		name, sql string
		spec      viz.ChartSpec
		filter    string
	}{
		{"bar-1000", `SELECT "Method", sum("Bytes") FROM read_parquet('%s') GROUP BY 1`,
			viz.ChartSpec{View: "bar", Map: map[string]string{"x": "Bytes", "y": "Method"}}, ""},
		{"bar-50000", `SELECT "Location", sum("Bytes") FROM read_parquet('%s') GROUP BY 1`,
			viz.ChartSpec{View: "bar", Map: map[string]string{"x": "Bytes", "y": "Location"}}, ""},
		{"bar-50000-filtered", `SELECT "Location", sum("Bytes") FROM read_parquet('%s') WHERE "Bytes" > 512 GROUP BY 1`,
			viz.ChartSpec{View: "bar", Map: map[string]string{"x": "Bytes", "y": "Location"}}, "Bytes > 512"},
		{"correlation", `SELECT "Location", "Method", count(*) FROM read_parquet('%s') GROUP BY 1, 2`,
			viz.ChartSpec{View: "correlation", Map: map[string]string{"x": "Location", "y": "Method", "color": "count"}}, ""},
		{"hotspot", `SELECT "Time" // 10000000, "Method", count(*) FROM read_parquet('%s') GROUP BY 1, 2`,
			viz.ChartSpec{View: "hotspot", Map: map[string]string{"x": "Time", "y": "Method"}, Params: map[string]string{"interval": "10000000"}}, ""},
		{"prediction", ``,
			viz.ChartSpec{View: "prediction", Map: map[string]string{"x": "Time", "y": "Location", "prediction": "Method"}, Params: map[string]string{"interval": "10000000"}}, ""},
	} {
		if c.sql != "" {
			b.Run(c.name+"/engine", func(b *testing.B) {
				ask := engine(b)
				start := processor()
				for b.Loop() {
					ask(fmt.Sprintf(c.sql, files))
				}
				b.ReportMetric((processor()-start)/float64(b.N), "cpu-s/op")
			})
		}
		b.Run(c.name+"/cambium", func(b *testing.B) {
			w := workspace(b, dir)
			n := 0
			start := processor()
			for b.Loop() {
				// Another workspace has not kept the chart of the run before.
				n++
				shared := viz.Shared{Filter: c.filter}
				if n > 1 {
					b.StopTimer()
					w = workspace(b, dir)
					b.StartTimer()
				}
				if _, err := w.Charts(context.Background(), []viz.ChartSpec{c.spec}, shared, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processor()-start)/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(w.Set.Events()[0].Rows())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

// processor is how many seconds this process has computed: what a machine that
// others use, too, does not change.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// engine gives a way to ask DuckDB and to throw the answer away.
func engine(b *testing.B) func(sql string) {
	var db duckdb.Database
	var conn duckdb.Connection
	if duckdb.Open("", &db) != duckdb.StateSuccess || duckdb.Connect(db, &conn) != duckdb.StateSuccess {
		b.Fatal("DuckDB does not start")
	}
	b.Cleanup(func() {
		duckdb.Disconnect(&conn)
		duckdb.Close(&db)
	})
	return func(sql string) {
		var res duckdb.Result
		defer duckdb.DestroyResult(&res)
		if duckdb.Query(conn, sql, &res) != duckdb.StateSuccess {
			b.Fatal(duckdb.ResultError(&res))
		}
	}
}
