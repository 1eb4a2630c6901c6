// Functions with arguments of all kinds, in two threads.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct pair { int a, b; };
volatile long sink;
#define CALLED __attribute__((noinline, noclone))
CALLED int add(int a, long b, const char *name) { sink++; return a + (int)b + (int)strlen(name); }
CALLED double half(double x, float f) { sink++; return x / 2 + f; }
CALLED const char *text(const char *s, char c) { sink++; return s + (c == 'x'); }
CALLED struct pair two(struct pair p) { sink++; p.a += p.b; return p; }
CALLED long like_records(long time, long word) { sink++; return time + word; }
CALLED void nap(unsigned us) { usleep(us); }
long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
void *work(void *p) {
  for (int i = 0; i < 4; i++) {
    sink += like_records(now(), 0x55550000002d) & 1;
    sink += add(i, 42, "worker");
    nap(100);
  }
  return p;
}
int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  for (int i = 0; i < 6; i++) {
    sink += add(i, 1L << 40, i % 2 ? "" : "some longer text than eight bytes");
    sink += (long)half(i * 1.5, 2.25f);
    sink += *text(argv[0], 'x');
    struct pair p = {i, 2};
    sink += two(p).a;
    sink += like_records(0, 0x2a);
    sink += like_records(now() + 1000, 0x55550000002c);
    nap(200);
  }
  pthread_join(t, 0);
  return 0;
}
