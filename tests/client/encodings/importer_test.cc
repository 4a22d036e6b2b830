// Encodings files and the graphs that they are joined with.
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/encodings/join.h"
#include "client/encodings/read.h"
#include "client/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/check.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

encodings::ReadFile ReadText(absl::string_view text) {
  absl::StatusOr<encodings::ReadFile> file = encodings::Read(text);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : encodings::ReadFile();
}

// conv: x, w [4, 2, 3, 3] -> y; deconv: y, d [4, 6, 2, 2] -> z; gemm: z, g [5, 7] (transB) -> u; matmul: u, m [8, 6] ->
// v; t [6, 8] -> Transpose -> matmul.
v1::Graph Model() {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 2, 8, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {4, 2, 3, 3}, 288);
  b.Weight("d", v1::DATA_TYPE_FLOAT32, {4, 6, 2, 2}, 384);
  b.Weight("g", v1::DATA_TYPE_FLOAT32, {5, 7}, 140);
  b.Weight("m", v1::DATA_TYPE_FLOAT32, {8, 6}, 192);
  b.Weight("t", v1::DATA_TYPE_FLOAT32, {6, 8}, 192);
  b.Node("Conv", "conv", {"x", "w"}, {"y"});
  b.Node("ConvTranspose", "deconv", {"y", "d"}, {"z"});
  b.Int(b.Node("Gemm", "gemm", {"z", "g"}, {"u"}), "transB", 1);
  b.Node("MatMul", "matmul", {"u", "m"}, {"v"});
  b.Node("Transpose", "transpose", {"t"}, {"tt"});
  b.Node("MatMul", "matmul2", {"v", "tt"}, {"s"});
  b.Output("s");
  return b.graph;
}

v1::Graph Joined(absl::string_view text) {
  v1::Graph graph = Model();
  encodings::Join(ReadText(text), &graph);
  return graph;
}

const v1::Value& ValueOf(const v1::Graph& graph, const std::string& name) {
  for (const v1::Value& value : graph.values()) {
    if (value.name() == name) return value;
  }
  return v1::Value::default_instance();
}

const v1::Spec& SpecOf(const v1::Graph& graph, const std::string& name) {
  const int32_t spec = ValueOf(graph, name).spec();
  EXPECT_GT(spec, 0) << name << " has no spec";
  return spec > 0 ? graph.specs(spec - 1) : v1::Spec::default_instance();
}

std::vector<std::string> Problems(const v1::Graph& graph) {
  std::vector<std::string> all;
  const auto add = [&](const v1::EncodingProblem& problem) {
    all.push_back(absl::StrCat(v1::EncodingProblem::Kind_Name(problem.kind()).substr(5), " ", problem.field()));
  };
  for (const v1::EncodingProblem& problem : graph.encodings_file().problems()) add(problem);
  for (const v1::Encoding& encoding : graph.encodings_file().encodings()) {
    for (const v1::EncodingProblem& problem : encoding.problems()) add(problem);
  }
  return all;
}

TEST(Keyed, OffsetsBecomeZeroPoints) {
  const v1::Graph graph = Joined(R"({"version": "0.6.1",
    "activation_encodings": {
      "x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "max": 1.35, "min": -1.2, "offset": -120, "scale": 0.01}],
      "y": [{"bitwidth": 16, "dtype": "int", "is_symmetric": true, "max": 1, "min": -1, "offset": -32768, "scale": 0.1}],
      "z": [{"bitwidth": 16, "dtype": "float"}]},
    "param_encodings": {
      "d": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1, "min": -1, "offset": -128, "scale": 0.1},
            {"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1, "min": -1, "offset": -128, "scale": 0.2}]}})");
  EXPECT_THAT(Problems(graph), IsEmpty());
  EXPECT_EQ(graph.stage(), v1::STAGE_CALIBRATED);
  EXPECT_EQ(graph.encodings_file().layout(), v1::EncodingsFile::LAYOUT_KEYED);
  EXPECT_FALSE(graph.encodings_file().partial());
  EXPECT_EQ(SpecOf(graph, "x").dtype(), v1::DATA_TYPE_UINT8);
  EXPECT_THAT(SpecOf(graph, "x").qparams().zero_points(), ElementsAre(120));
  EXPECT_THAT(SpecOf(graph, "x").qparams().axes(), IsEmpty());
  // An activation keeps the unsigned grid, as in what AIMET 2.0.0 writes of it.
  EXPECT_EQ(SpecOf(graph, "y").dtype(), v1::DATA_TYPE_UINT16);
  EXPECT_THAT(SpecOf(graph, "y").qparams().zero_points(), ElementsAre(32768));
  // A symmetric parameter is signed; the channels of a ConvTranspose are its second dimension.
  EXPECT_EQ(SpecOf(graph, "d").dtype(), v1::DATA_TYPE_INT8);
  EXPECT_THAT(SpecOf(graph, "d").qparams().zero_points(), ElementsAre(0, 0));
  EXPECT_THAT(SpecOf(graph, "d").qparams().axes(), ElementsAre(1));
  // It stays real.
  EXPECT_EQ(SpecOf(graph, "z").dtype(), v1::DATA_TYPE_FLOAT16);
  EXPECT_THAT(SpecOf(graph, "z").qparams().scales(), IsEmpty());
  EXPECT_EQ(graph.encodings_file().encodings(0).line(), 3);
  EXPECT_EQ(graph.encodings_file().encodings(0).column(), 12);
}

TEST(Keyed, OverridesStateLess) {
  const v1::Graph graph = Joined(R"({"activation_encodings": {"x": [{"bitwidth": 8, "max": 2.0, "min": -0.55}]},
    "param_encodings": {"w": [{"bitwidth": 4}], "g": [{"bitwidth": 8, "min": -1.27, "max": 1, "is_symmetric": "True"}]}})");
  EXPECT_THAT(Problems(graph), IsEmpty());
  EXPECT_TRUE(graph.encodings_file().partial());
  EXPECT_NEAR(SpecOf(graph, "x").qparams().scales(0), 0.01, 1e-12);
  EXPECT_THAT(SpecOf(graph, "x").qparams().zero_points(), ElementsAre(55));
  EXPECT_THAT(SpecOf(graph, "w").qparams().scales(), IsEmpty());
  EXPECT_NEAR(SpecOf(graph, "g").qparams().scales(0), 0.01, 1e-12);
  EXPECT_THAT(SpecOf(graph, "g").qparams().zero_points(), ElementsAre(0));
}

