#include "completion/scripts.hpp"

namespace holdfast::cli {

std::string_view fish_script() {
  return R"script(# fish completion for holdfast; made by: holdfast completion fish
# In ~/.config/fish/config.fish:  holdfast completion fish | source

function __holdfast_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l last (commandline --current-token --cut-at-cursor)
    set -l answer ($words[1] __complete $words[2..-1] "$last" 2>/dev/null)
    if string match --quiet ':command *' -- "$answer[1]"
        set -l from (string replace ':command ' '' -- $answer[1])
        set -l rest $words[(math $from + 2)..-1]
        complete --do-complete (string join ' ' -- (string escape -- $rest) "$last")
        return
    end
    if test (count $answer) -gt 1
        printf '%s\n' $answer[2..-1]
    end
    if test "$answer[1]" = :files
        __fish_complete_path "$last"
    end
end

complete --command holdfast --no-files --arguments '(__holdfast_complete)'
)script";
}

}  // namespace holdfast::cli
