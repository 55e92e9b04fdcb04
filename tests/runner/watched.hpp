// Runs the tests of this program in a child process while the parent watches the machine (metronome.hpp), and again where
// their verdict is void (verdict.hpp). A process of its own, so that the tests have no threads but theirs.
#pragma once

#include <functional>

namespace holdfast::test {

// Ends as the tests ended: with their code, or by the signal that ended them. `argv` starts this program anew for another
// run, with nothing left over from the last one. Void runs are noted in the file `void_runs`, a line each.
int run_watched(char** argv, const char* void_runs, const std::function<int()>& tests);

}  // namespace holdfast::test
