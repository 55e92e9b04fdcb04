# Runs embed_scripts.cmake over Lua full of what CMake likes to mangle, and compares the result byte for byte.
# cmake -D WORK_DIR=… -D CXX=… -P embed_scripts_test.cmake
cmake_minimum_required(VERSION 3.25)
set(lua "${WORK_DIR}/lua")
file(REMOVE_RECURSE "${WORK_DIR}")
file(WRITE "${lua}/_now.lua" "-- the fragment's own prose\nlocal t = redis.call('TIME');\nlocal us = t[1] * 1e6 + t[2]\n")
file(WRITE "${lua}/tricky.lua" [=[
-- KEYS[1] prose; to be stripped
--@include _now.lua

   -- indented prose
local a = {1; 2; [3] = "x;y"}
local s = "tab\tnew\nline \\ quote\" ${NOT_A_VARIABLE} @NOR_THIS@"
if a[a[1]] == nil then return {} end  -- kept; it follows code
return string.format('%d %s [%%]', a[1], s) .. ']]' .. #a
]=])
file(WRITE "${lua}/no_newline.lua" "return 1")

set(expected_source [=[
local t = redis.call('TIME');
local us = t[1] * 1e6 + t[2]
local a = {1; 2; [3] = "x;y"}
local s = "tab\tnew\nline \\ quote\" ${NOT_A_VARIABLE} @NOR_THIS@"
if a[a[1]] == nil then return {} end  -- kept; it follows code
return string.format('%d %s [%%]', a[1], s) .. ']]' .. #a
]=])
string(SHA1 expected_sha1 "${expected_source}")

set(output "${WORK_DIR}/include/scripts/sources")
execute_process(COMMAND "${CMAKE_COMMAND}" -D "INPUT_DIR=${lua}" -D "OUTPUT=${output}"
  -P "${CMAKE_CURRENT_LIST_DIR}/embed_scripts.cmake" COMMAND_ERROR_IS_FATAL ANY)

# What the compiler makes of it: the source itself, then its SHA1, as files.
file(WRITE "${WORK_DIR}/print.cpp" [=[
#include <iostream>
#include <scripts/sources.hpp>
int main(int argc, char**) {
  if (holdfast::scripts::tricky.name != "tricky") return 1;
  if (holdfast::scripts::no_newline.source != "return 1\n") return 1;
  std::cout << (argc > 1 ? holdfast::scripts::tricky.sha1 : holdfast::scripts::tricky.source);
}
]=])
execute_process(COMMAND "${CXX}" -std=c++20 "-I${WORK_DIR}/include" "${WORK_DIR}/print.cpp" "${output}.cpp" -o "${WORK_DIR}/print"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/print" OUTPUT_FILE "${WORK_DIR}/source.txt" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/print" sha1 OUTPUT_VARIABLE sha1 COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${WORK_DIR}/expected.txt" "${expected_source}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${WORK_DIR}/source.txt" "${WORK_DIR}/expected.txt"
  COMMAND_ERROR_IS_FATAL ANY)
file(SHA1 "${WORK_DIR}/source.txt" file_sha1)
if(NOT sha1 STREQUAL expected_sha1 OR NOT sha1 STREQUAL file_sha1)
  message(FATAL_ERROR "SHA1 is ${sha1}, of the embedded text it would be ${file_sha1}")
endif()

# What must be refused, each alone in its folder.
function(must_refuse name text reason)
  file(WRITE "${WORK_DIR}/bad_${name}/${name}.lua" "${text}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -D "INPUT_DIR=${WORK_DIR}/bad_${name}" -D "OUTPUT=${WORK_DIR}/bad"
    -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_scripts.cmake" RESULT_VARIABLE code ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  if(code EQUAL 0 OR NOT text MATCHES "${reason}")
    message(FATAL_ERROR "${name}: not refused with '${reason}', but: ${code} ${text}")
  endif()
endfunction()
must_refuse(missing "--@include _gone.lua\n" "does not exist")
must_refuse(misspelt "  --@include _now.lua\n" "write exactly")
must_refuse(block "--[[ a\nb ]]\n" "block comment")
must_refuse(delimiter "return ')lua\"'\n" "raw string")
must_refuse(Upper-case "return 1\n" "becomes a C.. constant")
