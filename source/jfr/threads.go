package jfr

import (
	"fmt"
	"strings"

	"github.com/cambium-prof/cambium/data"
)

// threads interns the threads of all chunks.
type threads struct {
	all  []thread
	byID map[thread]data.EntityID
}

// thread is a thread of Java, or of the system if it has no number of Java's.
type thread struct {
	name         string
	java, system int64 // numbers
}

// thread reads a thread.
func (k *chunk) thread(c *cursor, class *class) data.EntityID {
	var t thread
	var osName string
	number := func(f *field) bool { return f.class.primitive == isLong && !f.array && !f.constant }
	k.each(c, class, func(f *field) bool {
		switch {
		case f.name == "javaName":
			t.name = k.textOf(c, f)
		case f.name == "osName":
			osName = k.textOf(c, f)
		case f.name == "javaThreadId" && number(f):
			t.java = c.long()
		case f.name == "osThreadId" && number(f):
			t.system = c.long()
		default:
			return false
		}
		return true
	})
	if t.name == "" {
		t.name = osName
	}
	if t == (thread{}) {
		return data.None
	}
	return k.r.threads.intern(t)
}

func (t *threads) intern(one thread) data.EntityID {
	if id, ok := t.byID[one]; ok {
		return id
	}
	if t.byID == nil {
		t.byID = map[thread]data.EntityID{}
	}
	id := data.EntityID(len(t.all))
	t.all = append(t.all, one)
	t.byID[one] = id
	return id
}

// finish gives the threads' names. Those of one name have their number behind
// it, and threads without a name, as virtual ones often are, only that.
func (t *threads) finish() []string {
	count := map[string]int{}
	for _, one := range t.all {
		count[one.name]++
	}
	names := make([]string, len(t.all))
	for i, one := range t.all {
		number := one.java
		if number <= 0 {
			number = one.system
		}
		switch {
		case one.name == "":
			names[i] = fmt.Sprintf("thread %d", number)
		case count[one.name] > 1:
			names[i] = fmt.Sprintf("%s (%d)", one.name, number)
		default:
			names[i] = one.name
		}
		names[i] = strings.ToValidUTF8(names[i], "\uFFFD")
	}
	return names
}
