// Boost.JSON's code, once: the tests use its headers and link no library. See json.hpp.
#include <boost/json/src.hpp>
