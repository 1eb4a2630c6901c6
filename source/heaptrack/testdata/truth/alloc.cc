// A program whose allocations are worth a recording: it grows, shrinks, grows
// more, keeps a little, and makes temporary strings.
#include <map>
#include <string>
#include <vector>

namespace work {
struct Node { std::string name; std::vector<int> values; };
__attribute__((noinline)) void fill(std::map<int, Node> &m, int n) {
  for (int i = 0; i < n; i++) {
    Node &node = m[i];
    node.name = "a name that is too long for the string itself " + std::to_string(i);
    node.values.resize(i % 50);
  }
}
__attribute__((noinline)) void thin(std::map<int, Node> &m) {
  for (int i = 0; i < 1000000 && !m.empty(); i += 2) m.erase(i);
}
__attribute__((noinline)) char *leak(int n) { return new char[n]; }
}  // namespace work

int main() {
  std::map<int, work::Node> m;
  char *kept = nullptr;
  for (int round = 1; round <= 3; round++) {
    work::fill(m, 200 * round);
    kept = work::leak(1000 * round);
    if (round < 3) work::thin(m);
  }
  m.clear();
  return kept == nullptr;
}
