package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/cambium-prof/cambium/source"
)

// OpenFile reads a file in the background.
func (s *Server) OpenFile(name string) (*DataSet, error) {
	return s.Sets.Open(name, func(ctx context.Context) (*source.Input, error) {
		in, err := source.Open(ctx, name)
		if err == nil {
			in.Binaries = s.options.Binaries
		}
		return in, err
	})
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
		in.Binaries = s.options.Binaries
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
