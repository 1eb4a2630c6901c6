// A program of which compilers write most functions out where they are called.
#include <cstdlib>
#include <cstring>

namespace work {
volatile unsigned long sink;

static inline unsigned long mix(unsigned long x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

template <class T> struct Ring {
  T cells[256];
  inline T &at(unsigned long i) { return cells[mix(i) & 255]; }
  inline void turn(unsigned long i) {
    at(i) += at(i + 1) / (1 + (at(i + 2) & 7));
    if (mix(at(i)) % 5 == 0) sink += i;
  }
};

template <class F> inline void each(int n, F f) {
  for (int i = 0; i < n; i++) f(i);
}

__attribute__((noinline)) void run(Ring<unsigned long> *r, int n) {
  each(n, [r](unsigned long i) {
    r->turn(i);
    if (i % 3 == 0) r->turn(mix(i));
  });
}

__attribute__((noinline)) void twice(Ring<unsigned long> *r, int n) {
  run(r, n);
  sink += mix(sink);
  each(2, [r, n](int i) { run(r, n + i); });
}
}  // namespace work

int main(int argc, char **argv) {
  static work::Ring<unsigned long> ring;
  std::memset(&ring, 1, sizeof ring);
  for (int i = 0; i < std::atoi(argv[1]); i++) work::twice(&ring, 100000);
  return work::sink == 0;
}
