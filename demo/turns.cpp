// Scene 1: eight processes take turns through one lock. Once slowly and printed, once as fast as they can.
#include "scenes.hpp"

namespace demo {
namespace {

void all_take_turns(stage& on, const order& how, bool print) {
  for (int process = 1; process <= crew::size; ++process) on.eight.tell(process, how);
  for (int finished = 0; finished < crew::size;) {
    const report heard = on.eight.listen();
    on.book.take(heard);
    if (print) on.out.line(heard);
    if (heard.kind == what::finished) ++finished;
  }
}

}  // namespace

void take_turns(stage& on) {
  on.out.section("Eight processes, one lock, three turns each of 12 ms");
  on.out.table_head();
  const std::size_t from = on.book.holds().size();
  all_take_turns(on, {.what = task::take_turns, .turns = 3, .hold_us = 12'000}, true);
  on.out.chart(on.book.holds(), from, on.book.holds().size());
}

sprint_range sprint(stage& on) {
  on.out.section("The same with 250 turns each and no work in between: nothing but hand-offs");
  const std::size_t from = on.book.holds().size();
  const auto begin = now_ns();
  all_take_turns(on, {.what = task::take_turns, .turns = 250}, false);
  const auto took = now_ns() - begin;
  const std::size_t to = on.book.holds().size();
  on.out.remark(std::to_string(to - from) + " turns in " + duration_text(took, false));
  return {from, to};
}

}  // namespace demo