// What converters fill in is no fault of the file; a file that claims to be whole has to be.
TEST(Keyed, AWidthAloneIsLeftToTheConverter) {
  const testing::EmptyTables tables;
  ModuleRegistry modules(tables);
  for (const bool partial : {true, false}) {
    v1::Graph graph = Joined(R"({"activation_encodings": {"x": [{"bitwidth": 16}]}, "param_encodings": {}})");
    graph.mutable_encodings_file()->set_partial(partial);
    v1::Report report;
    ASSERT_TRUE(Check(graph, CheckOptions(), modules, report).ok());
    int found = 0;
    int left = 0;
    for (const v1::Finding& finding : report.results(0).findings()) found += finding.code() == "FI009";
    for (const v1::NotChecked& entry : report.results(0).not_checked()) left += entry.rule() == "FI009";
    EXPECT_EQ(found, partial ? 0 : 1);
    EXPECT_EQ(left, partial ? 1 : 0);
  }
}

TEST(Keyed, MinAndMaxFollowFromScaleAndOffset) {
  const v1::Graph graph = Joined(R"({"version": "0.6.1", "param_encodings": {}, "activation_encodings": {
      "x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "offset": -120, "scale": 0.01}],
      "y": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": 0, "max": 1}]}})");
  EXPECT_THAT(Problems(graph), ElementsAre("MISSING scale", "MISSING offset"));
  EXPECT_THAT(SpecOf(graph, "x").qparams().zero_points(), ElementsAre(120));
}

TEST(Keyed, MinAndMaxAreStatedTogether) {
  const v1::Graph graph = Joined(R"({"version": "0.6.1", "param_encodings": {}, "activation_encodings": {
      "x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": 0, "offset": 0, "scale": 0.01}],
      "y": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "max": 1, "offset": 0, "scale": 0.01}]}})");
  EXPECT_THAT(Problems(graph), ElementsAre("MISSING max", "MISSING min"));
}

TEST(Keyed, WhatIsMissingOrOfAnotherKind) {
  const v1::Graph graph = Joined(R"({"version": "0.6.1", "activation_encodings": {
      "x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "maybe", "max": 1, "min": 0, "scale": null}],
      "y": [], "z": [{"bitwidth": 8, "dtype": "complex", "is_symmetric": "False", "max": 1, "min": 0, "offset": 0, "scale": 1}]},
    "version": "0.6.1"})");
  EXPECT_THAT(Problems(graph), ElementsAre("REPEATED version", "MISSING param_encodings", "INVALID is_symmetric",
                                           "INVALID scale", "MISSING offset", "INVALID ", "INVALID dtype"));
  EXPECT_EQ(ValueOf(graph, "x").spec(), 0);
}

TEST(Keyed, ChannelsAreOfOneType) {
  const v1::Graph graph = Joined(R"({"version": "0.6.1", "activation_encodings": {
      "": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "max": 1, "min": 0, "offset": 0, "scale": 0.1}]},
    "param_encodings": {
      "d": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1, "min": -1, "offset": -128, "scale": 0.1},
            {"bitwidth": 8, "dtype": "float"}]}})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID name", "INVALID dtype"));
}

