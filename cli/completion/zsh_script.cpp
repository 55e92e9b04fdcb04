#include "completion/scripts.hpp"

namespace holdfast::cli {

// As a file _holdfast in $fpath the text is the function's body at its first call; sourced, it registers itself.
std::string_view zsh_script() {
  return R"script(#compdef holdfast
# zsh completion for holdfast; made by: holdfast completion zsh
# In ~/.zshrc, after compinit:  source <(holdfast completion zsh)

_holdfast() {
  local -a answer described
  local beyond each
  answer=("${(@f)$("${(Q)words[1]/#\~\//$HOME/}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  beyond=${answer[1]:-:nothing}
  if [[ $beyond == ":command "* ]]; then
    local -i from=${beyond#:command }
    shift $((from + 1)) words
    ((CURRENT -= from + 1))
    _normal
    return
  fi
  for each in "${(@)answer[2,-1]}"; do
    if [[ $each == *$'\t'* ]]; then
      described+=("${${each%%$'\t'*}//:/\\:}:${each#*$'\t'}")
    else
      described+=("${each//:/\\:}")
    fi
  done
  if (($#described)); then _describe 'holdfast' described; fi
  if [[ $beyond == :files ]]; then _files; fi
}

if [[ ${funcstack[1]} == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
)script";
}

}  // namespace holdfast::cli
