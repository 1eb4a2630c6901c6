package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/cambium-prof/cambium/scene/png"
	"github.com/cambium-prof/cambium/scene/svg"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/viz"
)

// export writes the picture of a panel, or what it shows as a table, to a file.
// What to write is said in the address or, as JSON, by the VisualizeRequest
// that showed the panel and the panel's id in the address.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	q, id, err := exportRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d, err := s.Sets.Find(q.DataSet)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	work, err := d.Workspace()
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	ending := path.Ext(r.URL.Path)
	var out bytes.Buffer
	if err := writeExport(r, &out, work, q, id, ending); err != nil {
		if coded := new(connect.Error); errors.As(err, &coded) {
			err = coded.Unwrap() // without the name of the code
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	kinds := map[string]string{".csv": "text/csv; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png"}
	w.Header().Set("Content-Type", kinds[ending])
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": withoutEnding(d.Path) + ending}))
	w.Write(out.Bytes())
}

func writeExport(r *http.Request, out *bytes.Buffer, w *viz.Workspace, q *v1.VisualizeRequest, id, ending string) error {
	b, err := newBoard(w, q.Shared, q.Panels, q.Dark)
	if err != nil {
		return err
	}
	p, err := b.find(id)
	if err != nil {
		return err
	}
	if !p.ready() && !p.definition.Tree {
		if err := b.feedAlone(r.Context(), p); err != nil {
			return err
		}
	}
	switch {
	case ending == ".csv" && p.definition.Tree:
		v, _, err := w.View(r.Context(), b.request(p).Look)
		if err != nil {
			return err
		}
		return viz.WriteCSV(out, v)
	case ending == ".csv":
		answer, err := p.chart.Answer(b.view(p), b.shared)
		if err != nil {
			return err
		}
		return viz.WriteAnswerCSV(out, answer)
	}
	picture, _, _, err := b.draw(r.Context(), p)
	if err != nil {
		return err
	}
	if ending == ".svg" {
		return svg.Write(out, picture)
	}
	return png.Write(out, picture, 2)
}

// exportRequest reads what to write.
func exportRequest(r *http.Request) (q *v1.VisualizeRequest, id string, err error) {
	if r.Method == http.MethodGet {
		q, err = addressed(r.URL.Query())
		return q, "", err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, "", err
	}
	q = &v1.VisualizeRequest{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, q); err != nil {
		return nil, "", fmt.Errorf("the request is no VisualizeRequest in JSON: %w", err)
	}
	return q, r.URL.Query().Get("panel"), nil
}

// addressed reads a request with one panel from an address: the fields of
// messages by their names, those of maps after p. (parameters), m. (fields) and
// s. (sorting), ranges as FROM..TO, groups as JSON.
func addressed(q url.Values) (*v1.VisualizeRequest, error) {
	p := &v1.Panel{
		View: q.Get("view"), Steps: q.Get("steps"), Metric: q.Get("metric"), Highlight: q.Get("highlight"), Subject: q.Get("subject"),
		Width: number(q.Get("width"), 1440), Height: number(q.Get("height"), 900), First: int64(number(q.Get("first"), 0)),
		Params: map[string]string{}, Map: map[string]string{}, Sort: map[string]string{},
	}
	for key := range q {
		for prefix, into := range map[string]map[string]string{"p.": p.Params, "m.": p.Map, "s.": p.Sort} {
			if name, ok := strings.CutPrefix(key, prefix); ok {
				into[name] = q.Get(key)
			}
		}
	}
	for key, into := range map[string]**v1.Range{"rows": &p.Rows, "columns": &p.Columns} {
		if from, to, ok := strings.Cut(q.Get(key), ".."); ok {
			*into = &v1.Range{From: number(from, 0), To: number(to, 0)}
		}
	}
	if from, to, ok := strings.Cut(q.Get("period"), ".."); ok {
		a, err1 := strconv.ParseInt(from, 10, 64)
		b, err2 := strconv.ParseInt(to, 10, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("period %q: expected FROM..TO with whole numbers", q.Get("period"))
		}
		p.Period = &v1.Period{From: a, To: b}
	}
	shared := &v1.Shared{Filter: q.Get("filter"), Selection: q.Get("selection")}
	if text := q.Get("groups"); text != "" {
		var groups []viz.Group
		if err := json.Unmarshal([]byte(text), &groups); err != nil {
			return nil, fmt.Errorf("groups: expected a list in JSON: %w", err)
		}
		for _, g := range groups {
			shared.Groups = append(shared.Groups, &v1.Group{Name: g.Name, Color: uint32(g.Color), Filter: g.Filter, Hidden: g.Hidden})
		}
	}
	return &v1.VisualizeRequest{DataSet: q.Get("data_set"), Shared: shared, Panels: []*v1.Panel{p}, Dark: q.Get("dark") == "1"}, nil
}

func number(text string, fallback float64) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fallback
	}
	return v
}