TEST(Keyed, ChannelsAreOfOneSymmetry) {
  for (const char* second : {"True", "False"}) {
    const v1::Graph graph = Joined(absl::StrCat(R"({"version": "0.6.1", "activation_encodings": {}, "param_encodings": {
      "d": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1, "min": -1, "offset": -128, "scale": 0.1},
            {"bitwidth": 8, "dtype": "int", "is_symmetric": ")",
                                                second, R"(", "max": 1, "min": -1, "offset": -128, "scale": 0.1}]}})"));
    EXPECT_EQ(Problems(graph).size(), second == std::string("True") ? 0u : 1u);
  }
}

// The texts for true and false are those of the older versions.
TEST(Listed, SymmetryIsTrueOrFalse) {
  const v1::Graph graph = Joined(R"({"version": "1.0.0", "param_encodings": [], "activation_encodings": [
    {"name": "x", "dtype": "INT", "bw": 8, "enc_type": "PER_TENSOR", "is_sym": "True", "scale": [0.1], "offset": [0]},
    {"name": "y", "dtype": "INT", "bw": 8, "enc_type": "PER_TENSOR", "is_sym": false, "scale": [0.1], "offset": [0]}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID is_sym"));
}

// AIMET adds it to each offset.
TEST(Listed, AShiftIsPartOfTheOffset) {
  const auto joined = [](absl::string_view shift) {
    return Joined(absl::StrCat(R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
      {"name": "w", "dtype": "INT", "bw": 8, "enc_type": "PER_CHANNEL", "is_sym": true, "scale": [1, 1, 1, 1],
       "offset": [-128, -128, -128, -127], "zero_point_shift": )",
                               shift, "}]}"));
  };
  EXPECT_THAT(SpecOf(joined("[0.5, 0.25, 0, 0]"), "w").qparams().zero_points(), ElementsAre(-0.5, -0.25, 0, -1));
  EXPECT_THAT(SpecOf(joined("0.5"), "w").qparams().zero_points(), ElementsAre(-0.5, -0.5, -0.5, -1.5));
  EXPECT_THAT(Problems(joined("[0.5, 0.5]")), ElementsAre("INVALID zero_point_shift"));
  EXPECT_THAT(Problems(joined("null")), ElementsAre("INVALID zero_point_shift"));
  EXPECT_THAT(Problems(joined("[[0.5, 0.25, 0, 0]]")), ElementsAre("INVALID zero_point_shift"));
}

TEST(Listed, AxesFollowFromTheOperator) {
  const auto per_channel = [](const char* name, int channels) {
    const std::vector<std::string> scales(channels, "0.1");
    const std::vector<std::string> offsets(channels, "-128");
    return absl::StrCat(R"({"bw": 8, "dtype": "INT", "enc_type": "PER_CHANNEL", "is_sym": true, "name": ")", name,
                        R"(", "scale": [)", absl::StrJoin(scales, ","), R"(], "offset": [)",
                        absl::StrJoin(offsets, ","), "]}");
  };
  const v1::Graph graph = Joined(absl::StrCat(
      R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [)", per_channel("w", 4), ",",
      per_channel("d", 6), ",", per_channel("g", 5), ",", per_channel("m", 6), ",", per_channel("t", 6), "]}"));
  EXPECT_THAT(Problems(graph), IsEmpty());
  EXPECT_THAT(SpecOf(graph, "w").qparams().axes(), ElementsAre(0));
  EXPECT_THAT(SpecOf(graph, "d").qparams().axes(), ElementsAre(1));
  EXPECT_THAT(SpecOf(graph, "g").qparams().axes(), ElementsAre(0));
  EXPECT_THAT(SpecOf(graph, "m").qparams().axes(), ElementsAre(1));
  EXPECT_THAT(SpecOf(graph, "t").qparams().axes(), ElementsAre(0));
  EXPECT_EQ(SpecOf(graph, "w").qscheme(), v1::Spec::PER_CHANNEL_SYMMETRIC);
}

// One weight, three versions: two channels (the second dimension) and two blocks (of the first).
TEST(Nested, AllVersionsSayTheSame) {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {8, 2}, 64);
  b.Node("MatMul", "matmul", {"x", "w"}, {"y"});
  const char* versions[] = {
      R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [{"name": "w", "dtype": "INT", "bw": 8,
          "compressed_bw": 4, "enc_type": "LPBQ", "is_sym": true, "block_size": 4, "scale": [0.5, 0.25],
          "offset": [-128, -128], "per_block_int_scale": [16, 15, 10, 13]}]})",
      R"({"version": "2.0.0", "encodings": [{"name": "w", "output_dtype": "int4", "axis": 0, "block_size": 4,
          "per_channel_float_scale": [[0.5, 0.25]], "per_block_int_scale": [[16, 10], [15, 13]]}]})",
      R"({"version": "2.1.0", "encodings": [{"name": "w", "output_dtype": "int4", "axis": 0, "block_size": 4,
          "y_scale": {"x": [[16, 10], [15, 13]], "x_scale": [0.5, 0.25], "axis": 1}}]})"};
  for (const char* text : versions) {
    v1::Graph graph = b.graph;
    encodings::Join(ReadText(text), &graph);
    EXPECT_THAT(Problems(graph), IsEmpty());
    const v1::Spec& spec = SpecOf(graph, "w");
    EXPECT_EQ(spec.dtype(), v1::DATA_TYPE_INT4) << text;
    EXPECT_THAT(spec.qparams().scales(), ElementsAre(0.5, 0.25));
    EXPECT_THAT(spec.qparams().axes(), ElementsAre(1, 0));
    EXPECT_THAT(spec.qparams().block_sizes(), ElementsAre(1, 4));
    EXPECT_THAT(spec.qparams().block_scales(), ElementsAre(16, 15, 10, 13));
    EXPECT_EQ(spec.qparams().block_scale_bits(), 4);
    for (double zero_point : spec.qparams().zero_points()) EXPECT_EQ(zero_point, 0);
  }
}

