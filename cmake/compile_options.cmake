# What every target of this project is compiled with. Not exported: users of the library keep their own flags.
add_library(holdfast_compile_options INTERFACE)
target_compile_features(holdfast_compile_options INTERFACE cxx_std_20)
target_compile_options(holdfast_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)

# Set by the presets asan and tsan, for example "address,undefined".
set(HOLDFAST_SANITIZE "" CACHE STRING "Value of -fsanitize for all targets of this project")
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # g++ 12 warns falsely inside the standard library when it instruments; the release build keeps this warning.
  target_compile_options(holdfast_compile_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
endif()

# All sources of one folder, not below it; empty when there are none.
function(holdfast_sources out folder)
  file(GLOB found CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
