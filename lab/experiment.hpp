// An experiment: what it is called, what it shows, and its steps. Each is defined in experiments/, in the file of its
// name, and listed in laboratory.cpp.
#pragma once

#include <functional>
#include <string>

#include "trial.hpp"

namespace lab {

struct experiment {
  std::string name;
  std::string title;
  std::string lesson;
  std::function<void(trial&)> steps;
};

}  // namespace lab