// Of filters flat lists are in the tensor's order, channels first or blocks first; of matrices channels come first. d
// is [4, 6, 2, 2] with channels of 6, w [4, 2, 3, 3] with channels of 4, m [8, 6] with channels of 6.
TEST(Blocks, FlatListsOfFiltersAreInTheTensorsOrder) {
  const auto joined = [](const char* name, int channels, int blocks, int size) {
    std::vector<int> scales(static_cast<size_t>(channels * blocks));
    std::iota(scales.begin(), scales.end(), 1);
    const std::string all = absl::StrJoin(scales, ", ");
    const std::string offsets = absl::StrJoin(std::vector<int>(scales.size(), -8), ", ");
    return Joined(absl::StrCat(R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
      {"name": ")",
                               name,
                               R"(", "dtype": "INT", "bw": 4, "enc_type": "PER_BLOCK", "is_sym": true, "block_size": )",
                               size, R"(, "scale": [)", all, R"(], "offset": [)", offsets, "]}]}"));
  };
  const v1::Graph deconv = joined("d", 6, 2, 2);
  EXPECT_THAT(SpecOf(deconv, "d").qparams().axes(), ElementsAre(0, 1));
  EXPECT_THAT(SpecOf(deconv, "d").qparams().block_sizes(), ElementsAre(2, 1));
  const v1::Graph conv = joined("w", 4, 2, 1);
  EXPECT_THAT(SpecOf(conv, "w").qparams().axes(), ElementsAre(0, 1));
  EXPECT_THAT(SpecOf(conv, "w").qparams().block_sizes(), ElementsAre(1, 1));
  const v1::Graph matmul = joined("m", 6, 2, 4);
  EXPECT_THAT(SpecOf(matmul, "m").qparams().axes(), ElementsAre(1, 0));
  EXPECT_THAT(SpecOf(matmul, "m").qparams().block_sizes(), ElementsAre(1, 4));
}

TEST(Nested, FlatFactorsOfFiltersAreInTheTensorsOrder) {
  const v1::Graph graph = Joined(R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
    {"name": "d", "dtype": "INT", "bw": 8, "compressed_bw": 4, "enc_type": "LPBQ", "is_sym": true, "block_size": 2,
     "scale": [1, 2, 3, 4, 5, 6], "offset": [-128, -128, -128, -128, -128, -128],
     "per_block_int_scale": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}]})");
  EXPECT_THAT(SpecOf(graph, "d").qparams().axes(), ElementsAre(1, 0));
  EXPECT_THAT(SpecOf(graph, "d").qparams().block_scales(), ElementsAre(1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12));
}

TEST(Blocks, ScalesStayInTheTensorsOrder) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "m", "output_dtype": "int4", "axis": 0, "block_size": 4, "y_scale": [[1,2,3,4,5,6],[7,8,9,10,11,12]]},
    {"name": "w", "output_dtype": "int4", "axis": 1, "block_size": 1, "y_scale":
      [[[[1]],[[2]]],[[[3]],[[4]]],[[[5]],[[6]]],[[[7]],[[8]]]]}]})");
  EXPECT_THAT(Problems(graph), IsEmpty());
  EXPECT_THAT(SpecOf(graph, "m").qparams().axes(), ElementsAre(0, 1));
  EXPECT_THAT(SpecOf(graph, "m").qparams().block_sizes(), ElementsAre(4, 1));
  EXPECT_THAT(SpecOf(graph, "w").qparams().axes(), ElementsAre(0, 1));
  EXPECT_EQ(SpecOf(graph, "w").qparams().scales_size(), 8);
}

