package perfdata

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-prof/cambium/data"
	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/sourcetest"
)

// field gives what a field of an event says, as a text.
func field(set *data.Set, e *data.EventTable, name string, row int) string {
	c, ok := e.Column(name)
	switch f := e.Field(name); {
	case !ok:
		return "no such field"
	case c.Refs == nil:
		return fmt.Sprint(c.Values[row])
	case c.Refs[row] == data.None:
		return ""
	default:
		return set.Entity(e.Fields[f].Refers).NameOf(c.Refs[row])
	}
}

// TestTracepoints compares each field of each event with what perf script hands
// to a script in Python.
func TestTracepoints(t *testing.T) {
	for name, warning := range map[string]string{"tracepoints": "were left out: sys_enter.args", "tracepoints-pipe": ""} {
		t.Run(name, func(t *testing.T) {
			set := sourcetest.Read(t, file(t, name+".perf.data.gz"))
			if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, warning) || warning == "" && strings.Contains(all, "tracepoint") {
				t.Errorf("warnings are %q", set.Warnings)
			}
			rows, compared := map[string]int{}, 0
			for line := range strings.Lines(string(file(t, "truth/"+name+".fields.json.gz"))) {
				var want map[string]any
				d := json.NewDecoder(strings.NewReader(line))
				d.UseNumber()
				if err := d.Decode(&want); err != nil {
					t.Fatal(err)
				}
				kind := strings.Replace(want["event"].(string), "__", ":", 1)
				e := set.Event(kind)
				if e == nil {
					t.Fatalf("there is no event type %s", kind)
				}
				row := rows[kind]
				rows[kind]++
				for name, v := range want {
					n, isNumber := v.(json.Number)
					got := field(set, e, name, row)
					switch {
					case name == "event" || v == nil || kind == "raw_syscalls:sys_enter" && name == "args":
						continue
					case isNumber: // of which Python is not told the sign
						var w uint64
						if _, err := fmt.Sscan(n.String(), &w); err != nil {
							var s int64
							fmt.Sscan(n.String(), &s)
							w = uint64(s)
						}
						if got != fmt.Sprint(int64(w)) && got != fmt.Sprint(int32(w)) {
							t.Fatalf("%s %d: %s is %s, perf has %s", kind, row, name, got, n)
						}
					case got != v:
						t.Fatalf("%s %d: %s is %q, perf has %q", kind, row, name, got, v)
					}
					compared++
				}
			}
			for kind, n := range rows {
				if got := set.Event(kind).Rows(); got != n {
					t.Errorf("%d events %s, perf has %d", got, kind, n)
				}
			}
			if compared < 10 || name == "tracepoints" && compared < 1900 {
				t.Errorf("%d fields were compared", compared)
			}
		})
	}
}

// formats that kernels of several ages wrote.
const (
	oldFormat = `name: old
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;
	field:int common_pid;	offset:4;	size:4;

	field:char comm[6];	offset:8;	size:6;
	field:u8 mac[2];	offset:14;	size:2;
	field:short change;	offset:16;	size:2;	signed:1;
	field:unsigned char small;	offset:18;	size:1;	signed:0;
	field:signed char few;	offset:19;	size:1;	signed:1;
	field:unsigned int nr_pages;	offset:20;	size:4;	signed:0;
	field:const void *where;	offset:24;	size:8;	signed:0;
	field:__data_loc char[] absolute;	offset:32;	size:4;	signed:0;
	field:__rel_loc char[] relative;	offset:36;	size:4;	signed:0;
	field:__data_loc unsigned long[] mask;	offset:40;	size:4;	signed:0;
	field:struct timespec64 t;	offset:44;	size:16;	signed:0;
	field:pid_t pid;	offset:60;	size:4;	signed:1;
	field:pid_t pid;	offset:64;	size:4;	signed:1;

print fmt: "field:int none;	offset:0;	size:4;"
`
	emptyFormat = "name: empty\nID: 8\nformat:\n\tfield:unsigned short common_type;	offset:0;	size:2;	signed:0;\n"
)

