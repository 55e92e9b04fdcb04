# holdfast_precompile(TARGET HEADER…): headers that most of a target's files read, and that take as long to read as the rest of the
# file. A compiler cache does not go with it, and saves more where there is one. Every file still includes what it uses: clang-tidy
# reads them without this (CMAKE_DISABLE_PRECOMPILE_HEADERS in the preset `lint`). Not for what is compiled with -O2:
# there GCC 12 finds bounds exceeded, falsely, in the std::string of a precompiled header.
function(holdfast_precompile target)
  if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
