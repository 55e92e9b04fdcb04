# Compiles every public header as the only include of a file: each must stand alone, and clang-tidy (./dev lint) gets to
# see also those headers that no source of the library includes.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS
  RELATIVE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/holdfast/*.hpp")

set(checks "")
foreach(header IN LISTS public_headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  set(check "${PROJECT_BINARY_DIR}/generated/header_check/${name}.cpp")
  file(CONFIGURE OUTPUT "${check}" CONTENT "#include <${header}>\n" @ONLY)
  list(APPEND checks "${check}")
endforeach()

if(checks)
  add_library(holdfast_header_check OBJECT ${checks})
  target_link_libraries(holdfast_header_check PRIVATE holdfast::holdfast_static holdfast_compile_options Boost::headers)
endif()