// t is [6, 8]: as many blocks of 2 along the one dimension as along the other.
TEST(Blocks, ListsAreAsTheAxisSays) {
  const auto lists = [](int outer, int inner) {
    const std::string list = absl::StrCat("[", absl::StrJoin(std::vector<int>(inner, 1), ", "), "]");
    return absl::StrCat("[", absl::StrJoin(std::vector<std::string>(outer, list), ", "), "]");
  };
  const auto joined = [](absl::string_view fields) {
    return Joined(absl::StrCat(R"({"version": "2.0.0", "encodings": [{"name": "t", "output_dtype": "int4", "axis": 0,
        "block_size": 2, )",
                               fields, "}]}"));
  };
  EXPECT_THAT(Problems(joined(absl::StrCat(R"("y_scale": )", lists(3, 8)))), IsEmpty());
  EXPECT_THAT(Problems(joined(absl::StrCat(R"("y_scale": )", lists(6, 4)))), ElementsAre("INVALID axis"));
  const std::string channels =
      absl::StrCat(R"("per_channel_float_scale": )", lists(1, 8), R"(, "per_block_int_scale": )");
  EXPECT_THAT(Problems(joined(absl::StrCat(channels, lists(3, 8)))), IsEmpty());
  EXPECT_THAT(Problems(joined(absl::StrCat(channels, lists(6, 4)))), ElementsAre("INVALID axis"));
  EXPECT_THAT(Problems(joined(R"("y_scale": 1)")), ElementsAre("INVALID block_size"));
}

// The axis is that of QuantizeLinear where none is stated, and that it is not stated is a problem.
TEST(OneList, SeveralScalesHaveAnAxis) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "g", "output_dtype": "int8", "axis": 0, "y_scale": [1, 2, 3, 4, 5]},
    {"name": "x", "output_dtype": "int8", "axis": 0, "y_scale": 1},
    {"name": "w", "output_dtype": "int8", "y_scale": [1, 2, 3, 4]},
    {"name": "m", "output_dtype": "int4", "y_scale": [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("MISSING axis", "MISSING block_size", "MISSING axis"));
  EXPECT_THAT(SpecOf(graph, "w").qparams().axes(), ElementsAre(1));
}

// Whatever an axis is, the factors stay as they are.
TEST(Nested, AxesOutOfRange) {
  for (const char* axis : {"-9000000000", "-3", "7", "9000000000"}) {
    const v1::Graph graph = Joined(absl::StrCat(
        R"({"version": "2.0.0", "encodings": [{"name": "w", "output_dtype": "int4", "block_size": 1, "axis": )", axis,
        R"(, "per_channel_float_scale": [[0.5, 0.25]], "per_block_int_scale": [[16, 10], [15, 13]]}]})"));
    EXPECT_THAT(Problems(graph), IsEmpty());
    EXPECT_THAT(SpecOf(graph, "w").qparams().block_scales(), ElementsAre(16, 10, 15, 13)) << axis;
  }
}

// A width that nothing can have is a width: rules judge it.
TEST(OneList, WidthsAreDigits) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint-8", "y_scale": 1}, {"name": "y", "output_dtype": "int8 ", "y_scale": 1},
    {"name": "z", "output_dtype": "int", "y_scale": 1}, {"name": "w", "output_dtype": "int-", "y_scale": 1}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID output_dtype", "INVALID output_dtype", "INVALID output_dtype"));
  EXPECT_EQ(graph.encodings_file().encodings(0).bit_width(), -8);
}

// One of two layouts would be dropped in silence.
TEST(OneList, SectionsAreOfTheOtherLayouts) {
  const auto fields = [](absl::string_view more) {
    const encodings::ReadFile file = ReadText(absl::StrCat(R"({"version": "2.0.0", "encodings": [])", more, "}"));
    std::vector<std::string> fields;
    for (const v1::EncodingProblem& problem : file.file.problems()) fields.push_back(problem.field());
    return fields;
  };
  EXPECT_THAT(fields(R"(, "producer": {})"), IsEmpty());
  EXPECT_THAT(fields(R"(, "param_encodings": {})"), ElementsAre("param_encodings"));
  EXPECT_THAT(fields(R"(, "activation_encodings": [])"), ElementsAre("activation_encodings"));
}

// Readers tell the versions apart by it.
TEST(OneList, AWidthIsOfTheVersionBefore) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint8", "bw": 8, "y_scale": 1}, {"name": "y", "output_dtype": "uint8", "y_scale": 1}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID bw"));
}

TEST(OneList, ZeroPointsAreStatedAsTheyAre) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint8", "y_scale": 0.1, "y_zero_point": 128},
    {"name": "y", "output_dtype": "int8", "y_scale": [0.1]},
    {"name": "z", "output_dtype": "float16"}, {"output_dtype": "uint8", "y_scale": 1},
    {"name": "u", "output_dtype": "word", "y_scale": 1}, {"name": "nobody", "output_dtype": "uint3", "y_scale": 1},
    {"name": "w", "output_dtype": "bfloat32", "y_scale": 1}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("MISSING name", "INVALID output_dtype", "INVALID output_dtype"));
  EXPECT_THAT(SpecOf(graph, "x").qparams().zero_points(), ElementsAre(128));
  EXPECT_EQ(SpecOf(graph, "y").qscheme(), v1::Spec::PER_TENSOR_SYMMETRIC);
  EXPECT_TRUE(ValueOf(graph, "nobody").foreign());
  EXPECT_EQ(graph.encodings_file().encodings(5).bit_width(), 3);
}

