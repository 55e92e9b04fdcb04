#include "scenes.hpp"

namespace demo {

report stage::until(int process, what kind) {
  for (;;) {
    const report heard = eight.listen();
    book.take(heard);
    out.line(heard);
    if (heard.process == process && heard.kind == kind) return heard;
  }
}

}  // namespace demo
