package store

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/cambium-prof/cambium/data"
)

// Scratch is a place for events that memory should not hold, for as long as
// the program runs. It takes no room before it is needed.
type Scratch struct {
	mu     sync.Mutex
	dir    string
	types  int
	closed bool
}

// Events starts a type of event.
func (s *Scratch) Events(def data.Definition) (data.EventWriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	s.types++
	return newEventWriter(def, s.dir, fileName(s.types, def.Name), realCuts)
}

// Pages starts a place for rows that are no events yet.
func (s *Scratch) Pages() (data.Pages, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	return newPages(s.dir)
}

// open makes the folder if there is none.
func (s *Scratch) open() (err error) {
	switch {
	case s.closed:
		return fmt.Errorf("the program ends, so that no more events can be kept on disk")
	case s.dir != "":
		return nil
	}
	if s.dir, err = os.MkdirTemp("", "cambium-*"); err != nil {
		return fmt.Errorf("events that do not fit into memory need a folder for temporary files: %w", err)
	}
	return nil
}

// Close removes what is there.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// Memory is how many bytes of events may well be in memory: a quarter of what
// the machine has.
func Memory() int64 {
	const unknown = 4 << 30
	f, err := os.Open(filepath.FromSlash("/proc/meminfo"))
	if err != nil {
		return unknown / 4
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return kib << 10 / 4
			}
		}
	}
	return unknown / 4
}
