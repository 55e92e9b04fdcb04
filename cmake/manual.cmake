# Has the built command write its man pages and its shells' completion; see cli/CMakeLists.txt.
#
#   cmake -D HOLDFAST=…/holdfast -D INTO=DIR -P manual.cmake
#   -> DIR/man/holdfast.1, DIR/man/holdfast-VERB.1, DIR/completion/{bash,zsh,fish}/…
cmake_minimum_required(VERSION 3.25)

function(ask file)
  execute_process(COMMAND "${HOLDFAST}" ${ARGN} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Fresh, so that no page of a verb that is gone stays behind.
file(REMOVE_RECURSE "${INTO}/man" "${INTO}/completion")
file(MAKE_DIRECTORY "${INTO}/man" "${INTO}/completion/bash" "${INTO}/completion/zsh" "${INTO}/completion/fish")

execute_process(COMMAND "${HOLDFAST}" help --verbs OUTPUT_VARIABLE verbs OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" verbs "${verbs}")
ask("${INTO}/man/holdfast.1" help --man)
foreach(verb IN LISTS verbs)
  ask("${INTO}/man/holdfast-${verb}.1" help --man "${verb}")
endforeach()

# The names under which the shells look for them.
ask("${INTO}/completion/bash/holdfast" completion bash)
ask("${INTO}/completion/zsh/_holdfast" completion zsh)
ask("${INTO}/completion/fish/holdfast.fish" completion fish)