TEST(OneList, ZeroPointsHaveTheShapeOfTheScales) {
  const auto problems = [](absl::string_view fields) {
    return Problems(Joined(
        absl::StrCat(R"({"version": "2.0.0", "encodings": [{"name": "g", "output_dtype": "uint8", )", fields, "}]}")));
  };
  EXPECT_THAT(problems(R"("y_scale": 0.1, "y_zero_point": [3])"), IsEmpty());
  EXPECT_THAT(problems(R"("y_scale": [0.1], "y_zero_point": 3)"), IsEmpty());
  EXPECT_THAT(problems(R"("y_scale": 0.1, "y_zero_point": [[3]])"), ElementsAre("INVALID y_zero_point"));
  constexpr char kChannels[] = R"("axis": 0, "y_scale": [1, 2, 3, 4, 5], "y_zero_point": )";
  EXPECT_THAT(problems(absl::StrCat(kChannels, "[1, 2, 3, 4, 5]")), IsEmpty());
  EXPECT_THAT(problems(absl::StrCat(kChannels, "[[1, 2, 3, 4, 5]]")), ElementsAre("INVALID y_zero_point"));
  // Another number of them is AX001's.
  EXPECT_THAT(problems(absl::StrCat(kChannels, "3")), IsEmpty());
  EXPECT_THAT(problems(absl::StrCat(kChannels, "[[3, 3]]")), IsEmpty());
  constexpr char kBlocks[] = R"("axis": 1, "block_size": 7, "y_scale": [[1], [2], [3], [4], [5]], "y_zero_point": )";
  EXPECT_THAT(problems(absl::StrCat(kBlocks, "[[1], [2], [3], [4], [5]]")), IsEmpty());
  EXPECT_THAT(problems(absl::StrCat(kBlocks, "[1, 2, 3, 4, 5]")), ElementsAre("INVALID y_zero_point"));
}

// Real numbers of 16 and 32 bits have no grid: one of two answers would be dropped in silence.
TEST(OneList, RealNumbersHaveNoGrid) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "float16", "y_scale": 0.1}, {"name": "y", "output_dtype": "bfloat16", "y_zero_point": 0},
    {"name": "w", "output_dtype": "float8e4m3fn", "block_size": 1, "axis": 1, "per_channel_float_scale": [[0.5]],
     "per_block_int_scale": [[16]]},
    {"name": "z", "output_dtype": "int8", "y_scale": 1, "per_channel_float_scale": [1], "per_block_int_scale": [[1]]},
    {"name": "u", "output_dtype": "float16"}, {"name": "v", "output_dtype": "float8"}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID y_scale", "INVALID y_zero_point", "INVALID per_block_int_scale",
                                           "INVALID per_channel_float_scale", "INVALID y_scale"));
}

TEST(RealNumbers, TensorsStayInTheTypeThatIsStated) {
  const v1::Graph list = Joined(R"({"version": "2.0.0", "encodings": [{"name": "x", "output_dtype": "float16"},
    {"name": "y", "output_dtype": "bfloat16"}, {"name": "z", "output_dtype": "float32"}]})");
  EXPECT_EQ(SpecOf(list, "x").dtype(), v1::DATA_TYPE_FLOAT16);
  EXPECT_EQ(SpecOf(list, "y").dtype(), v1::DATA_TYPE_BFLOAT16);
  EXPECT_EQ(SpecOf(list, "z").dtype(), v1::DATA_TYPE_FLOAT32);
  const v1::Graph listed = Joined(R"({"version": "1.0.0", "param_encodings": [], "activation_encodings": [
    {"name": "x", "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"}, {"name": "y", "dtype": "FLOAT", "bw": 8}]})");
  EXPECT_EQ(SpecOf(listed, "x").dtype(), v1::DATA_TYPE_FLOAT16);
  EXPECT_EQ(ValueOf(listed, "y").spec(), 0);  // which of the types of eight bits is not said
}

