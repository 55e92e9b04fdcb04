// One RESP value: what a server's reply, or a part of it, is after parsing.
//
// Made by `reader`, read by everything above src/resp. RESP2 and RESP3 meet here, so that callers need not know which
// of the two a server speaks:
//
//   on the wire                    kind      where
//   $-1  *-1  _                    null
//   :                              integer   integer
//   ,                              real      real
//   #t #f                          boolean   integer (1 or 0)
//   +                              simple    text
//   $  (big number)  = verbatim    bulk      text (verbatim: without its three-letter format and colon)
//   -  !                           error     text (with its leading word: "ERR ...")
//   *  ~  >                        array, set, push    items
//   %                              map       items, flat: key, value, key, value
//   |                              (attributes are read and dropped)
//
// Thread safety: a plain value. Invariant: fields that the kind does not name are zero or empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::resp {

enum class kind : unsigned char { null, integer, real, boolean, simple, bulk, error, array, map, set, push };

struct value {
  kind type = kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<value> items;

  [[nodiscard]] bool is_error() const noexcept { return type == kind::error; }
  [[nodiscard]] bool is_null() const noexcept { return type == kind::null; }
  [[nodiscard]] bool is_text() const noexcept { return type == kind::simple || type == kind::bulk; }
  [[nodiscard]] bool is_list() const noexcept { return type == kind::array || type == kind::set || type == kind::push; }
};

}  // namespace holdfast::resp
