package viz

import (
	"slices"
	"sync"
)

// recent keeps the last few answers to questions that are texts.
type recent[T any] struct {
	most   int // that are kept; 0 is keptAnswers
	mu     sync.Mutex
	keys   []string
	values []T
}

// keptAnswers is how many answers of a kind are kept: those to what is shown,
// and to what was shown before, for undoing.
const keptAnswers = 6

// get gives the answer to a question. Errors are not kept. Two who ask for the
// same at the same time may both work for it.
func (r *recent[T]) get(key string, work func() (T, error)) (T, error) {
	r.mu.Lock()
	if i := slices.Index(r.keys, key); i >= 0 {
		v := r.values[i]
		r.keys, r.values = append(slices.Delete(r.keys, i, i+1), key), append(slices.Delete(r.values, i, i+1), v)
		r.mu.Unlock()
		return v, nil
	}
	r.mu.Unlock()
	v, err := work()
	if err != nil {
		return v, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	most := r.most
	if most == 0 {
		most = keptAnswers
	}
	if len(r.keys) == most {
		r.keys, r.values = slices.Delete(r.keys, 0, 1), slices.Delete(r.values, 0, 1)
	}
	r.keys, r.values = append(r.keys, key), append(r.values, v)
	return v, nil
}
