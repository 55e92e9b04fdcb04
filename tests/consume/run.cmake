# One test of tests/consume; see CMakeLists.txt there for the arguments.
cmake_minimum_required(VERSION 3.25)
set(prefix "${WORK_DIR}/prefix")
set(source "${CMAKE_CURRENT_LIST_DIR}")
set(expected "redis://127.0.0.1:1")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The program prints where its settings point; more than its exit code, this shows that library code ran.
function(run_program)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${output}" "${expected}" at)
  if(NOT at EQUAL 0)
    message(FATAL_ERROR "the program printed '${output}', which does not begin with ${expected}")
  endif()
endfunction()

function(build_project folder)
  set(build "${WORK_DIR}/${CASE}")
  file(REMOVE_RECURSE "${build}")
  run("${CMAKE_COMMAND}" -S "${source}/${folder}" -B "${build}" -G Ninja -D CMAKE_BUILD_TYPE=Release
    -D "CMAKE_CXX_COMPILER=${CXX}" -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" ${ARGN})
  run("${CMAKE_COMMAND}" --build "${build}")
  run_program("${build}/consumer")
endfunction()

# Compiles main.cpp with nothing but what pkg-config says; `--static` and a folder without the .so for the static case.
function(build_with_pkgconfig)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
  execute_process(COMMAND pkg-config --cflags --libs ${ARGN} holdfast
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("${CXX}" -std=c++20 "${source}/installed/main.cpp" ${flags} -o "${WORK_DIR}/${CASE}")
endfunction()

if(CASE STREQUAL "install")
  file(REMOVE_RECURSE "${prefix}")
  run("${CMAKE_COMMAND}" --install "${HOLDFAST_BUILD}" --prefix "${prefix}")
elseif(CASE STREQUAL "static")
  build_project(installed -D "CMAKE_PREFIX_PATH=${prefix}" -D BUILD_SHARED_LIBS=OFF -D EXPECTED_TYPE=STATIC_LIBRARY)
elseif(CASE STREQUAL "shared")
  build_project(installed -D "CMAKE_PREFIX_PATH=${prefix}" -D BUILD_SHARED_LIBS=ON -D EXPECTED_TYPE=SHARED_LIBRARY)
elseif(CASE STREQUAL "subdirectory")
  # Not optimised: that it is found, compiled and linked is what counts here.
  build_project(subdirectory -D "HOLDFAST_SOURCE=${HOLDFAST_SOURCE}" -D "CMAKE_CXX_FLAGS_RELEASE=-O0")
elseif(CASE STREQUAL "pkgconfig_shared")
  build_with_pkgconfig()
  set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBDIR}")
  run_program("${WORK_DIR}/${CASE}")
elseif(CASE STREQUAL "pkgconfig_static")
  file(COPY "${prefix}/${LIBDIR}/libholdfast.a" DESTINATION "${WORK_DIR}/only_static")
  build_with_pkgconfig(--static "--define-variable=libdir=${WORK_DIR}/only_static")
  run_program("${WORK_DIR}/${CASE}")
else()
  message(FATAL_ERROR "no such case: '${CASE}'")
endif()
