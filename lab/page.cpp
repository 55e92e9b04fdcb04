#include "page.hpp"

#include <string_view>

#include "drawing.hpp"
#include "table.hpp"

namespace lab {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dae1; --paper: #ffffff; --panel: #f6f8fa;
  --believed: #3b82c4; --held: #7a6bb0; --pause: #d9a514; --down: #9aa3ad; --bad: #d3302f; --good: #1f8a4c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ef; --soft: #9aa7b5; --line: #35404d; --paper: #12171d;
  --panel: #1a2129; --believed: #4a90d0; --held: #8f80c8; --pause: #d9a514; --down: #5d6875; --bad: #ff5a55; --good: #4cc47e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; } h2 { margin: 0; font-size: 1.15rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); } a { color: var(--believed); }
section { margin-top: 1.5rem; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } .wide { overflow-x: auto; }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; } td.time { text-align: right; font-variant-numeric: tabular-nums; }
code { font: .85em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
details { margin-top: .8rem; } summary { cursor: pointer; color: var(--soft); }
svg { display: block; width: 100%; min-width: 40rem; height: auto; margin: .8rem 0; font: 11px system-ui, sans-serif; }
svg .name { font-size: 12px; font-weight: 600; fill: var(--ink); } svg .tick { fill: var(--soft); text-anchor: middle; }
svg .note { font-size: 10px; fill: var(--ink); } svg .on { font-size: 10px; fill: #ffffff; }
svg rect { stroke: var(--panel); stroke-width: 1; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .believed { fill: var(--believed); } svg .held { fill: var(--held); } svg .paused { fill: var(--pause); }
svg .down { fill: var(--down); } svg .overlap { fill: var(--bad); }
svg .event path { stroke: var(--ink); stroke-width: 1.5; fill: none; } svg .accepted circle { fill: var(--good); }
svg .refused path { stroke: var(--bad); stroke-width: 3; fill: none; }
.key span { display: inline-block; margin-right: 1.2rem; } .key i { display: inline-block; width: .9em; height: .9em;
  margin-right: .35em; border-radius: 2px; vertical-align: -.1em; }
)css";

constexpr std::string_view key =
    "<p class=\"key soft\"><span><i style=\"background: var(--believed)\"></i>a client believes to hold the lock</span>"
    "<span><i style=\"background: var(--bad)\"></i>two believe it at once</span>"
    "<span><i style=\"background: var(--held)\"></i>the server has the lock for that owner</span>"
    "<span><i style=\"background: var(--pause)\"></i>paused</span>"
    "<span><i style=\"background: var(--down)\"></i>down</span>"
    "<span>● write accepted by the storage</span><span>✕ refused</span></p>\n";

std::string cell(std::string_view tag, std::string_view text, std::string_view kind = {}) {
  std::string out = "<" + std::string{tag};
  if (!kind.empty()) out += " class=\"" + std::string{kind} + "\"";
  return out + ">" + escaped(text) + "</" + std::string{tag} + ">";
}

std::string code_cell(std::string_view text) { return "<td><code>" + escaped(text) + "</code></td>"; }

std::string_view verdict(const record& what) {
  if (!what.skipped.empty()) return "skipped";
  return what.agrees() ? "as expected" : "not as expected";
}
std::string_view verdict_class(const record& what) {
  return !what.skipped.empty() ? "soft" : what.agrees() ? "good" : "bad";
}

std::string contents(const std::vector<record>& all) {
  std::string out = "<section><table>\n<tr><th>experiment</th><th>what it asks</th><th>result</th></tr>\n";
  for (const record& each : all) {
    out += "<tr><td><a href=\"#" + escaped(each.name) + "\">" + escaped(each.name) + "</a></td>" +
           cell("td", each.title) + cell("td", verdict(each), verdict_class(each)) + "</tr>\n";
  }
  return out + "</table></section>\n";
}

std::string section(const record& what) {
  std::string out = "<section id=\"" + escaped(what.name) + "\">\n<h2>" + escaped(what.name) + "</h2>\n" +
                    cell("p", what.title) + "\n";
  if (!what.skipped.empty()) return out + cell("p", "Skipped: " + what.skipped, "soft") + "\n</section>\n";
  out += "<div class=\"wide\">\n" + drawing_text(what.drawn, what.name) + "</div>\n";
  out += "<table>\n<tr><th></th><th>what</th><th>expected</th><th>saw</th></tr>\n";
  for (const finding& each : what.findings) {
    out += "<tr>" + cell("td", each.agrees ? "ok" : "!!", each.agrees ? "good" : "bad") + cell("td", each.what) +
           cell("td", each.expected) + cell("td", each.saw, each.agrees ? "" : "bad") + "</tr>\n";
  }
  out += "</table>\n" + cell("p", what.lesson) + "\n<details><summary>" + std::to_string(what.steps.size()) +
         " steps</summary>\n<table>\n<tr><th>ms</th><th>who</th><th>step</th><th>answer</th></tr>\n";
  for (const step& each : what.steps) {
    out += "<tr>" + cell("td", milliseconds_text(each.at), "time") + cell("td", each.who) + code_cell(each.what) +
           code_cell(each.answer) + "</tr>\n";
  }
  return out + "</table></details>\n</section>\n";
}

}  // namespace

std::string page_text(const std::vector<record>& all, const std::string& about) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n<title>Holdfast: the laboratory</title>\n<style>";
  out += style;
  out += "</style>\n</head>\n<body>\n<h1>The laboratory</h1>\n" + cell("p", about, "soft") + "\n";
  out += key;
  out += contents(all);
  for (const record& each : all) out += section(each);
  return out + "</body>\n</html>\n";
}

}  // namespace lab
