package cmd

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
	"github.com/cambium-prof/cambium/server/gen/cambium/v1/cambiumv1connect"
)

// opened is a running `cambium open`.
type opened struct {
	t       *testing.T
	address string // as it was printed
	client  cambiumv1connect.WorkbenchClient
}

// opens runs the command until the test ends, and checks that it ends well.
func opens(t *testing.T, stdin io.Reader, args ...string) *opened {
	t.Helper()
	if stdin != nil {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.Copy(w, stdin)
			w.Close()
		}()
		kept := os.Stdin
		os.Stdin = r
		t.Cleanup(func() { os.Stdin = kept })
	}
	ctx, cancel := context.WithCancel(context.Background())
	root := newRoot()
	out, in := io.Pipe()
	root.SetOut(in)
	root.SetArgs(withOpen(root, append(args, "--no-browser")))
	ended := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		in.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("it ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("it does not end")
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "cambium: ")
	if err != nil || !ok {
		t.Fatalf("it printed %q (%v)", line, err)
	}
	return &opened{t: t, address: address, client: cambiumv1connect.NewWorkbenchClient(http.DefaultClient, strings.TrimSuffix(address, "/"))}
}

// sets waits until n data sets are read or have failed.
func (o *opened) sets(n int) []*v1.DataSet {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), 20*time.Second)
	defer cancel()
	stream, err := o.client.WatchDataSets(ctx, connect.NewRequest(&v1.WatchDataSetsRequest{}))
	if err != nil {
		o.t.Fatal(err)
	}
	defer stream.Close()
	for stream.Receive() {
		ready := 0
		all := stream.Msg().DataSets
		for _, d := range all {
			if d.State == v1.DataSet_STATE_READY || d.State == v1.DataSet_STATE_FAILED {
				ready++
			}
		}
		if ready == n && len(all) == n {
			return all
		}
	}
	o.t.Fatalf("there were never %d data sets: %v", n, stream.Err())
	return nil
}

// total is that of the first metric of a data set that was read.
func total(t *testing.T, d *v1.DataSet) int64 {
	t.Helper()
	if d.State != v1.DataSet_STATE_READY || len(d.Metrics) == 0 {
		t.Fatalf("%v", d)
	}
	return d.Metrics[0].Total
}

const small = "main;f 3\nmain;g 4\n"

func TestOpenFiles(t *testing.T) {
	o := opens(t, nil, sqlite, write(t, "small.folded", small))
	u, err := url.Parse(o.address)
	if err != nil || u.Hostname() != "127.0.0.1" || len(strings.Trim(u.Path, "/")) < 20 {
		t.Errorf("the address is %s", o.address)
	}
	sets := o.sets(2)
	if total(t, sets[0]) != 5994 || total(t, sets[1]) != 7 {
		t.Errorf("%v", sets)
	}
	answer, err := http.Get(o.address)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("the page is answered with %s", answer.Status)
	}
}

func TestOpenMerged(t *testing.T) {
	sets := opens(t, nil, "--merge", write(t, "a.folded", small), write(t, "b.folded", "main;g 5\nmain;h 1\n")).sets(1)
	if d := sets[0]; total(t, d) != 13 || d.Contexts != 4 || d.Methods != 4 {
		t.Errorf("merged it is %v", d)
	}
	// One file that cannot be read keeps the whole from being shown.
	sets = opens(t, nil, "--merge", sqlite, write(t, "b", "prose\n")).sets(1)
	if d := sets[0]; d.State != v1.DataSet_STATE_FAILED || !strings.Contains(d.Error, "in no format that is known") {
		t.Errorf("it is %v", d)
	}
}

func TestOpenStandardInput(t *testing.T) {
	sets := opens(t, strings.NewReader(small), "-").sets(1)
	if d := sets[0]; total(t, d) != 7 || d.Name != "standard input" && d.Path != "-" {
		t.Errorf("it is %v", d)
	}
}

func TestOpenProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs here are written for sh")
	}
	reader := write(t, "reader.sh", `cat <<'END'
{"data_set":{"name":"made up","format":"by a script"}}
{"entity_type":"Method"}
{"entity_type":"Context","fields":[{"name":"Caller","refers":"Context","properties":["hierarchy"]},{"name":"Method","refers":"Method"}]}
{"event_type":"Sample","fields":[{"name":"Context","refers":"Context"},{"name":"n","properties":["amount"]}]}
{"entity":"Method","rows":[["m","main"],["f","fib"]]}
{"entity":"Context","rows":[[1,"",null,"m"],[2,"",1,"f"]]}
{"event":"Sample","rows":[[1,5],[2,10]]}
END
`)
	marker := filepath.Join(t.TempDir(), "marker")
	sets := opens(t, nil, "--exec", "sh '"+reader+"'", "--exec", "echo 'a;b 1'; exit 3", "--exec", "true", "--exec", "exit 4",
		"--exec", "yes 'a;b 1' | head -2; touch '"+marker+"'").sets(5)
	if d := sets[0]; total(t, d) != 15 || d.Contexts != 2 || d.Format != "by a script" {
		t.Errorf("it is %v", d)
	}
	if d := sets[1]; d.State != v1.DataSet_STATE_FAILED || !strings.Contains(d.Error, "exit status 3") {
		t.Errorf("a program that fails after its output gives %v", d)
	}
	if d := sets[2]; d.State != v1.DataSet_STATE_FAILED || !strings.Contains(d.Error, "empty") {
		t.Errorf("a program without output gives %v", d)
	}
	if d := sets[3]; d.State != v1.DataSet_STATE_FAILED || !strings.Contains(d.Error, "exit status 4") {
		t.Errorf("a program that fails at once gives %v", d)
	}
	if d := sets[4]; total(t, d) != 2 {
		t.Errorf("two programs in a pipe give %v", d)
	}
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the program was not run to its end: %v", err)
	}
}

// Listening to the network has to be asked for, and is guarded all the same.
func TestOpenToTheNetwork(t *testing.T) {
	o := opens(t, nil, "--host", "0.0.0.0", sqlite)
	u, err := url.Parse(o.address)
	if err != nil {
		t.Fatal(err)
	}
	get := func(host, path, origin string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+u.Port()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host + ":" + u.Port()
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		host, path, origin string
		status             int
	}{
		{"127.0.0.1", u.Path, "", 200}, {"192.0.2.7", u.Path, "", 200}, {"192.0.2.7", u.Path, "http://192.0.2.7:" + u.Port(), 200},
		{"192.0.2.7", "/", "", 403}, {"192.0.2.7", "/guess/", "", 403}, {"evil.example", u.Path, "", 403}, {"192.0.2.7", u.Path, "http://evil.example", 403},
	} {
		if got := get(c.host, c.path, c.origin); got != c.status {
			t.Errorf("%s%s from %q: %d, not %d", c.host, c.path, c.origin, got, c.status)
		}
	}
	if status, _, stderr := cambium(t, "", "open", "--no-browser", "--host", "no.such.host.invalid"); status != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script := good(t, "completion", shell); !strings.Contains(script, "cambium") || strings.Count(script, "\n") < 50 {
			t.Errorf("for %s: %.100s", shell, script)
		}
	}
	status, commands, _ := cambium(t, "", "__complete", "")
	for _, name := range []string{"open", "info", "top", "tree", "layout", "render", "convert"} {
		if status != 0 || !strings.Contains("\n"+commands, "\n"+name+"\t") {
			t.Errorf("%s is not offered by\n%s", name, commands)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"layout", "f", "--siz"}, "--sizing"}, {[]string{"layout", "f", "--sizing", ""}, "area"}, {[]string{"layout", "f", "--view", ""}, "ring"},
		{[]string{"top", "f", "--by", ""}, "total"}, {[]string{"--sam"}, "--sample"}, {[]string{"cpu.pb.gz", "--mer"}, "--merge"},
		{[]string{"cpu"}, ":0"}, {[]string{"cpu.pb.gz", "he"}, ":0"}, {[]string{"info", "he"}, ":0"}, // any file
	} {
		if _, offered, _ := cambium(t, "", append([]string{"__complete"}, c.args...)...); !strings.Contains(offered, c.want) {
			t.Errorf("%q offers %s", c.args, offered)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, name := range []string{"open", "info", "top", "tree", "layout", "render", "convert"} {
		if help := good(t, name, "--help"); !strings.Contains(help, "Examples:\n  cambium ") {
			t.Errorf("%s --help has no example:\n%s", name, help)
		}
	}
	if help := good(t, "--help"); !strings.Contains(help, "Examples:\n  cambium ") {
		t.Errorf("--help has no example:\n%s", help)
	}
}
