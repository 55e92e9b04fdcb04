#include "completion/scripts.hpp"

namespace holdfast::cli {

// Bash splits words at ':' and '=', which lock names and --option=value have; so the line is split here at blanks, and
// what bash considers done already is cut off the answers again.
std::string_view bash_script() {
  return R"script(# bash completion for holdfast; made by: holdfast completion bash
# In ~/.bashrc:  source <(holdfast completion bash)

_holdfast_command() {
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]] && declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
      return
    fi
  done
  local cur=${COMP_WORDS[COMP_CWORD]}
  compopt -o filenames
  if (($1)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -d -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}

_holdfast() {
  local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]/#\~\//$HOME/} beyond word done_part
  local -a words answer
  COMPREPLY=()
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  mapfile -t answer < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  beyond=${answer[0]:-:nothing}
  if [[ $beyond == ":command "* ]]; then
    _holdfast_command $((${beyond#:command } + 2 == ${#words[@]}))
    return
  fi
  word=${words[-1]}
  done_part=
  if [[ $word == *[:=]* ]]; then
    if [[ $COMP_WORDBREAKS == *:* && $word == *:* ]]; then
      done_part=${word%"${word##*:}"}
    elif [[ $COMP_WORDBREAKS == *=* && $word == *=* ]]; then
      done_part=${word%"${word##*=}"}
    fi
  fi
  for word in "${answer[@]:1}"; do
    word=${word%%$'\t'*}
    word=${word#"$done_part"}
    if [[ $word == *[=:] && ${#answer[@]} == 2 ]]; then compopt -o nospace; fi
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done
  if [[ $beyond == :files ]]; then
    compopt -o filenames
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}

complete -F _holdfast holdfast
)script";
}

}  // namespace holdfast::cli
