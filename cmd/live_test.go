package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cambium-prof/cambium/source"
)

// serveProfiles serves what a program in Go does, and what goes wrong.
func serveProfiles(t *testing.T) http.Handler {
	t.Helper()
	folded, err := os.ReadFile(sqlite)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/folded", func(w http.ResponseWriter, _ *http.Request) { w.Write(folded) })
	mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hush" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		w.Write(folded)
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><p>a;b 1")
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/folded", http.StatusFound) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/stuck", func(w http.ResponseWriter, r *http.Request) {
		w.Write(folded[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	return mux
}

func TestLive(t *testing.T) {
	server := httptest.NewServer(serveProfiles(t))
	defer server.Close()
	for path, want := range map[string]string{
		"/folded":                        "folded",
		"/moved":                         "folded",
		"/debug/pprof/heap":              "pprof",
		"/debug/pprof/trace?seconds=0.1": "gotrace",
		"/debug/pprof/profile?seconds=1": "pprof",
	} {
		var got info
		status, stdout, stderr := cambium(t, "", "info", server.URL+path, "--json")
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 || got.Format != want {
			t.Errorf("%s: status %d, format %q, want %q: %s", path, status, got.Format, want, stderr)
		}
	}
	for path, want := range map[string]string{
		"/debug/pprof/missing": `the server answers "404 Not Found" instead of a profile: Unknown profile`,
		"/debug/pprof/":        "is a list of profiles; name one of them",
		"/page":                "is a web page, not a profile",
		"/secret":              `the server answers "401 Unauthorized" instead of a profile: who are you?`,
	} {
		status, stdout, stderr := cambium(t, "", "info", server.URL+path)
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, server.URL+path+": "+want) {
			t.Errorf("%s: status %d, %q, want %q", path, status, stderr, want)
		}
	}
	withPassword := strings.Replace(server.URL, "://", "://me:hush@", 1)
	status, stdout, stderr := cambium(t, "", "info", withPassword+"/secret")
	if status != 0 || !strings.HasPrefix(stdout, server.URL+"/secret: folded\n") || strings.Contains(stdout+stderr, "hush") {
		t.Errorf("with a password: status %d, %q, %q", status, stdout, stderr)
	}
	server.Close()
	status, _, stderr = cambium(t, "", "info", withPassword+"/folded")
	if status != statusFailed || !strings.Contains(stderr, "connection refused") || strings.Contains(stderr, "hush") {
		t.Errorf("of a server that is gone: status %d, %q", status, stderr)
	}
	for _, broken := range []string{"http://", "http://[::1", "http://me:hush@a b/"} {
		status, _, stderr := cambium(t, "", "info", broken)
		if status != statusFailed || !strings.Contains(stderr, "is no address that can be opened") || strings.Contains(stderr, "hush") {
			t.Errorf("%s: status %d, %q", broken, status, stderr)
		}
	}
}

// fetch reads an address with a fetcher of its own.
func fetch(ctx context.Context, f fetcher, address string) (string, error) {
	in, err := f.open(ctx, address)
	if err != nil {
		return "", err
	}
	defer in.Close()
	set, err := source.Read(ctx, in)
	if err != nil {
		return "", err
	}
	return set.Format, nil
}

func TestLiveLimits(t *testing.T) {
	server := httptest.NewUnstartedServer(serveProfiles(t))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // one client does not trust it
	server.StartTLS()
	defer server.Close()
	f := fetcher{client: server.Client(), slack: time.Minute, limit: 1 << 30}
	if got, err := fetch(t.Context(), f, server.URL+"/folded"); got != "folded" || err != nil {
		t.Errorf("over TLS: %q, %v", got, err)
	}
	if _, err := fetch(t.Context(), fetcher{http.DefaultClient, time.Minute, 1 << 30}, server.URL+"/folded"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("of an unknown authority: %v", err)
	}
	f.limit = 5000
	if _, err := fetch(t.Context(), f, server.URL+"/folded"); err == nil || !strings.Contains(err.Error(), "more than 5000 bytes") {
		t.Errorf("of a large answer: %v", err)
	}
	f.limit, f.slack = 1<<30, 50*time.Millisecond
	for _, path := range []string{"/never", "/stuck"} {
		if _, err := fetch(t.Context(), f, server.URL+path); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("nothing came for %v", f.slack)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f.slack = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := fetch(ctx, f, server.URL+"/never"); err == nil || ctx.Err() == nil {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSeconds(t *testing.T) {
	for address, want := range map[string]time.Duration{
		"http://a/debug/pprof/profile?seconds=5": 5 * time.Second,
		"http://a/debug/pprof/profile":           30 * time.Second,
		"http://a/debug/pprof/trace":             time.Second,
		"http://a/debug/pprof/heap":              0,
		"http://a/x?seconds=-1":                  0,
		"http://a/x?seconds=1e300":               0,
	} {
		request, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := seconds(request.URL); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