TEST(OneList, NarrowRealNumbersAreScaled) {
  const v1::Graph graph = Joined(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "float8e4m3fn", "y_scale": 0.1},
    {"name": "w", "output_dtype": "float8e5m2", "axis": 0, "y_scale": [1, 2, 3, 4]},
    {"name": "y", "output_dtype": "float8e5m2"}]})");
  EXPECT_THAT(Problems(graph), IsEmpty());
  EXPECT_EQ(SpecOf(graph, "x").dtype(), v1::DATA_TYPE_FLOAT8_E4M3FN);
  EXPECT_THAT(SpecOf(graph, "w").qparams().scales(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(ValueOf(graph, "y").spec(), 0);
}

TEST(Listed, RealNumbersHaveNoGrid) {
  const v1::Graph graph = Joined(R"({"version": "1.0.0", "activation_encodings": [
    {"name": "x", "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"}, {"name": "z", "dtype": "FLOAT", "bw": 16},
    {"name": "y", "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR", "scale": [1.0]}], "param_encodings": [
    {"name": "w", "dtype": "FLOAT", "bw": 8, "enc_type": "PER_CHANNEL", "is_sym": true},
    {"name": "m", "dtype": "FLOAT", "bw": 8, "enc_type": "PER_TENSOR", "per_block_int_scale": [1]}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID scale", "INVALID enc_type", "INVALID per_block_int_scale"));
}

// The format has flattened lists, of one number too: which of the lists inside belongs to what nobody says.
TEST(Listed, ListsAreFlat) {
  const auto problems = [](absl::string_view scale, absl::string_view offset) {
    return Problems(Joined(absl::StrCat(R"({"version": "1.0.0", "param_encodings": [], "activation_encodings": [
      {"name": "x", "dtype": "INT", "bw": 8, "enc_type": "PER_TENSOR", "is_sym": false, "scale": )",
                                        scale, R"(, "offset": )", offset, "}]}")));
  };
  EXPECT_THAT(problems("[0.1]", "[-3]"), IsEmpty());
  EXPECT_THAT(problems("[[0.1]]", "[-3]"), ElementsAre("INVALID scale"));
  EXPECT_THAT(problems("0.1", "[-3]"), ElementsAre("INVALID scale"));
  EXPECT_THAT(problems("[0.1]", "[[-3]]"), ElementsAre("INVALID offset"));
  EXPECT_THAT(problems("[]", "-3"), ElementsAre("INVALID scale", "INVALID offset"));
  const auto factors = [](absl::string_view text) {
    return Problems(Joined(absl::StrCat(R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
      {"name": "m", "dtype": "INT", "bw": 8, "enc_type": "LPBQ", "is_sym": true, "scale": [1, 1, 1, 1, 1, 1],
       "offset": [-128, -128, -128, -128, -128, -128], "block_size": 8, "compressed_bw": 4, "per_block_int_scale": )",
                                        text, "}]}")));
  };
  EXPECT_THAT(factors("[1, 1, 1, 1, 1, 1]"), IsEmpty());
  EXPECT_THAT(factors("[[1], [1], [1], [1], [1], [1]]"), ElementsAre("INVALID per_block_int_scale"));
}

// The offsets of an entry that cannot be read whole are still on the grid of `bw`, and are not said to be wrong.
TEST(Nested, OffsetsAreOnTheGridOfBothWidths) {
  const auto codes = [](absl::string_view offset, absl::string_view factors) {
    const v1::Graph graph =
        Joined(absl::StrCat(R"({"version": "1.0.0", "activation_encodings": [], "param_encodings": [
      {"name": "m", "dtype": "INT", "bw": 8, "enc_type": "LPBQ", "is_sym": true, "scale": [1, 1, 1, 1, 1, 1],
       "offset": [)",
                            offset, R"(, -128, -128, -128, -128, -128], "block_size": 8, "compressed_bw": 4,
       "per_block_int_scale": )",
                            factors, "}]}"));
    const testing::EmptyTables tables;
    ModuleRegistry modules(tables);
    v1::Report report;
    EXPECT_TRUE(Check(graph, CheckOptions(), modules, report).ok());
    std::vector<std::string> found;
    for (const v1::Finding& finding : report.results(0).findings()) {
      if (finding.location().value() == "m") found.push_back(finding.code());
    }
    return found;
  };
  EXPECT_THAT(codes("-128", "[1, 1, 1, 1, 1, 1]"), IsEmpty());
  EXPECT_THAT(codes("-8", "[1, 1, 1, 1, 1, 1]"), ElementsAre("FI024"));
  EXPECT_THAT(codes("-128", "[[1, 1, 1, 1, 1, 1]]"), ElementsAre("FI021"));
  EXPECT_THAT(codes("-8", "[[1, 1, 1, 1, 1, 1]]"), ElementsAre("FI021", "FI024"));
}

// Blocks that the kind of the entry does not have would be read by nobody.
TEST(Listed, GeometryIsThatOfTheKind) {
  const v1::Graph graph = Joined(R"({"version": "1.0.0", "activation_encodings": [
    {"name": "x", "dtype": "INT", "bw": 8, "enc_type": "PER_TENSOR", "is_sym": false, "scale": [1], "offset": [-128],
     "block_size": 4}], "param_encodings": [
    {"name": "g", "dtype": "INT", "bw": 8, "enc_type": "PER_CHANNEL", "is_sym": true, "scale": [1, 1, 1, 1, 1],
     "offset": [-128, -128, -128, -128, -128], "compressed_bw": 4},
    {"name": "m", "dtype": "INT", "bw": 8, "enc_type": "LPBQ", "is_sym": true, "scale": [1, 1, 1, 1, 1, 1],
     "offset": [-128, -128, -128, -128, -128, -128], "block_size": 8, "compressed_bw": 0,
     "per_block_int_scale": [1, 1, 1, 1, 1, 1]}]})");
  EXPECT_THAT(Problems(graph), ElementsAre("INVALID block_size", "INVALID compressed_bw", "INVALID compressed_bw"));
}

