// A program whose functions are worth a recording: two processes that compute
// and call the kernel.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace work {
volatile unsigned long sink;

struct Machine {
  __attribute__((noinline)) void compute(int n) {
    for (int i = 0; i < n; i++) sink += i * 31;
  }
  template <class T> __attribute__((noinline)) void copy(T n) {
    static char buffer[4096];
    int f = open("/dev/zero", O_RDONLY);
    for (T i = 0; i < n; i++) sink += read(f, buffer, sizeof buffer);
    close(f);
  }
};

__attribute__((noinline)) void round(Machine *m, int n) {
  m->compute(n * 1000);
  sink++;
  m->copy<long>(n);
  sink++;
}
}  // namespace work

int main(int argc, char **argv) {
  pid_t child = fork();
  work::Machine m;
  for (int i = 0; i < atoi(argv[1]); i++) work::round(&m, child ? 2000 : 1000);
  if (child) wait(nullptr);
  return 0;
}
