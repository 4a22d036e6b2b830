// Encodings files: what an entry says of itself, and how it fits its model.
#include <cmath>

#include "tests/rules/soundness/case.h"

namespace quantgate::testing {
namespace {

v1::EncodingsFile& File(GraphBuilder& b) { return *b.graph.mutable_encodings_file(); }

v1::Encoding& EncodingOf(GraphBuilder& b, const std::string& name) {
  for (v1::Encoding& encoding : *File(b).mutable_encodings()) {
    if (encoding.value() == b.Id(name)) return encoding;
  }
  std::abort();
}

v1::Spec& EncodedSpec(GraphBuilder& b, const std::string& name) {
  return *b.graph.mutable_specs(EncodingOf(b, name).spec() - 1);
}

// Eight bits, with these offsets on the unsigned grid.
v1::Encoding& Encode(GraphBuilder& b, const std::string& name, const std::vector<double>& scales, double offset,
                     bool symmetric, v1::Encoding::Section section) {
  const bool is_signed = symmetric && section == v1::Encoding::SECTION_PARAMETERS;
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(is_signed ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8);
  spec.set_is_dynamic(false);
  v1::Encoding& encoding = *File(b).add_encodings();
  encoding.set_section(section);
  encoding.set_value(b.Id(name));
  encoding.set_spec(b.graph.specs_size());
  encoding.set_bit_width(8);
  encoding.set_is_symmetric(symmetric);
  encoding.set_line(2);
  encoding.set_column(7);
  for (double scale : scales) {
    spec.mutable_qparams()->add_scales(scale);
    spec.mutable_qparams()->add_zero_points(0.0 - offset - (is_signed ? 128 : 0));
    encoding.add_offsets(offset);
    encoding.add_minima(scale * offset);
    encoding.add_maxima(scale * (offset + 255));
  }
  if (scales.size() > 1) spec.mutable_qparams()->add_axes(0);
  b.Value(name).set_spec(b.graph.specs_size());
  return encoding;
}

// x -> Conv (per-channel w, real b) -> y -> Relu -> z, with an AIMET 0.6.1 file.
GraphBuilder Encoded() {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_CALIBRATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 3, 8, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {2, 3, 3, 3}, 216);
  b.Weight("b", v1::DATA_TYPE_FLOAT32, {2}, 8);
  b.Node("Conv", "conv", {"x", "w", "b"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 2, 6, 6});
  b.Node("Relu", "relu", {"y"}, {"z"});
  b.Shape("z", v1::DATA_TYPE_FLOAT32, {1, 2, 6, 6});
  b.Output("z");
  File(b).set_layout(v1::EncodingsFile::LAYOUT_KEYED);
  File(b).set_version("0.6.1");
  File(b).set_version_is_string(true);
  Encode(b, "x", {0.02}, -120, false, v1::Encoding::SECTION_ACTIVATIONS);
  Encode(b, "w", {0.01, 0.02}, -128, true, v1::Encoding::SECTION_PARAMETERS);
  Encode(b, "z", {0.1}, 0, false, v1::Encoding::SECTION_ACTIVATIONS);
  return b;
}

// The same network with a weight matrix whose scales are nested (LPBQ), as AIMET 2.0.0 has them.
GraphBuilder Nested() {
  GraphBuilder b(v1::Graph::ONNX, v1::STAGE_CALIBRATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 64});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {64, 2}, 512);
  b.Node("MatMul", "matmul", {"x", "w"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 2});
  b.Output("y");
  File(b).set_layout(v1::EncodingsFile::LAYOUT_ONE_LIST);
  File(b).set_version("2.0.0");
  File(b).set_version_is_string(true);
  v1::Encoding& encoding = Encode(b, "w", {0.01, 0.02}, -128, true, v1::Encoding::SECTION_PARAMETERS);
  encoding.clear_section();
  encoding.clear_offsets();
  encoding.clear_minima();
  encoding.clear_maxima();
  encoding.set_bit_width(4);
  encoding.set_block_size(32);
  v1::Spec& spec = EncodedSpec(b, "w");
  spec.set_dtype(v1::DATA_TYPE_INT4);
  spec.set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
  v1::QParams& qparams = *spec.mutable_qparams();
  qparams.clear_zero_points();
  qparams.clear_axes();
  for (int axis : {1, 0}) qparams.add_axes(axis);
  for (int size : {1, 32}) qparams.add_block_sizes(size);
  for (double factor : {1.0, 16.0, 7.0, 3.0}) qparams.add_block_scales(factor);
  qparams.set_block_scale_bits(4);
  return b;
}

