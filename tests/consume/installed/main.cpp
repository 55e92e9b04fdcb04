// The smallest program that needs the library's code and not only its headers. It prints where the settings point.
#include <holdfast/settings.hpp>

#include <iostream>

int main() {
  const auto where = holdfast::settings::from_url("redis://127.0.0.1:1/");
  std::cout << where.value().display() << '\n';
}
