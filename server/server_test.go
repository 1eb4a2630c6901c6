package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"connectrpc.com/connect"

	"github.com/cambium-prof/cambium/samples"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/server/gen/cambium/v1/cambiumv1connect"
	"github.com/cambium-prof/cambium/source"
	_ "github.com/cambium-prof/cambium/source/all"
	_ "github.com/cambium-prof/cambium/viz/all"
)

// running is a server that answers until the test ends.
type running struct {
	*Server
	t      *testing.T
	http   *http.Client
	client cambiumv1connect.WorkbenchClient
	stop   func() // and wait until it has
}

func serve(t *testing.T, o Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	transport := &http.Transport{}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r := &running{Server: s, t: t, http: client}
	r.client = cambiumv1connect.NewWorkbenchClient(client, strings.TrimSuffix(s.Address(), "/"))
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		transport.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
	t.Cleanup(r.stop)
	return r
}

// do sends a request; change may spoil it first. All answers carry the policy.
func (r *running) do(method, address, body string, change func(*http.Request)) (*http.Response, string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if change != nil {
		change(request)
	}
	answer, err := r.http.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	for key, want := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := answer.Header.Get(key); got != want {
			r.t.Errorf("%s %s: the header %s is %q", method, address, key, got)
		}
	}
	return answer, string(content)
}

// await watches until a data set is in the state it is meant to get into.
func (r *running) await(id string, want v1.DataSet_State) *v1.DataSet {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	stream, err := r.client.WatchDataSets(ctx, connect.NewRequest(&v1.WatchDataSetsRequest{}))
	if err != nil {
		r.t.Fatal(err)
	}
	defer stream.Close()
	for stream.Receive() {
		for _, d := range stream.Msg().DataSets {
			if d.Id == id && d.State == want {
				return d
			}
			if d.Id == id && d.State != v1.DataSet_STATE_READING {
				r.t.Fatalf("%s is %s, not %s: %s", d.Name, d.State, want, d.Error)
			}
		}
	}
	r.t.Fatalf("%s: the watch ended: %v", id, stream.Err())
	return nil
}