void AddProblem(v1::EncodingProblem& problem, v1::EncodingProblem::Kind kind, const std::string& field) {
  problem.set_kind(kind);
  problem.set_field(field);
  problem.set_observed("\"0.05\"");
  problem.set_allowed("a number");
  problem.set_line(3);
  problem.set_column(9);
}

void AddForeign(GraphBuilder& b, const std::string& name) {
  Encode(b, name, {0.1}, -3, false, v1::Encoding::SECTION_ACTIVATIONS);
  b.Value(name).set_foreign(true);
}

}  // namespace

std::vector<SoundnessCase> EncodingsCases() {
  const auto warning = v1::Finding::WARNING;
  return {
      {"SoundEncodings", Encoded, [](GraphBuilder&) {}, ""},
      {"SoundNestedEncodings", Nested, [](GraphBuilder&) {}, ""},
      {"EncodingsWithoutModel", Encoded,
       [](GraphBuilder& b) {
         File(b).set_alone(true);
         b.graph.clear_nodes();
         b.graph.clear_inputs();
         b.graph.clear_outputs();
         b.graph.clear_format_version();
         for (v1::Value& value : *b.graph.mutable_values()) {
           value.set_foreign(true);
           value.clear_constant();
           value.clear_dims();
           value.set_has_shape(false);
         }
       },
       ""},
      {"EncodingFieldMissing", Encoded,
       [](GraphBuilder& b) {
         AddProblem(*EncodingOf(b, "z").add_problems(), v1::EncodingProblem::KIND_MISSING, "bitwidth");
       },
       "FI021", "relu", "z"},
      {"EncodingFieldOfOtherKind", Encoded,
       [](GraphBuilder& b) {
         AddProblem(*EncodingOf(b, "w").add_problems(), v1::EncodingProblem::KIND_INVALID, "scale");
       },
       "FI021", "", "w"},
      {"EncodingKeyTwice", Encoded,
       [](GraphBuilder& b) { AddProblem(*File(b).add_problems(), v1::EncodingProblem::KIND_REPEATED, "version"); },
       "FI021"},
      {"EncodingsOfNoVersion", Encoded, [](GraphBuilder& b) { File(b).clear_version(); }, "FI022"},
      {"EncodingsOfOtherVersion", Encoded, [](GraphBuilder& b) { File(b).set_version("2.0.0"); }, "FI022"},
      {"EncodingsVersionIsNumber", Encoded, [](GraphBuilder& b) { File(b).set_version_is_string(false); }, "FI022"},
      {"EncodingsOfOldVersion", Encoded, [](GraphBuilder& b) { File(b).set_version("0.5.0"); }, ""},
      {"OverridesHaveNoVersion", Encoded,
       [](GraphBuilder& b) {
         File(b).clear_version();
         File(b).set_partial(true);
       },
       ""},
      {"EncodedTwice", Encoded,
       [](GraphBuilder& b) { Encode(b, "z", {0.2}, 0, false, v1::Encoding::SECTION_ACTIVATIONS); }, "FI023", "relu",
       "z"},
      {"EncodedTwiceAlike", Encoded,
       [](GraphBuilder& b) { Encode(b, "z", {0.1}, 0, false, v1::Encoding::SECTION_ACTIVATIONS); }, "FI023", "relu",
       "z", -1, warning},
      {"SymmetricWithOffset", Encoded, [](GraphBuilder& b) { EncodingOf(b, "w").set_offsets(1, -7); }, "FI024", "", "w",
       1},
      {"SymmetricWithoutSmallestNumber", Encoded,
       [](GraphBuilder& b) {
         v1::Encoding& encoding = EncodingOf(b, "w");
         encoding.clear_minima();
         encoding.clear_maxima();
         encoding.set_offsets(0, -127);
         encoding.set_offsets(1, -127);
       },
       "FI024", "", "w", 0, warning},
      {"RangeIsNotThatOfScale", Encoded, [](GraphBuilder& b) { EncodingOf(b, "z").set_maxima(0, 30); }, "FI024", "relu",
       "z", -1, warning},
      {"RangeWithinHalfAStep", Encoded, [](GraphBuilder& b) { EncodingOf(b, "z").set_maxima(0, 25.54); }, ""},
      {"UnknownTensor", Encoded, [](GraphBuilder& b) { AddForeign(b, "zz"); }, "GS015", "", "zz", -1, warning},
      {"ActivationAmongParameters", Encoded,
       [](GraphBuilder& b) { EncodingOf(b, "z").set_section(v1::Encoding::SECTION_PARAMETERS); }, "GS015", "relu", "z",
       -1, warning},
      {"ParameterAmongActivations", Encoded,
       [](GraphBuilder& b) { EncodingOf(b, "w").set_section(v1::Encoding::SECTION_ACTIVATIONS); }, "GS015", "", "w", -1,
       warning},
      {"NoEncodings", Encoded,
       [](GraphBuilder& b) {
         File(b).clear_encodings();
         for (v1::Value& value : *b.graph.mutable_values()) value.clear_spec();
       },
       "GS016", "", "", -1, warning},
      {"EncodingOfThreeBits", Encoded, [](GraphBuilder& b) { EncodingOf(b, "z").set_bit_width(3); }, "DT006", "relu",
       "z"},
      {"EncodingOfNegativeBits", Encoded, [](GraphBuilder& b) { EncodingOf(b, "x").set_bit_width(-8); }, "DT006", "",
       "x"},
      {"EncodingOfHalfs", Encoded,
       [](GraphBuilder& b) {
         v1::Encoding& encoding = EncodingOf(b, "z");
         encoding.set_is_float(true);
         encoding.set_bit_width(16);
         encoding.clear_offsets();
         encoding.clear_minima();
         encoding.clear_maxima();
         encoding.clear_spec();
         b.Value("z").clear_spec();
       },
       ""},
      {"OffsetOfNestedScalesWithFraction", Nested,
       [](GraphBuilder& b) {
         File(b).set_layout(v1::EncodingsFile::LAYOUT_TWO_LISTS);
         File(b).set_version("1.0.0");
         EncodingOf(b, "w").set_section(v1::Encoding::SECTION_PARAMETERS);
         for (double offset : {-128.0, -127.5}) EncodingOf(b, "w").add_offsets(offset);
       },
       "NR007", "", "w", 1, warning},
      {"NestedScaleIsNegative", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_scales(1, -0.02); }, "NR001", "matmul", "w", 1},
      {"MatrixUnderActivations", Nested,
       [](GraphBuilder& b) { EncodingOf(b, "w").set_section(v1::Encoding::SECTION_ACTIVATIONS); }, "GS015", "", "w", -1,
       warning},
      {"BlockFactorTooLarge", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_block_scales(2, 17); }, "NR006", "matmul", "w",
       2},
      {"BlockFactorOfZero", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_block_scales(1, 0); }, "NR006", "matmul", "w",
       1},
      {"BlockFactorWithFraction", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_block_scales(3, 3.5); }, "NR006", "matmul", "w",
       3},
      {"BlockFactorTooMany", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->add_block_scales(1); }, "AX003", "matmul", "w"},
      {"EncodedBlocksDoNotDivide", Nested,
       [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_block_sizes(1, 24); }, "AX003", "matmul", "w"},
      {"EncodedBlockOfNothing", Nested, [](GraphBuilder& b) { EncodingOf(b, "w").set_block_size(-16); }, "AX003", "",
       "w"},
      {"EncodedAxisOutOfRange", Encoded, [](GraphBuilder& b) { EncodedSpec(b, "w").mutable_qparams()->set_axes(0, 7); },
       "AX002", "conv", "w"},
      {"EncodedScalesMissing", Encoded,
       [](GraphBuilder& b) {
         EncodedSpec(b, "w").mutable_qparams()->add_scales(0.1);
         EncodedSpec(b, "w").mutable_qparams()->add_zero_points(0);
       },
       "AX001", "conv", "w"},
      {"EncodedScaleOfZero", Encoded, [](GraphBuilder& b) { EncodedSpec(b, "z").mutable_qparams()->set_scales(0, 0); },
       "NR001", "relu", "z"},
      {"PositiveOffset", Encoded, [](GraphBuilder& b) { EncodingOf(b, "x").set_offsets(0, 121); }, "NR007", "", "x"},
      {"OffsetBelowGrid", Encoded, [](GraphBuilder& b) { EncodingOf(b, "x").set_offsets(0, -256); }, "NR007", "", "x"},
      {"OffsetWithFraction", Encoded,
       [](GraphBuilder& b) {
         v1::Encoding& encoding = EncodingOf(b, "x");
         encoding.set_offsets(0, -120.4);
         encoding.clear_minima();
         encoding.clear_maxima();
       },
       "NR007", "", "x", -1, warning},
      {"SymmetricOffsetWithFraction", Encoded,
       [](GraphBuilder& b) {
         v1::Encoding& encoding = EncodingOf(b, "w");
         encoding.set_offsets(1, -127.5);
         encoding.clear_minima();
         encoding.clear_maxima();
       },
       "NR007", "", "w", 1, warning},
      {"RangeUpsideDown", Encoded,
       [](GraphBuilder& b) {
         EncodingOf(b, "z").set_minima(0, 3);
         EncodingOf(b, "z").set_maxima(0, -3);
       },
       "NR008", "relu", "z"},
  };
}

}  // namespace quantgate::testing
