// Rights that the connected user lacks, with the line that gives them.
#include "doctor/judge.hpp"
#include "doctor/rights.hpp"

#include <algorithm>
#include <set>

namespace holdfast::doctor {

opinion judge_acl(const facts& seen) {
  if (!seen.rights.value) return std::nullopt;
  const rights_seen& rights = *seen.rights.value;
  finding made{severity::fine, "acl", "user " + rights.user + " has every right that locks need"};
  if (!rights.unknown.empty()) {
    made.how_bad = severity::notice;
    made.known = false;
    made.seen = "user " + rights.user + ": could not try";
    for (const std::string& each : rights.unknown) made.seen += " " + each;
    made.why = "whether these rights are there is not known";
    made.fix = "ACL GETUSER " + rights.user + " as an administrator";
  }
  if (rights.missing.empty()) return made;

  made = {severity::notice, "acl", "user " + rights.user + " lacks", {}, "ACL SETUSER " + rights.user};
  std::set<std::string> effects;
  const trial_ground ground = make_trial_ground(seen.prefix, "");
  for (const right& each : rights_on(seen.as, ground, 0, "", rights.scripts)) {
    if (std::find(rights.missing.begin(), rights.missing.end(), each.word) == rights.missing.end()) continue;
    made.seen += " " + each.word;
    // Without a prefix nobody can say which names are used; a user that may not use a made-up one may use those.
    const bool is_names = seen.prefix.empty() && each.word.front() == '~' && each.word.find('*') != std::string::npos &&
                          each.word.find("fence") == std::string::npos;
    if (is_names) {
      effects.insert("no prefix is set, so it is not known which names are used; a made-up one is refused");
      made.fix +=
          " " + each.word.substr(0, each.word.find('*')) + "<your names>" + each.word.substr(each.word.find('*'));
      continue;
    }
    made.fix += " " + each.word;
    if (each.how_much == need::needed) {
      made.how_bad = severity::danger;
      effects.insert("locks are refused");
      if (each.word == "+eval" || each.word == "+evalsha") {
        effects.insert("where scripting is denied for good, scripts = off has plain locks without it");
      }
    } else {
      if (each.how_much == need::messages) made.how_bad = std::max(made.how_bad, severity::warning);
      effects.insert(each.without);
    }
  }
  for (const std::string& each : effects) made.why += (made.why.empty() ? "" : "; ") + each;
  return made;
}

}  // namespace holdfast::doctor
