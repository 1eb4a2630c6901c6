// Package server serves the page and answers it.
//
// It listens on loopback only, unless told otherwise, and everything it has is
// below a path that begins with a random token: whoever does not know the
// printed address gets nothing. Host and Origin are checked, so that a page of
// another site that the same browser has open gets nothing either.
//
// What belongs here: the Connect service of server/proto, uploads, downloads,
// and the data sets that are open in this process. What does not: reading,
// trees and drawing; this package only asks for them.
package server

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cambium-prof/cambium/server/gen/cambium/v1/cambiumv1connect"
)

// Options says how to serve.
type Options struct {
	Host    string // to listen on; "" is 127.0.0.1
	Port    int    // 0 is any free one
	Version string
	Page    fs.FS    // the built page; nil explains how to build it
	Samples []Sample // bundled with the program
	// Binaries is that of each [source.Input].
	Binaries bool
}

// Sample is a profile that comes with the program.
type Sample struct {
	Name        string // its file name
	Description string
	Open        func() (fs.File, error)
}

// Server is one running workbench.
type Server struct {
	Sets *DataSets

	options  Options
	listener net.Listener
	http     *http.Server
	token    string
}

// limits of what a page may ask for
const (
	maxRequest = 16 << 20 // bytes of one call: a filter that lists what a person selected may have half of it
	maxUpload  = 16 << 30 // bytes of one file
)

// New starts listening; Serve answers.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(o.Host, fmt.Sprint(o.Port)))
	if err != nil {
		return nil, err
	}
	random := make([]byte, 18)
	rand.Read(random) // never fails
	s := &Server{Sets: newDataSets(ctx), options: o, listener: listener, token: base64.RawURLEncoding.EncodeToString(random)}

	mux := http.NewServeMux()
	path, handler := cambiumv1connect.NewWorkbenchHandler(&workbench{s: s})
	mux.Handle(path, http.MaxBytesHandler(handler, maxRequest))
	mux.HandleFunc("POST /upload", s.upload)
	for _, ending := range []string{"svg", "png", "csv"} {
		mux.HandleFunc("GET /export."+ending, s.export)
		mux.Handle("POST /export."+ending, http.MaxBytesHandler(http.HandlerFunc(s.export), maxRequest))
	}
	mux.Handle("/", s.page())

	s.http = &http.Server{
		Handler:           s.guard(http.StripPrefix("/"+s.token, mux)),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	return s, nil
}

// Address is what to open in a browser.
func (s *Server) Address() string {
	return "http://" + s.listener.Addr().String() + "/" + s.token + "/"
}

// Serve answers until the context ends.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { s.http.Close() })
	defer stop()
	defer s.Sets.close()
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// policy allows the page what it consists of, and nothing else. Inline styles
// are how the component library positions things; scripts are files only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; " +
	"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard lets through only requests that know the token, are addressed to this
// server by the name it listens on, and do not come from another site's page.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !s.hostAllowed(r.Host) {
			http.Error(w, "this address is not one that cambium listens on", http.StatusForbidden)
			return
		}
		if !s.originAllowed(r) {
			http.Error(w, "requests from other sites are not answered", http.StatusForbidden)
			return
		}
		if r.URL.Path != "/"+s.token && !strings.HasPrefix(r.URL.Path, "/"+s.token+"/") {
			http.Error(w, "the address is incomplete: open it as cambium printed it, with the long part behind the port", http.StatusForbidden)
			return
		}
		if r.URL.Path == "/"+s.token {
			http.Redirect(w, r, "/"+s.token+"/", http.StatusFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostAllowed defends against DNS rebinding: a name that somebody points at
// this machine is not a name of this server.
func (s *Server) hostAllowed(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return false
	}
	_, mine, _ := net.SplitHostPort(s.listener.Addr().String())
	if port != mine {
		return false
	}
	ip := net.ParseIP(name)
	if name == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	if bound := net.ParseIP(s.options.Host); bound != nil && bound.IsUnspecified() {
		return ip != nil // listens everywhere: any of the machine's addresses, but no name
	}
	return name == s.options.Host
}

func (s *Server) originAllowed(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && !slices.Contains([]string{"same-origin", "none"}, site) {
		// Following a link to the page is fine; calls from elsewhere are not.
		if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && u.Host == r.Host
}

func (s *Server) page() http.Handler {
	if s.options.Page == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, unbuilt)
		})
	}
	files := http.FileServerFS(s.options.Page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			// A pattern with a method would clash with that of the service.
			http.Error(w, "files can only be read", http.StatusMethodNotAllowed)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/assets/") {
			// Their names carry a hash of their content.
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		} else {
			w.Header().Set("Cache-Control", "no-store")
		}
		files.ServeHTTP(w, r)
	})
}

const unbuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>cambium: the page is not built</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#222;background:#fff}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181c}}code{font-size:15px}</style>
<h1>The page is not part of this program</h1>
<p>This <code>cambium</code> was built without its page. The command works:
<code>cambium info</code>, <code>top</code>, <code>tree</code>, <code>layout</code>, <code>render</code> and <code>convert</code>
need no page.</p>
<p>To have the page, build it with Node.js in a clone of the project and start again:</p>
<pre><code>make build
./cambium FILE</code></pre>
</html>
`
