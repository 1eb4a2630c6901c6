package bench

import (
	"bufio"
	"fmt"
)

// writeGecko writes a profile of the Firefox Profiler with eight threads at one
// time, as Firefox does, or in its processed form, with the tables of all threads
// behind these.
func writeGecko(w *bufio.Writer, events int, processed bool) {
	const threads, stacks = 8, 300
	list := func(key string, n int, value func(i int) string) {
		fmt.Fprintf(w, "%q:[", key)
		for i := range n {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprint(w, value(i))
		}
		fmt.Fprint(w, "]")
	}
	stack := func(i int) string { return fmt.Sprint(i * 7 % stacks) }
	cost := func(i int) string { return fmt.Sprint(i * 97 % 100_000) }
	prefix := func(i int) string { // ten deep
		if i%10 == 0 {
			return "null"
		}
		return fmt.Sprint(i - 1)
	}
	name := func(i int) string { return fmt.Sprintf("\"f%d\"", i) }
	fmt.Fprint(w, `{"meta":{"preprocessedProfileVersion":57,"version":34,"startTime":1000,"interval":1,"processType":0,"stackwalk":1,
"sampleUnits":{"threadCPUDelta":"ns"},"categories":[{"name":"Other"}]},"libs":[],"threads":[`)
	for thread := range threads {
		if thread > 0 {
			fmt.Fprint(w, ",")
		}
		n := events / threads
		if thread < events%threads {
			n++
		}
		at := func(i int) string { return fmt.Sprintf("%d.%03d49", i, 100*thread) }
		fmt.Fprintf(w, `{"name":"T%d","tid":%d,"pid":1,"samples":{`, thread, thread)
		if processed {
			list("stack", n, stack)
			fmt.Fprint(w, ",")
			list("time", n, at)
			fmt.Fprint(w, ",")
			list("threadCPUDelta", n, cost)
			fmt.Fprint(w, "}}")
			continue
		}
		fmt.Fprint(w, `"schema":{"stack":0,"time":1,"eventDelay":2,"threadCPUDelta":3},`)
		list("data", n, func(i int) string { return "[" + stack(i) + "," + at(i) + ",0," + cost(i) + "]" })
		fmt.Fprint(w, `},"stackTable":{"schema":{"prefix":0,"frame":1},`)
		list("data", stacks, func(i int) string { return fmt.Sprintf("[%s,%d]", prefix(i), i%40) })
		fmt.Fprint(w, `},"frameTable":{"schema":{"location":0,"category":1},`)
		list("data", 40, func(i int) string { return fmt.Sprintf("[%d,0]", i) })
		fmt.Fprint(w, `},`)
		list("stringTable", 40, name)
		fmt.Fprint(w, `}`)
	}
	fmt.Fprint(w, "]")
	if processed {
		number := func(i int) string { return fmt.Sprint(i) }
		fmt.Fprint(w, `,"shared":{"stackTable":{`)
		list("prefix", stacks, prefix)
		fmt.Fprint(w, ",")
		list("frame", stacks, func(i int) string { return fmt.Sprint(i % 40) })
		fmt.Fprint(w, `},"frameTable":{`)
		list("func", 40, number)
		fmt.Fprint(w, ",")
		list("category", 40, func(int) string { return "0" })
		fmt.Fprint(w, `},"funcTable":{`)
		list("name", 40, number)
		fmt.Fprint(w, `},"resourceTable":{"length":0},`)
		list("stringArray", 40, name)
		fmt.Fprint(w, "}")
	}
	fmt.Fprint(w, "}")
}

// writeMarkers writes markers of the Firefox Profiler, half of them told as two
// halves.
func writeMarkers(w *bufio.Writer, events int) {
	fmt.Fprint(w, `{"meta":{"preprocessedProfileVersion":57,"startTime":0,"categories":[{"name":"Other"}]},"libs":[],"threads":[{"name":"T","markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[`)
	for i := range events {
		if i > 0 {
			fmt.Fprint(w, ",\n")
		}
		if i%2 == 0 {
			fmt.Fprintf(w, `[0,%d.5,%d.75,1,0,{"type":"Text","name":"m%d"}]`, i, i, i%31)
		} else {
			fmt.Fprintf(w, `[1,%d.5,null,2,0],[1,null,%d.75,3,0]`, i, i)
		}
	}
	fmt.Fprint(w, `]},"stackTable":{},"frameTable":{"location":[]},"stringTable":["UserTiming","Task"]}]}`)
}