TEST(Keyed, RealNumbersHaveNoGrid) {
  const std::string entries = R"({"x": [{"bitwidth": 16, "dtype": "float", "scale": 0.1, "offset": 0}],
                                 "y": [{"bitwidth": 16, "dtype": "float"}]}, "param_encodings": {}})";
  EXPECT_THAT(Problems(Joined(absl::StrCat(R"({"version": "0.6.1", "activation_encodings": )", entries))),
              ElementsAre("INVALID scale", "INVALID offset"));
  // An override may say more than the converter reads.
  EXPECT_THAT(Problems(Joined(absl::StrCat(R"({"activation_encodings": )", entries))), IsEmpty());
}

// x -> If, whose branches are a Conv of the captured x with a weight of their own.
v1::Graph Branching() {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_ANNOTATED);
  b.Input("c", v1::DATA_TYPE_BOOL, {});
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 2, 8, 8});
  v1::Node& branch = b.Node("If", "if", {"c"}, {"y"});
  for (int i = 0; i < 2; ++i) {
    GraphBuilder body(v1::Graph::ONNX, v1::STAGE_ANNOTATED);
    body.Shape("x", v1::DATA_TYPE_FLOAT32, {1, 2, 8, 8}).set_captured(2);
    body.Weight(i == 0 ? "w" : "other", v1::DATA_TYPE_FLOAT32, {4, 2, 3, 3}, 288);
    body.Node("Conv", "conv", {"x", i == 0 ? "w" : "other"}, {"z"});
    body.Output("z");
    *b.graph.add_subgraphs() = body.graph;
    v1::Attribute& attribute = *branch.add_attributes();
    attribute.set_name(b.Symbol(i == 0 ? "then_branch" : "else_branch"));
    attribute.set_graph(i + 1);
  }
  b.Output("y");
  return b.graph;
}

TEST(Bodies, AreJoinedLikeTheirGraph) {
  v1::Graph graph = Branching();
  encodings::Join(ReadText(R"({"version": "3.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint8", "y_scale": 0.5}, {"name": "z", "output_dtype": "uint8", "y_scale": 2},
    {"name": "w", "output_dtype": "int8", "axis": 0, "y_scale": [1, 2, 3]},
    {"name": "nobody", "output_dtype": "int8", "y_scale": 1}]})"),
                  &graph);
  EXPECT_EQ(graph.stage(), v1::STAGE_CALIBRATED);
  const v1::Graph& then_branch = graph.subgraphs(0);
  const v1::Graph& else_branch = graph.subgraphs(1);
  EXPECT_EQ(then_branch.stage(), v1::STAGE_CALIBRATED);
  EXPECT_TRUE(ValueOf(graph, "nobody").foreign());
  EXPECT_EQ(graph.encodings_file().encodings_size(), 2);
  EXPECT_EQ(then_branch.encodings_file().encodings_size(), 2);
  EXPECT_EQ(else_branch.encodings_file().encodings_size(), 1);
  EXPECT_THAT(SpecOf(then_branch, "w").qparams().scales(), ElementsAre(1, 2, 3));
  EXPECT_THAT(SpecOf(else_branch, "z").qparams().scales(), ElementsAre(2));
  // As it is around the body.
  EXPECT_THAT(SpecOf(else_branch, "x").qparams().scales(), ElementsAre(0.5));

  const testing::EmptyTables tables;
  ModuleRegistry modules(tables);
  v1::Report report;
  ASSERT_TRUE(Check(graph, CheckOptions(), modules, report).ok());
  std::vector<std::string> found;
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.severity() == v1::Finding::INFO) continue;
    found.push_back(absl::StrCat(finding.code(), " ", finding.location().subgraph()));
  }
  // The version once, the name that there is not, and the weight with a scale too few in its branch.
  EXPECT_THAT(found, ElementsAre("FI022 ", "GS015 ", "AX001 if/then_branch"));
}

TEST(Alone, NamesAreValues) {
  const v1::Graph graph = encodings::Alone(ReadText(R"({"version": "2.0.0", "encodings": [
    {"name": "x", "output_dtype": "uint8", "y_scale": 0.1}]})"));
  EXPECT_TRUE(graph.encodings_file().alone());
  ASSERT_EQ(graph.values_size(), 1);
  EXPECT_EQ(graph.values(0).name(), "x");
  EXPECT_EQ(graph.nodes_size(), 0);
}

TEST(Read, OtherJson) {
  for (const char* text : {"{}", "[]", "3", "{\"tensors\": []}"}) {
    const absl::Status status = encodings::Read(text).status();
    EXPECT_EQ(ErrorCode(status), "FI001") << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("holds no encodings"));
  }
}

}  // namespace
}  // namespace quantgate
