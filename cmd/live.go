package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cambium-prof/cambium/source"
)

// Live profiles: an address of HTTP in place of a file, as programs in Go serve
// them at /debug/pprof. Only the command line can name one. The page cannot: a
// server that fetches what a page asks for would let any page reach what only
// this machine can.

// isURL reports whether a word of the command line is an address.
func isURL(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// displayName is what people get to see of a word of the command line: not a
// password.
func displayName(name string) string {
	if !isURL(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		scheme, _, _ := strings.Cut(name, "://")
		return scheme + "://…" // there may be a password in it
	}
	u.User = nil
	return u.String()
}

// fetcher opens addresses.
type fetcher struct {
	client *http.Client
	slack  time.Duration // how long an answer may take beyond the seconds it records
	limit  int64         // bytes
}

// live is the fetcher of the command. Profiles are packed already.
var live = fetcher{
	client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true}},
	slack:  30 * time.Second,
	limit:  4 << 30,
}

// seconds is how long a program records before it answers in full: what the
// address asks for, or what net/http/pprof does by itself.
func seconds(u *url.URL) time.Duration {
	if s, err := strconv.ParseFloat(u.Query().Get("seconds"), 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	switch {
	case strings.HasSuffix(u.Path, "/debug/pprof/profile"):
		return 30 * time.Second
	case strings.HasSuffix(u.Path, "/debug/pprof/trace"):
		return time.Second
	}
	return 0
}

// open asks for what is at an address. An answer that stops coming for longer
// than it may record is given up.
func (f fetcher) open(ctx context.Context, address string) (*source.Input, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s: is no address that can be opened", displayName(address))
	}
	name := displayName(address)
	request, cancel := context.WithCancelCause(ctx)
	patience := seconds(u) + f.slack
	late := fmt.Errorf("%s: nothing came for %v", name, patience)
	timer := time.AfterFunc(patience, func() { cancel(late) })
	in, err := f.get(ctx, request, name, u, func() { timer.Reset(patience) })
	if err != nil {
		timer.Stop()
		if cause := context.Cause(request); errors.Is(cause, late) {
			err = late
		}
		cancel(nil)
		return nil, err
	}
	in.OnClose(func() error { timer.Stop(); cancel(nil); return nil })
	return in, nil
}

// get opens an address. request ends what ctx ends, and when nothing comes.
func (f fetcher) get(ctx, request context.Context, name string, u *url.URL, came func()) (*source.Input, error) {
	ask, err := http.NewRequestWithContext(request, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: is no address that can be opened", name)
	}
	ask.Header.Set("User-Agent", "cambium/"+Version)
	answer, err := f.client.Do(ask)
	if err != nil {
		var failed *url.Error // says the address again
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := refuseAnswer(answer); err != nil {
		answer.Body.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in, err := source.NewInput(ctx, name, &liveReader{answer.Body, request, came, f.limit, f.limit}, max(answer.ContentLength, 0))
	if err != nil {
		answer.Body.Close()
		return nil, err
	}
	in.OnClose(answer.Body.Close)
	return in, nil
}

// refuseAnswer gives an error for what cannot be a profile.
func refuseAnswer(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 300))
		text, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); text == "" || kind == "text/html" {
			return fmt.Errorf("the server answers %q instead of a profile", answer.Status)
		}
		return fmt.Errorf("the server answers %q instead of a profile: %s", answer.Status, printable(strings.ToValidUTF8(text, "\uFFFD")))
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "text/html" {
		if strings.HasSuffix(answer.Request.URL.Path, "/debug/pprof/") {
			return errors.New("is a list of profiles; name one of them, such as …/debug/pprof/profile?seconds=30")
		}
		return errors.New("is a web page, not a profile")
	}
	return nil
}

// liveReader reads an answer, tells that something came, and ends in an error
// at a limit.
type liveReader struct {
	io.Reader
	ctx  context.Context
	came func()
	left int64
	all  int64
}

func (r *liveReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.came()
	}
	if r.left -= int64(n); r.left < 0 {
		return 0, fmt.Errorf("the answer has more than %d bytes", r.all)
	}
	if err != nil {
		// Also at what looks like the end: a server that notices may end its
		// answer properly before the connection is gone.
		if cause := context.Cause(r.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

// showWaiting tells on a terminal that an address takes its time, until stop or
// until the answer begins.
func showWaiting(name string) (stop func()) {
	u, err := url.Parse(name)
	if err != nil || !isURL(name) || !term.IsTerminal(int(os.Stderr.Fd())) {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		start, t := time.Now(), time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(os.Stderr, "\r\x1b[K")
				return
			case <-t.C:
				fmt.Fprintf(os.Stderr, "\r\x1b[Kwaiting for %s: %d s", printable(displayName(name)), int(time.Since(start).Seconds()))
				if all := seconds(u); all > 0 {
					fmt.Fprintf(os.Stderr, " of %d s", int(all.Seconds()))
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(done); <-ended })
}
