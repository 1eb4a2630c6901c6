package match

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/cambium-prof/cambium/trace"
)

// Version changes when the same traces get other answers than before. It is
// for those who keep answers.
const Version = 1

// Fingerprint tells apart traces for which answers may differ: it is a hash of
// the calls, their times and the names of their methods.
func Fingerprint(t *trace.Trace) [sha256.Size]byte {
	h := sha256.New()
	buffer := make([]byte, 0, 1<<16)
	put := func(x uint64) {
		if buffer = binary.LittleEndian.AppendUint64(buffer, x); len(buffer) > cap(buffer)-8 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	put(uint64(t.Len()))
	put(uint64(len(t.Threads)))
	for _, th := range t.Threads {
		put(uint64(th.End))
	}
	for c := range t.Parent {
		put(uint64(t.Parent[c])<<32 | uint64(t.Method[c]))
		put(uint64(t.Start[c]))
		put(uint64(t.Stop[c]))
	}
	h.Write(buffer)
	for row := range t.Methods.Rows() {
		name := t.Methods.Names[row]
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(name)))
		h.Write(length[:])
		h.Write([]byte(name))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
