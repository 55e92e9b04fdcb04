// The parts of the laboratory that start nothing: what counts as an overlap, tables, drawings, the page.
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include <lab/drawing.hpp>
#include <lab/page.hpp>
#include <lab/table.hpp>

namespace lab {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

struct LabTimeline : testing::Test {
  timeline line;
  std::size_t a = line.row_of("A", row_kind::client);
  std::size_t b = line.row_of("B", row_kind::client);
  std::size_t redis = line.row_of("redis", row_kind::server);

  void believes(std::size_t who, nanoseconds from, nanoseconds to) {
    line.begin(who, span_kind::believed, "", from);
    line.end(who, span_kind::believed, to);
  }
};

TEST_F(LabTimeline, ARowIsMadeOnce) {
  EXPECT_EQ(line.row_of("B", row_kind::client), b);
  EXPECT_EQ(line.rows().size(), 3U);
}

TEST_F(LabTimeline, WhatWasBeforeTheBeginningIsForgottenButForTheRows) {
  believes(a, 0, 10);
  line.begin(redis, span_kind::held, "A", 0);
  line.add({a, mark_kind::event, "refused", 5});
  line.restart();
  EXPECT_TRUE(line.spans().empty());
  EXPECT_TRUE(line.marks().empty());
  EXPECT_EQ(line.open_label(redis, span_kind::held), "");
  EXPECT_EQ(line.rows().size(), 3U);
}

TEST_F(LabTimeline, TwoBeliefsThatTouchDoNotOverlap) {
  believes(a, 0, 10);
  believes(b, 10, 20);
  EXPECT_TRUE(line.overlaps().empty());
}

TEST_F(LabTimeline, TwoBeliefsAtOnceOverlapForAsLongAsBothLast) {
  believes(a, 0, 15);
  believes(b, 10, 20);
  const auto found = line.overlaps();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from, 10);
  EXPECT_EQ(found[0].to, 15);
  EXPECT_EQ(found[0].rows, (std::vector<std::size_t>{a, b}));
}

TEST_F(LabTimeline, OneInsideTheOtherAndAThird) {
  const std::size_t c = line.row_of("C", row_kind::client);
  believes(a, 0, 100);
  believes(b, 10, 20);
  believes(c, 15, 40);
  const auto found = line.overlaps();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].rows, (std::vector<std::size_t>{a, b}));
  EXPECT_EQ(found[1].rows, (std::vector<std::size_t>{a, b, c}));
  EXPECT_EQ(found[2].rows, (std::vector<std::size_t>{a, c}));
  EXPECT_EQ(found[2].to, 40);
}

TEST_F(LabTimeline, ABeliefThatIsOpenLasts) {
  line.begin(a, span_kind::believed, "", 5);
  believes(b, 10, 20);
  ASSERT_EQ(line.overlaps().size(), 1U);
  EXPECT_EQ(line.overlaps()[0].to, 20);
}

TEST_F(LabTimeline, OnlyBeliefsOverlap) {
  believes(a, 0, 10);
  line.begin(redis, span_kind::held, "B", 0);
  line.begin(b, span_kind::paused, "", 0);
  line.close(10);
  EXPECT_TRUE(line.overlaps().empty());
}

TEST_F(LabTimeline, ASecondSpanOfAKindEndsTheFirst) {
  line.begin(redis, span_kind::held, "A", 0);
  line.begin(redis, span_kind::held, "B", 7);
  EXPECT_EQ(line.open_label(redis, span_kind::held), "B");
  line.close(9);
  ASSERT_EQ(line.spans().size(), 2U);
  EXPECT_EQ(line.spans()[0].to, 7);
  EXPECT_EQ(line.spans()[1].to, 9);
  EXPECT_FALSE(line.is_open(redis, span_kind::held));
  EXPECT_EQ(line.length(), 9);
}

record sample(bool agrees) {
  record out{.name = "sample", .title = "a title", .lesson = "A lesson.", .skipped = {}};
  out.steps = {{1'500'000, "A", "SET lock", "OK"}, {12'000'000, "B", "GET <lock> & more", "\"x\"\x01"}};
  out.findings = {{"B gets it", "no", agrees ? "no" : "yes", agrees}};
  const std::size_t a = out.drawn.row_of("A", row_kind::client);
  const std::size_t b = out.drawn.row_of("B", row_kind::client);
  out.drawn.begin(a, span_kind::believed, "", 1'000'000);
  if (!agrees) out.drawn.begin(b, span_kind::believed, "", 5'000'000);
  out.drawn.begin(out.drawn.row_of("redis", row_kind::server), span_kind::held, "A", 1'000'000);
  const std::size_t storage = out.drawn.row_of("storage", row_kind::storage);
  out.drawn.add({storage, mark_kind::accepted, "A, fence 1", 2'000'000});
  out.drawn.add({storage, mark_kind::refused, "B, fence 0", 3'000'000});
  out.drawn.close(15'000'000);
  return out;
}

TEST(LabRecord, AgreesOnlyWhenItRanAndEveryFindingDoes) {
  EXPECT_TRUE(sample(true).agrees());
  EXPECT_FALSE(sample(false).agrees());
  record nothing{.name = "n", .title = "t", .lesson = "l", .skipped = {}};
  EXPECT_FALSE(nothing.agrees()) << "without findings nothing was shown";
  record left_out = sample(true);
  left_out.skipped = "no libfaketime";
  EXPECT_FALSE(left_out.agrees());
}

