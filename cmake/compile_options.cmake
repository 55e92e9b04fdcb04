# What every target of this project is compiled with. Not exported: users of the library keep their own flags.
add_library(holdfast_compile_options INTERFACE)
target_compile_features(holdfast_compile_options INTERFACE cxx_std_20)
target_compile_options(holdfast_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # g++ 12 sees overlapping copies in std::string's operator+ (GCC bug 105651) and uninitialised values in empty
  # std::optionals where there are none, depending on the level of optimisation. clang-tidy looks for the real ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)

# Set by the presets asan and tsan, for example "address,undefined".
set(HOLDFAST_SANITIZE "" CACHE STRING "Value of -fsanitize for all targets of this project")
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
  if(HOLDFAST_SANITIZE MATCHES "thread")
    # Asio fences around completions, which ThreadSanitizer cannot see; the scheduler's mutex orders them as well.
    target_compile_options(holdfast_compile_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()

# All sources of one folder, not below it; empty when there are none.
function(holdfast_sources out folder)
  file(GLOB found CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