// traced makes a recording of a tracepoint in pipe mode, with a sample of each raw
// data.
func (w *writer) traced(config uint64, formats []string, samples ...[]byte) []byte {
	const tracepoint, size, has = 2, 64, hasTID | hasTime | hasRaw
	flags := uint64(0)
	if w.byteOrder == binary.BigEndian {
		flags = bits.Reverse64(flags)
	}
	a := w.AppendUint32(w.AppendUint32(nil, tracepoint), size)
	a = w.words(a, config, 1, has, 0, flags)
	a = append(a, make([]byte, size-len(a))...)
	text := []byte("\x17\x08Dtracing0.6\x00")
	text = w.AppendUint32(append(text, 0, 8), 4096)
	text = append(w.words(append(text, "header_page\x00"...), 3), "abc"...)
	text = append(w.words(append(text, "header_event\x00"...), 2), "de"...)
	text = append(w.words(w.AppendUint32(text, 1), 4), "name"...)
	text = w.AppendUint32(append(w.AppendUint32(text, 1), "made\x00"...), uint32(len(formats)))
	for _, f := range formats {
		text = append(w.words(text, uint64(len(f))), f...)
	}
	text = append(text, make([]byte, 16)...)
	raw := append(w.words(w.magic(), pipeHeader), w.record(recordAttr, 0, a)...)
	raw = append(raw, w.record(recordTracingData, 0, w.AppendUint32(nil, uint32(len(text))))...)
	raw = append(raw, text...)
	raw = append(raw, make([]byte, (8-len(text)%8)%8)...)
	for i, s := range samples {
		body := w.words(w.pair(nil, 1, int32(i+1)), uint64(100-i))
		body = append(w.AppendUint32(body, uint32(len(s))), s...)
		body = append(body, make([]byte, (8-len(body)%8)%8)...)
		raw = append(raw, w.record(recordSample, 0, body)...)
	}
	return raw
}

// TestTraceFormats: all kinds of fields, of old and new kernels, in both byte orders.
func TestTraceFormats(t *testing.T) {
	for name, order := range map[string]byteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		w := &writer{byteOrder: order}
		s := append(make([]byte, 8), "a\x00bcde\x01\x02"...)
		s = append(order.AppendUint16(s, 0xfffe), 200, 0xff)
		s = order.AppendUint64(order.AppendUint32(s, 5), 1<<63+1)
		s = order.AppendUint32(s, 6<<16|70)                                     // "first"
		s = order.AppendUint32(s, 7<<16|(76-40))                                // "second"
		s = append(order.AppendUint32(s, 0), make([]byte, 16)...)               // what is left out
		s = append(order.AppendUint32(order.AppendUint32(s, 1<<32-1), 4), 0, 0) // pid, again
		s = append(s, "first\x00second\x00"...)
		set := sourcetest.Read(t, w.traced(7, []string{emptyFormat, oldFormat}, s, s[:20], append(slices.Clone(s), make([]byte, 600)...)))
		sourcetest.Integrity(t, set)
		e := set.Event("made:old")
		if e == nil {
			t.Fatalf("%s: events are %v", name, set.Events())
		}
		// The second sample ends early, and is later than the third.
		for row, want := range []string{
			"98 thread 3 a -2 200 -1 5 -9223372036854775807 first second -1 4",
			"99 thread 2 a -2 200 -1 0 0   0 0",
			"100 thread 1 a -2 200 -1 5 -9223372036854775807 first second -1 4",
		} {
			var got []string
			for _, f := range []string{"Time", "Thread", "comm", "change", "small", "few", "nr_pages", "where", "absolute", "relative", "pid", "pid (2)"} {
				v := field(set, e, f, row)
				if f == "Thread" {
					v = "thread " + v
				}
				got = append(got, v)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %d: %q, want %q", name, row, strings.Join(got, " "), want)
			}
		}
		if f := e.Fields[e.Field("nr_pages")]; !f.Has(data.Amount) {
			t.Errorf("%v is no amount", f)
		}
		if f := e.Fields[e.Field("where")]; f.Has(data.Amount) || !f.Has(data.Coordinate) {
			t.Errorf("%v is no coordinate", f)
		}
		all := strings.Join(set.Warnings, "\n")
		if !strings.Contains(all, "left out: old.mac, old.mask, old.t") || !strings.Contains(all, "of 1 samples is longer") {
			t.Errorf("%s: warnings are %q", name, set.Warnings)
		}
		if n := set.Event(source.TypeSample).Rows(); n != 3 {
			t.Errorf("%s: %d samples", name, n)
		}
		sourcetest.Hostile(t, w.traced(7, []string{oldFormat}, s, s))
	}
}

// TestNoFormat: without a description there are the samples alone.
func TestNoFormat(t *testing.T) {
	w := &writer{byteOrder: binary.LittleEndian}
	set := sourcetest.Read(t, w.traced(9, []string{oldFormat}, make([]byte, 16)))
	if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, "1 samples are of tracepoints that the recording does not describe") || len(set.Events()) != 1 {
		t.Errorf("events are %v, warnings %q", set.Events(), set.Warnings)
	}
	cut := w.traced(7, []string{oldFormat}, make([]byte, 70))
	at := strings.Index(string(cut), "header_event")
	cut[at]++
	if set = sourcetest.Read(t, cut); !strings.Contains(strings.Join(set.Warnings, "\n"), "descriptions of tracepoints could not be read") {
		t.Errorf("warnings are %q", set.Warnings)
	}
}
