package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/cambium-prof/cambium/scene/png"
	"github.com/cambium-prof/cambium/scene/svg"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/viz"
)

// OpenFile reads a file in the background.
func (s *Server) OpenFile(name string) (*DataSet, error) {
	return s.Sets.Open(name, func(ctx context.Context) (*source.Input, error) { return source.Open(ctx, name) })
}

// OpenSample reads one of the bundled samples in the background.
func (s *Server) OpenSample(name string) (*DataSet, error) {
	for _, sample := range s.options.Samples {
		if sample.Name != name {
			continue
		}
		return s.Sets.Open(name, func(ctx context.Context) (*source.Input, error) {
			f, err := sample.Open()
			if err != nil {
				return nil, err
			}
			content, err := io.ReadAll(f)
			f.Close()
			if err != nil {
				return nil, err
			}
			return source.NewInput(ctx, name, bytes.NewReader(content), int64(len(content)))
		})
	}
	return nil, fmt.Errorf("there is no sample called %q", name)
}

// upload keeps what a page sends in a temporary file while it is read, so that
// an upload larger than memory does not fill it.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fail := func(status int, err error) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
	}
	name := baseName(r.URL.Query().Get("name"))
	f, err := os.CreateTemp("", "cambium-upload-*")
	if err != nil {
		fail(http.StatusInternalServerError, err)
		return
	}
	size, err := io.Copy(f, http.MaxBytesReader(w, r.Body, maxUpload))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	discard := func() {
		f.Close()
		os.Remove(f.Name())
	}
	if err != nil {
		discard()
		fail(http.StatusBadRequest, fmt.Errorf("%s: the upload broke off after %d bytes: %w", name, size, err))
		return
	}
	d, err := s.Sets.Open(name, func(ctx context.Context) (*source.Input, error) {
		in, err := source.NewInput(ctx, name, f, size)
		if err != nil {
			discard()
			return nil, err
		}
		in.OnClose(func() error { discard(); return nil })
		return in, nil
	})
	if err != nil {
		discard()
		fail(http.StatusTooManyRequests, err)
		return
	}
	json.NewEncoder(w).Encode(map[string]string{"data_set": d.ID})
}

// export writes the current picture, or what it shows as a table, to a file.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d, err := s.Sets.Find(q.Get("data_set"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	work, err := d.Workspace()
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	request := viz.Request{
		View: q.Get("view"), Look: viz.Look{Steps: q.Get("steps"), Metric: q.Get("metric")},
		Params: map[string]string{}, Dark: q.Get("dark") == "1", Highlight: q.Get("highlight"),
		Viewport: viz.Viewport{Width: number(q.Get("width"), 1440), Height: number(q.Get("height"), 900)},
	}
	for key := range q {
		if name, ok := strings.CutPrefix(key, "p."); ok {
			request.Params[name] = q.Get(key)
		}
	}
	ending := path.Ext(r.URL.Path)
	var out bytes.Buffer
	var kind string
	switch ending {
	case ".csv":
		kind = "text/csv; charset=utf-8"
		v, _, verr := work.View(request.Look)
		if err = verr; err == nil {
			err = viz.WriteCSV(&out, v)
		}
	default:
		picture, _, serr := work.Scene(request)
		if err = serr; err != nil {
			break
		}
		if ending == ".svg" {
			kind = "image/svg+xml"
			err = svg.Write(&out, picture)
		} else {
			kind = "image/png"
			err = png.Write(&out, picture, 2)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	file := strings.TrimSuffix(baseName(d.Path), path.Ext(d.Path)) + ending
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file}))
	w.Write(out.Bytes())
}

func number(text string, fallback float64) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fallback
	}
	return v
}
