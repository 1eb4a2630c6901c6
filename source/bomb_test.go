package source_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// A decompression bomb is refused by each reader, even though its start could
// be read: half a bomb is no profile.
func TestBombIsRefused(t *testing.T) {
	for format, c := range map[string]struct{ start, more string }{
		"folded": {"main;f 1\n", "main;f 1\n"},
		"hprof":  {"JAVA PROFILE 1.0.1\n\nTRACE 1:\n", "\tm.a(X.java:1)\n"},
		"cctcsv": {"#methods\nid,class,name,descriptor\n0,a.B,c,()V\n#nodes\ndepth,method,n\n0,0,1\n", "1,0,1\n"},
		"ndjson": {`{"event_type":"A","fields":[{"name":"n"}]}` + "\n", `{"event":"A","rows":[[1],[2]]}` + "\n"},
		"pprof":  {"\x0a\x04\x08\x01\x10\x02", "\x12\x07\x0a\x02\x01\x02\x12\x01\x05"},
	} {
		content := sourcetest.Gzip([]byte(c.start + strings.Repeat(c.more, (2<<20)/len(c.more))))
		for free, refused := range map[int64]bool{1 << 20: true, 8 << 20: false} {
			in, err := source.NewInputWithin(context.Background(), bytes.NewReader(content), 50, free)
			if err != nil {
				t.Fatal(err)
			}
			set, err := source.Read(context.Background(), in)
			in.Close()
			switch {
			case !refused && err != nil:
				t.Errorf("%s: %v", format, err)
			case !refused && set.Format != format:
				t.Errorf("%s is read as %s", format, set.Format)
			case refused && (err == nil || !strings.Contains(err.Error(), "decompression bomb") || !strings.Contains(err.Error(), format)):
				t.Errorf("%s: %v", format, err)
			}
		}
	}
}