TEST(LabTable, ColumnsLineUp) {
  EXPECT_EQ(columns_text({{"a", "long head", "c"}, {"wider", "x", "µ"}, {"y", "µµ", "end"}}),
            "  a      long head  c\n"
            "  -----  ---------  ---\n"
            "  wider  x          µ\n"
            "  y      µµ         end\n");
}

TEST(LabTable, ShowsStepsWhereAskedAndAlwaysFindings) {
  const std::string text = record_text(sample(true), true);
  EXPECT_TRUE(has(text, "   1.500  A    SET lock")) << text;
  EXPECT_TRUE(has(text, "  12.000  B    GET <lock> & more")) << text;
  EXPECT_TRUE(has(text, "  ok  B gets it  no        no")) << text;
  EXPECT_FALSE(has(record_text(sample(true), false), "SET lock"));
  EXPECT_TRUE(has(record_text(sample(false), false), "  !!  B gets it  no        yes"));
}

TEST(LabTable, TheSummaryCountsWhatAgreesAndWhatWasSkipped) {
  record left_out{.name = "clock", .title = "t", .lesson = "l", .skipped = "no libfaketime"};
  const std::string text = summary_text({sample(true), sample(false), left_out});
  EXPECT_TRUE(has(text, "sample      no                as expected")) << text;
  EXPECT_TRUE(has(text, "sample      yes               NOT AS EXPECTED")) << text;
  EXPECT_TRUE(has(text, "clock                         skipped")) << text;
  EXPECT_TRUE(has(text, "1 of 2 came out as expected; 1 skipped\n")) << text;
  EXPECT_TRUE(has(record_text(left_out, true), "skipped: no libfaketime"));
}

TEST(LabDrawing, OverlapsAreRedInEveryRowThatTookPart) {
  const std::string good = drawing_text(sample(true).drawn, "x");
  EXPECT_EQ(count(good, "class=\"overlap\""), 0);
  const std::string bad = drawing_text(sample(false).drawn, "x");
  EXPECT_EQ(count(bad, "class=\"overlap\""), 2);
  EXPECT_TRUE(has(bad, "A and B both believe to hold, 5.0 to 15.0 ms")) << bad;
}

TEST(LabDrawing, HasABarForEachSpanAndAMarkForEachWrite) {
  const std::string text = drawing_text(sample(true).drawn, "x");
  EXPECT_EQ(count(text, "<rect class=\"believed\""), 1);
  EXPECT_EQ(count(text, "<rect class=\"held\""), 1);
  EXPECT_EQ(count(text, "<g class=\"accepted\">"), 1);
  EXPECT_EQ(count(text, "<g class=\"refused\">"), 1);
  EXPECT_TRUE(has(text, "A, fence 1"));
}

// "x" of the first bar of that kind, and its width.
std::pair<double, double> extent(const std::string& text, const std::string& kind) {
  const auto at = text.find("<rect class=\"" + kind + "\"");
  const auto number = [&](const std::string& name) {
    return std::stod(text.substr(text.find(name, at) + name.size()));
  };
  return {number(" x=\""), number(" width=\"")};
}

TEST(LabDrawing, TimeRunsFromLeftToRightInProportion) {
  timeline line;
  const std::size_t a = line.row_of("A", row_kind::client);
  line.begin(a, span_kind::believed, "", 250);
  line.end(a, span_kind::believed, 500);
  line.close(1000);
  const auto [x, width] = extent(drawing_text(line, "x"), "believed");
  EXPECT_DOUBLE_EQ(x, 110 + 780 * 0.25);
  EXPECT_DOUBLE_EQ(width, 780 * 0.25);
}

TEST(LabDrawing, AnEmptyTimelineIsADrawing) { EXPECT_TRUE(drawing_text({}, "x").ends_with("</svg>\n")); }

TEST(LabPage, IsWellFormedWhateverTheTextsSay) {
  record odd = sample(false);
  odd.title = "a <b> & \"c\" \x02";
  odd.findings.push_back({"<script>", "&amp;", "</td>", false});
  odd.drawn.add({0, mark_kind::event, "<killed>", 1});
  const std::string text = page_text({odd, sample(true)}, "version <1>");
  std::istringstream in{text};
  boost::property_tree::ptree tree;
  ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << text;
  EXPECT_EQ(tree.get<std::string>("html.body.p"), "version <1>");
  EXPECT_FALSE(has(text, "<script"));
}

TEST(LabPage, SaysOfEachHowItCameOut) {
  record left_out{.name = "clock", .title = "t", .lesson = "l", .skipped = "no libfaketime"};
  const std::string text = page_text({sample(true), sample(false), left_out}, "x");
  EXPECT_EQ(count(text, ">as expected<"), 1);
  EXPECT_EQ(count(text, ">not as expected<"), 1);
  EXPECT_TRUE(has(text, "Skipped: no libfaketime"));
  EXPECT_EQ(count(text, "<svg "), 2) << "none of what did not run";
}

}  // namespace
}  // namespace lab