// upload sends a file and gives the id of its data set.
func (r *running) upload(name, content string) string {
	r.t.Helper()
	answer, body := r.do("POST", r.Address()+"upload?name="+url.QueryEscape(name), content, nil)
	var reply struct {
		DataSet string `json:"data_set"`
		Error   string `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil || answer.StatusCode != http.StatusOK || reply.DataSet == "" {
		r.t.Fatalf("the upload is answered with %s: %s", answer.Status, body)
	}
	return reply.DataSet
}

func TestOnlyTheOwnPageIsAnswered(t *testing.T) {
	r := serve(t, Options{})
	host := r.listener.Addr().String()
	_, port, _ := strings.Cut(host, ":")
	header := func(pairs ...string) func(*http.Request) {
		return func(q *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				q.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	named := func(host string) func(*http.Request) { return func(q *http.Request) { q.Host = host } }
	good := r.Address()
	call := good + "cambium.v1.Workbench/GetCatalog"
	const ok, no = http.StatusOK, http.StatusForbidden
	for _, c := range []struct {
		what, method, address string
		change                func(*http.Request)
		status                int
	}{
		{"the page", "GET", good, nil, ok},
		{"by another name of this machine", "GET", good, named("localhost:" + port), ok},
		{"by IPv6", "GET", good, named("[::1]:" + port), ok},
		{"without the last slash", "GET", strings.TrimSuffix(good, "/"), nil, http.StatusFound},
		{"without a token", "GET", "http://" + host + "/", nil, no},
		{"with a wrong token", "GET", "http://" + host + "/AAAAAAAAAAAAAAAAAAAAAAAA/", nil, no},
		{"with a longer token", "GET", strings.TrimSuffix(good, "/") + "x/", nil, no},
		{"with a shorter token", "GET", good[:len(good)-2] + "/", nil, no},
		{"a name that points here", "GET", good, named("evil.example:" + port), no},
		{"a name that begins like ours", "GET", good, named("localhost.evil.example:" + port), no},
		{"another port", "GET", good, named("127.0.0.1:1"), no},
		{"no port", "GET", good, named("127.0.0.1"), no},
		{"another address", "GET", good, named("192.0.2.1:" + port), no},
		{"another site's page", "POST", call, header("Origin", "http://evil.example"), no},
		{"a page of nowhere", "POST", call, header("Origin", "null"), no},
		{"another program's page", "POST", call, header("Origin", "http://127.0.0.1:1"), no},
		{"a secure page of our name", "POST", call, header("Origin", "https://"+host), no},
		{"across sites", "POST", call, header("Sec-Fetch-Site", "cross-site"), no},
		{"from the same site", "POST", call, header("Sec-Fetch-Site", "same-site"), no},
		{"an image across sites", "GET", good + "export.svg?data_set=d1", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"), no},
		{"a form across sites", "POST", good + "upload?name=x", header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), no},
		{"a link across sites", "GET", good, header("Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"), ok},
		{"our page", "POST", call, header("Origin", "http://"+host, "Sec-Fetch-Site", "same-origin", "Content-Type", "application/json"), ok},
	} {
		body := ""
		if c.method == "POST" {
			body = "{}"
		}
		answer, text := r.do(c.method, c.address, body, c.change)
		if answer.StatusCode != c.status {
			t.Errorf("%s: %s: %.80s", c.what, answer.Status, text)
		}
		if c.status == no && strings.Contains(text+fmt.Sprint(answer.Header), r.token) {
			t.Errorf("%s: the answer gives the token away", c.what)
		}
	}
	if other := serve(t, Options{}); other.token == r.token || len(r.token) != 24 {
		t.Errorf("the tokens are %q and %q", r.token, other.token)
	}
}

func TestPage(t *testing.T) {
	r := serve(t, Options{})
	if answer, text := r.do("GET", r.Address(), "", nil); !strings.Contains(text, "make build") || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("without a page it says %q", text)
	}
	page := fstest.MapFS{"index.html": {Data: []byte("<p>page")}, "assets/a-1.js": {Data: []byte("1")}}
	r = serve(t, Options{Page: page})
	if answer, text := r.do("GET", r.Address(), "", nil); text != "<p>page" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page is %q, %v", text, answer.Header)
	}
	if answer, text := r.do("GET", r.Address()+"assets/a-1.js", "", nil); text != "1" || !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("a script is %q, %v", text, answer.Header)
	}
	if answer, _ := r.do("GET", r.Address()+"nothing.js", "", nil); answer.StatusCode != http.StatusNotFound {
		t.Errorf("what is not there: %s", answer.Status)
	}
}

func TestUpload(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r := serve(t, Options{})
	d := r.await(r.upload(`C:\some where\ä.folded`, "main;f 3\nmain;g 4\nmain 1\n"), v1.DataSet_STATE_READY)
	if d.Name != "ä.folded" || d.Format != "folded" || d.Contexts != 3 || d.Methods != 3 || d.MaxDepth != 2 || len(d.Metrics) != 1 || d.Metrics[0].Total != 8 {
		t.Errorf("the data set is %v", d)
	}
	d = r.await(r.upload("noise", "\x00\x01\x02\xff\xfenoise\x00\x80"), v1.DataSet_STATE_FAILED)
	if !strings.Contains(d.Error, "noise: the content is in no format that is known here") {
		t.Errorf("the error is %q", d.Error)
	}
	d = r.await(r.upload("none", ""), v1.DataSet_STATE_FAILED)
	if !strings.Contains(d.Error, "none: the file is empty") {
		t.Errorf("the error is %q", d.Error)
	}
	d = r.await(r.upload("broken.gz", "\x1f\x8b\x08\xff\xff"), v1.DataSet_STATE_FAILED)
	if d.Error == "" {
		t.Errorf("there is no error")
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	// The details of a failed data set are its reader's words.
	_, err := r.client.GetScene(t.Context(), connect.NewRequest(&v1.GetSceneRequest{Look: &v1.Look{DataSet: d.Id}, View: "ring", Width: 9, Height: 9}))
	if connect.CodeOf(err) != connect.CodeFailedPrecondition || !strings.Contains(err.Error(), d.Error) {
		t.Errorf("the error is %v", err)
	}
}

func TestUploadThatBreaksOff(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r := serve(t, Options{})
	content, w := io.Pipe()
	go func() {
		w.Write([]byte("main;f 3\n"))
		w.CloseWithError(errors.New("the page was closed"))
	}()
	request, err := http.NewRequestWithContext(t.Context(), "POST", r.Address()+"upload?name=half", content)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := r.http.Do(request); err == nil {
		answer.Body.Close()
		t.Errorf("it is answered with %s", answer.Status)
	}
	// Handlers that are under way are seen off by an orderly shutdown.
	if err := r.Server.http.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, _ := r.Sets.List(); len(all) != 0 {
		t.Errorf("half a file was opened")
	}
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOversizedCallIsRefused(t *testing.T) {
	r := serve(t, Options{})
	_, err := r.client.Search(t.Context(), connect.NewRequest(&v1.SearchRequest{Query: strings.Repeat("x", maxRequest+1)}))
	if code := connect.CodeOf(err); err == nil || code == connect.CodeNotFound {
		t.Errorf("the error is %v", err)
	}
	if _, err = r.client.Search(t.Context(), connect.NewRequest(&v1.SearchRequest{Query: strings.Repeat("x", maxRequest/2)})); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("a call that is just large gives %v", err)
	}
}

func TestTooManyDataSets(t *testing.T) {
	r := serve(t, Options{})
	open := func(ctx context.Context) (*source.Input, error) {
		return source.NewInput(ctx, "x", strings.NewReader("f 1\n"), 4)
	}
	for range maxSets {
		if _, err := r.Sets.Open("x", open); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Sets.Open("x", open); err == nil || !strings.Contains(err.Error(), "64 data sets are open") {
		t.Errorf("the error is %v", err)
	}
}

func TestCancelOfAnEndlessStream(t *testing.T) {
	r := serve(t, Options{})
	stream, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		lines := bytes.Repeat([]byte("main;f;g 1\n"), 1000)
		for {
			if _, err := w.Write(lines); err != nil {
				return
			}
		}
	}()
	d, err := r.Sets.Open("endless", func(ctx context.Context) (*source.Input, error) {
		in, err := source.NewInput(ctx, "endless", stream, 0)
		if err == nil {
			in.OnClose(stream.Close)
		}
		return in, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.await(d.ID, v1.DataSet_STATE_READING); got.BytesTotal != 0 {
		t.Errorf("it is thought to have %d bytes", got.BytesTotal)
	}
	if _, err := d.Workspace(); err == nil || !strings.Contains(err.Error(), "still being read") {
		t.Errorf("while it is read, the error is %v", err)
	}
	r.cancel(d.ID)
	if got := r.await(d.ID, v1.DataSet_STATE_FAILED); !strings.Contains(got.Error, "endless: reading was cancelled") {
		t.Errorf("the error is %q", got.Error)
	}
	<-written
	_, err = r.client.CancelRead(t.Context(), connect.NewRequest(&v1.CancelReadRequest{DataSet: "d99"}))
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("the error is %v", err)
	}
}

func (r *running) cancel(id string) {
	r.t.Helper()
	if _, err := r.client.CancelRead(r.t.Context(), connect.NewRequest(&v1.CancelReadRequest{DataSet: id})); err != nil {
		r.t.Fatal(err)
	}
}

// A stream on which nothing comes cannot be interrupted, but it holds up
// neither its cancellation nor the end of the program.
func TestCancelOfASilentStream(t *testing.T) {
	r := serve(t, Options{})
	stream, w := io.Pipe()
	defer w.Close()
	var ids []string
	for range 2 {
		d, err := r.Sets.Open("silent", func(ctx context.Context) (*source.Input, error) { return source.NewInput(ctx, "silent", stream, 0) })
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	r.cancel(ids[0])
	if d := r.await(ids[0], v1.DataSet_STATE_FAILED); !strings.Contains(d.Error, "silent: reading was cancelled") {
		t.Errorf("the error is %q", d.Error)
	}
	r.stop() // the other one is still being read
}

func TestShutdownLeavesNothing(t *testing.T) {
	r := serve(t, Options{Samples: allSamples()})
	r.await(r.upload("a.folded", "main;f 3\n"), v1.DataSet_STATE_READY)
	if _, err := r.client.OpenSample(t.Context(), connect.NewRequest(&v1.OpenSampleRequest{Name: "xalan.cct.csv.zst"})); err != nil {
		t.Fatal(err)
	}
	watch, err := r.client.WatchDataSets(t.Context(), connect.NewRequest(&v1.WatchDataSetsRequest{}))
	if err != nil || !watch.Receive() {
		t.Fatal(err, watch.Err())
	}
	r.stop() // in the middle of a read and of a watch
	for watch.Receive() {
	}
	watch.Close()
	r.http.CloseIdleConnections()
	// Connections end after the server has: wait for that, but not for ever.
	var stacks string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all := make([]byte, 4<<20)
		stacks = string(all[:runtime.Stack(all, true)])
		if !strings.Contains(stacks, "server.(*DataSets)") && !strings.Contains(stacks, "server.(*workbench)") &&
			!strings.Contains(stacks, "source.(*readAhead)") && !strings.Contains(stacks, "net/http.(*conn).serve") {
			return
		}
	}
	t.Errorf("something still runs:\n%s", stacks)
}

func allSamples() (all []Sample) {
	for _, s := range samples.All {
		all = append(all, Sample{Name: s.Name, Description: s.Description, Open: s.Open})
	}
	return all
}
