package server

import (
	"encoding/binary"
	"math"

	"github.com/cambium-prof/cambium/scene"
	v1 "github.com/cambium-prof/cambium/server/gen/cambium/v1"
)

func wireTubes(t *scene.Tubes) *v1.Tubes {
	if t.Len() == 0 {
		return nil
	}
	answer := &v1.Tubes{
		A: packUint32(t.A), B: packUint32(t.B), X: packFloats(t.X), Y: packFloats(t.Y), W: packFloats(t.W),
		Fill: packUint32(t.Fill), Other: packUint32(t.Other), Shine: make([]byte, t.Len()),
	}
	count := make([]uint32, t.Len())
	for i := range count {
		count[i] = t.First[i+1] - t.First[i]
		answer.Shine[i] = byte(math.Round(255 * min(max(t.Shine[i], 0), 1)))
	}
	answer.Count = packUint32(count)
	return answer
}

func packFloats(column []float32) []byte {
	out := make([]byte, 4*len(column))
	for i, v := range column {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(v))
	}
	return out
}

func packSlopes(column []scene.Slope) []byte {
	flat := make([]float32, 0, 2*len(column))
	for _, s := range column {
		flat = append(flat, float32(s.Left), float32(s.Right))
	}
	return packFloats(flat)
}
