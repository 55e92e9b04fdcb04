// Something to be done by the client's thread after it has let go of the mutex.
#pragma once

namespace holdfast::detail {

class deferred {
 public:
  deferred() = default;
  deferred(const deferred&) = delete;
  deferred& operator=(const deferred&) = delete;
  virtual void run() = 0;

 protected:
  ~deferred() = default;
};

}  // namespace holdfast::detail
