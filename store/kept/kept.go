// Package kept keeps results in the user's cache folder, so that what took long
// is found again the next time.
//
// A result is bytes under a key that names everything it depends on: hashes of
// what was computed from, the parameters, and the version of the computation.
// So there is no result that is out of date, only such that nobody asks for any
// more; those that were not asked for longest go when the folder is full.
//
// What does not belong: anything that cannot be computed again. A cache that
// cannot be read or written is an empty one, and no error.
package kept

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder is where results are kept. The zero value keeps nothing.
type Folder struct {
	path  string
	limit int64 // bytes in all
}

// Limit is how much the user's folder holds.
const Limit = 256 << 20

const ending = ".result"

// Open gives the folder of that name in the user's cache folder.
func Open(name string) Folder {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Folder{}
	}
	return Folder{filepath.Join(cache, "cambium", name), Limit}
}

// file is where the result of a key is.
func (f Folder) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.path, hex.EncodeToString(sum[:])+ending)
}

// Get finds a result. One that was damaged is not found.
func (f Folder) Get(key string) (result []byte, ok bool) {
	if f.path == "" {
		return nil, false
	}
	name := f.file(key)
	text, err := os.ReadFile(name)
	if err != nil || len(text) < sha256.Size {
		return nil, false
	}
	sum, result := text[:sha256.Size], text[sha256.Size:]
	if want := sha256.Sum256(result); !bytes.Equal(sum, want[:]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // it is in use
	return result, true
}

// Put keeps a result, unless it cannot, or it is so large that it would push
// out most others.
func (f Folder) Put(key string, result []byte) {
	if f.path == "" || int64(len(result)) > f.limit/4 || os.MkdirAll(f.path, 0o700) != nil {
		return
	}
	// Others may read and write the folder at the same time: a file gets its
	// name only when it is complete.
	tmp, err := os.CreateTemp(f.path, "*.tmp")
	if err != nil {
		return
	}
	sum := sha256.Sum256(result)
	_, err = tmp.Write(sum[:])
	if err == nil {
		_, err = tmp.Write(result)
	}
	err = cmp.Or(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), f.file(key))
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	f.shrink()
}

// shrink removes what was not asked for longest, and what a program that was
// killed left behind.
func (f Folder) shrink() {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasSuffix(e.Name(), ending):
			files = append(files, info)
			total += info.Size()
		case strings.HasSuffix(e.Name(), ".tmp") && time.Since(info.ModTime()) > time.Hour:
			os.Remove(filepath.Join(f.path, e.Name()))
		}
	}
	slices.SortFunc(files, func(x, y fs.FileInfo) int { return x.ModTime().Compare(y.ModTime()) })
	for _, info := range files {
		if total <= f.limit {
			return
		}
		if os.Remove(filepath.Join(f.path, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
