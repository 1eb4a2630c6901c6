package otlp

import (
	"cmp"
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cambium-prof/cambium/source"
	"github.com/cambium-prof/cambium/source/jsonstream"
)

// Value is the value of an attribute: a text or an integer. Other values are
// texts, and of lists, maps and bytes there is nothing.
type Value struct {
	Text     string
	Number   int64
	IsNumber bool
	// Index is that of a text among the strings of profiles, if it is not 0.
	Index int64
}

// String gives the value as a text.
func (v Value) String() string {
	if v.IsNumber {
		return strconv.FormatInt(v.Number, 10)
	}
	return v.Text
}

// Resource is what spans and profiles come from.
type Resource struct {
	Service  string // service.name, or what stands for it
	Instance string // what tells those of one service apart
}

// serviceKeys are attributes that name a resource, the best first, and
// instanceKeys those that tell resources of one name apart.
var (
	serviceKeys  = []string{"service.name", "process.executable.name", "container.name", "k8s.pod.name", "host.name"}
	instanceKeys = []string{"service.instance.id", "k8s.pod.name", "container.id", "process.pid", "host.name"}
)

// Attribute is a key with its value. Of profiles, the key may be an index too.
type Attribute struct {
	Key      string
	KeyIndex int64
	Value    Value
}

// NewResource makes a resource of its attributes. dictionary has the strings of
// profiles, and is nil for spans.
func NewResource(attributes []Attribute, dictionary []string) Resource {
	text := func(index int64) string {
		if index > 0 && index < int64(len(dictionary)) {
			return dictionary[index]
		}
		return ""
	}
	values := map[string]string{}
	for _, a := range attributes {
		values[cmp.Or(a.Key, text(a.KeyIndex))] = cmp.Or(a.Value.String(), text(a.Value.Index))
	}
	first := func(keys []string) string {
		for _, key := range keys {
			if v := values[key]; v != "" {
				return v
			}
		}
		return ""
	}
	r := Resource{Service: first(serviceKeys), Instance: first(instanceKeys)}
	if space := values["service.namespace"]; space != "" && r.Service != "" {
		r.Service = space + "/" + r.Service
	}
	return r
}

// Title is the name of a resource for people.
func (r Resource) Title() string {
	if r.Service == "" {
		return "unknown service"
	}
	return r.Service
}

// Attributes reads the attributes of a message: repeated fields, of which num is
// the number, of keys and values.
func Attributes(message []byte, num protowire.Number) (all []Attribute) {
	Fields(message, func(n protowire.Number, typ protowire.Type, _ uint64, body []byte) {
		if n != num || typ != protowire.BytesType {
			return
		}
		var a Attribute
		Fields(body, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
			switch {
			case num == 1 && typ == protowire.BytesType:
				a.Key = text(body)
			case num == 2 && typ == protowire.BytesType:
				a.Value = AnyValue(body)
			case num == 3 && typ == protowire.VarintType:
				a.KeyIndex = int64(n)
			}
		})
		all = append(all, a)
	})
	return all
}

// AnyValue reads the message of that name.
func AnyValue(message []byte) (v Value) {
	Fields(message, func(num protowire.Number, typ protowire.Type, n uint64, body []byte) {
		switch {
		case num == 1 && typ == protowire.BytesType:
			v = Value{Text: text(body)}
		case num == 2 && typ == protowire.VarintType:
			v = Value{Text: strconv.FormatBool(n != 0)}
		case num == 3 && typ == protowire.VarintType:
			v = Value{Number: int64(n), IsNumber: true}
		case num == 4 && typ == protowire.Fixed64Type:
			v = Value{Text: strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64)}
		case num == 8 && typ == protowire.VarintType:
			v = Value{Index: int64(n)}
		}
	})
	return v
}

func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// JSONAttributes reads a list of keys and values as JSON.
func JSONAttributes(r *jsonstream.Reader) (all []Attribute, err error) {
	err = r.Array(func() error {
		var a Attribute
		err := r.Object(func(name string) (err error) {
			switch name {
			case "key":
				a.Key, err = r.Text()
				return err
			case "keyStrindex", "key_strindex":
				a.KeyIndex, err = JSONNumber(r)
				return err
			case "value":
				a.Value, err = JSONAnyValue(r)
				return err
			}
			return r.Skip()
		})
		all = append(all, a)
		return err
	})
	return all, err
}

// JSONAnyValue reads an AnyValue as JSON.
func JSONAnyValue(r *jsonstream.Reader) (v Value, err error) {
	err = r.Object(func(name string) error {
		switch name {
		case "stringValue", "string_value":
			v.Text, err = r.Text()
			return err
		case "intValue", "int_value":
			v.IsNumber = true
			v.Number, err = JSONNumber(r)
			return err
		case "stringValueStrindex", "string_value_strindex":
			v.Index, err = JSONNumber(r)
			return err
		case "boolValue", "bool_value", "doubleValue", "double_value":
			raw, err := r.Raw()
			v.Text = strings.Trim(string(raw), `"`)
			return err
		}
		return r.Skip()
	})
	return v, err
}

// JSONNumber reads an integer, which may be in quotes. What is none is 0.
func JSONNumber(r *jsonstream.Reader) (int64, error) {
	raw, err := r.Raw()
	if err != nil {
		return 0, err
	}
	n, _ := Integer(raw)
	return n, nil
}

// Integer reads an integer from the text of a JSON value, which may be in quotes.
// Of one without a sign, the 64 bits are given.
func Integer(raw []byte) (n int64, ok bool) {
	if len(raw) > 1 && raw[0] == '"' {
		raw = raw[1 : len(raw)-1]
	}
	if n, rest, ok := source.Number(raw); ok && len(rest) == 0 {
		return n, true
	}
	u, err := strconv.ParseUint(string(raw), 10, 64)
	if err == nil {
		return int64(u), true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != f || math.Abs(f) >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

// ID reads an identifier from the text of a JSON value with its quotes:
// hexadecimal, as OTLP has it, or base64, as the JSON of protocol buffers is
// elsewhere. It is false if it is neither.
func ID(into, raw []byte) bool {
	if len(raw) < 2 {
		return false
	}
	raw = raw[1 : len(raw)-1]
	if len(raw) == 2*len(into) {
		for i := range into {
			high, low := hexDigit(raw[2*i]), hexDigit(raw[2*i+1])
			if high > 15 || low > 15 {
				return false
			}
			into[i] = high<<4 | low
		}
		return true
	}
	b, err := base64.StdEncoding.DecodeString(string(raw))
	if err != nil || len(b) != len(into) {
		return false
	}
	copy(into, b)
	return true
}

func hexDigit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}
