// Every predicate kind: an operator that violates it, one next to it that does not, and one that cannot be judged.
#include <functional>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/constraints/predicate.h"
#include "tests/rules/constraints/fixture.h"

namespace quantgate {
namespace {

using Change = std::function<void(TestOp&)>;

struct KindCase {
  const char* name;
  const char* port;
  const char* predicate;
  const char* code;  // of the violation; null: never violated
  Change fires;
  const char* observed;
  const char* allowed;
  Change holds;
  Change unknown;           // null: can always be judged
  const char* reason = "";  // part of it
};

void PrintTo(const KindCase& test, std::ostream* out) { *out << test.name; }

const double kNan = std::numeric_limits<double>::quiet_NaN();

// The operator that cases change: activations, per-channel weights, bias.
TestOp BaseOp() {
  TestOp op;
  op.Input(0, "UFIXED_POINT_8").Shape(op.in(0), {1, 8, 8, 3});
  op.Input(1, "SFIXED_POINT_8").Shape(op.in(1), {3, 3, 3, 2}).PerChannel(op.in(1), 3, {0.01, 0.02}, {0, 0});
  op.in(1).is_static = true;
  op.Input(2, "SFIXED_POINT_32").Shape(op.in(2), {2});
  op.in(2).is_static = true;
  op.Output(0, "UFIXED_POINT_8").Shape(op.out(0), {1, 8, 8, 2});
  return op;
}

void Nothing(TestOp&) {}

// Before calibration: no numbers, and the schemes that the observers of in[0] and out[0] are asked for.
void Asked(TestOp& op, Tri in, Tri out) {
  op.in(0).qparams = op.out(0).qparams = nullptr;
  op.in(0).asked_symmetric = in;
  op.out(0).asked_symmetric = out;
}
// Before calibration: symmetric schemes over these types.
void KeptBySchemes(TestOp& op, const char* in, const char* out) {
  op.Input(0, in).Output(0, out);
  op.in(0).qparams = op.out(0).qparams = nullptr;
  op.in(0).symmetric = op.out(0).symmetric = Tri::kYes;
}
void NoRank(TestOp& op) {
  op.in(0).rank = -1;
  op.in(0).dims = {};
}

const std::vector<KindCase>& Cases() {
  static const auto* cases = new std::vector<KindCase>{
      // Shapes.
      {"RankMax", "in[0]", "rank max=4", "GS103", [](TestOp& op) { op.Shape(op.in(0), {1, 1, 8, 8, 3}); }, "5",
       "at most 4", Nothing, NoRank, "rank is not known"},
      {"RankBetween", "in[0]", "rank min=1 max=5", "GS103", [](TestOp& op) { op.Shape(op.in(0), {}); }, "0", "1 to 5",
       [](TestOp& op) { op.Shape(op.in(0), {1, 1, 8, 8, 3}); }, NoRank},
      {"RankMust", "in[0]", "rank min=5 max=5", "GS103", Nothing, "4", "5",
       [](TestOp& op) { op.Shape(op.in(0), {1, 1, 8, 8, 3}); }, NoRank},
      {"DimValue", "in[0]", "dim_value dim=0 value=1", "GS104", [](TestOp& op) { op.Shape(op.in(0), {2, 8, 8, 3}); },
       "dimension 0 of size 2", "dimension 0 of size 1", Nothing, [](TestOp& op) { op.Shape(op.in(0), {-1, 8, 8, 3}); },
       "size of dimension 0"},
      {"DimValueFromTheEnd", "in[0]", "dim_value dim=-1 value=3", "GS104",
       [](TestOp& op) { op.Shape(op.in(0), {1, 8, 8, 4}); }, "dimension -1 of size 4", "dimension -1 of size 3", Nothing,
       NoRank},
      {"DimValueOfScalar", "in[0]", "dim_value dim=0 value=1", "GS104", [](TestOp& op) { op.Shape(op.in(0), {}); },
       "rank 0", "dimension 0 of size 1", Nothing, NoRank},
      {"PowerOfTwo", "in[0]", "power_of_two dim=-1", "GS104", Nothing, "dimension -1 of size 3",
       "dimension -1 a power of two", [](TestOp& op) { op.Shape(op.in(0), {1, 8, 8, 16}); }, NoRank},
      {"PowerOfTwoIsNotZero", "in[0]", "power_of_two dim=1", "GS104",
       [](TestOp& op) { op.Shape(op.in(0), {1, 0, 8, 3}); }, "dimension 1 of size 0", "dimension 1 a power of two",
       [](TestOp& op) { op.Shape(op.in(0), {3, 1, 8, 3}); }, NoRank},
      {"StaticDims", "in[0]", "static_dims", "GS105", [](TestOp& op) { op.Shape(op.in(0), {-1, 8, 8, 3}); },
       "a dynamic dimension 0", "fixed sizes only", Nothing, NoRank, "shape is not known"},
      {"StaticDimsByFlag", "in[0]", "static_dims", "GS105", [](TestOp& op) { op.in(0).dynamic_shape = Tri::kYes; },
       "a dynamic shape", "fixed sizes only", Nothing, NoRank},
      {"SpatialAreaBelow", "region", "spatial_area_below port=in[0] limit=64 when_param=region:WITHIN=1", "GS104",
       [](TestOp& op) { op.Param("region", {1}); }, "height x width 8 x 8 at in[0]", "less than 64",
       [](TestOp& op) { op.Param("region", {1}).Shape(op.in(0), {1, 7, 9, 3}); },
       [](TestOp& op) { op.Param("region", {1}).Shape(op.in(0), {1, -1, 9, 3}); }, "height and width"},
      {"SqueezedRank", "in[0]", "squeezed_rank max=2", "GS104", Nothing, "3 dimensions of more than one element",
       "at most 2", [](TestOp& op) { op.Shape(op.in(0), {1, 8, 3}); },
       [](TestOp& op) { op.Shape(op.in(0), {-1, 8, 3}); }, "shape is not known"},
      {"IntegerUpscale", "out[0]", "integer_upscale port=in[0]", "GS104",
       [](TestOp& op) { op.Shape(op.out(0), {1, 16, 24, 2}); }, "8 x 8 resized to 16 x 24",
       "one whole factor for height and width", [](TestOp& op) { op.Shape(op.out(0), {1, 16, 16, 2}); },
       [](TestOp& op) { op.Shape(op.out(0), {1, -1, 16, 2}); }, "height and width"},
      {"Downscale", "out[0]", "integer_upscale port=in[0]", "GS104",
       [](TestOp& op) { op.Shape(op.out(0), {1, 4, 4, 2}); }, "8 x 8 resized to 4 x 4",
       "one whole factor for height and width", Nothing, NoRank, "height and width"},
      {"RunTimeQparams", "in[0]", "run_time_qparams value=yes", "QS105",
       [](TestOp& op) { op.in(0).dynamic_qparams = Tri::kNo; }, "scale and zero point that are known beforehand",
       "scale and zero point that are computed at run time",
       [](TestOp& op) { op.in(0).dynamic_qparams = Tri::kYes; },
       [](TestOp& op) { op.in(0).dynamic_qparams = Tri::kUnknown; }, "not known whether"},

      // Types.
      {"Types", "in[0]", "types allowed=UFIXED_POINT_8,INT_32", "DT104",
       [](TestOp& op) { op.Input(0, "SFIXED_POINT_8"); }, "SFIXED_POINT_8", "UFIXED_POINT_8 or INT_32", Nothing,
       [](TestOp& op) { op.in(0).type = {}; }, "element type"},
      {"PortTypes", "in[1]", "port_types port=in[0] allowed=UFIXED_POINT_16 when_type=SFIXED_POINT_16", "DT104",
       [](TestOp& op) { op.Input(1, "SFIXED_POINT_16"); }, "SFIXED_POINT_16 with UFIXED_POINT_8 at in[0]",
       "UFIXED_POINT_16 at in[0]", [](TestOp& op) { op.Input(1, "SFIXED_POINT_16").Input(0, "UFIXED_POINT_16"); },
       [](TestOp& op) {
         op.Input(1, "SFIXED_POINT_16");
         op.in(0).type = {};
       },
       "element type of in[0]"},
      {"Bits", "in[1]", "bits allowed=4,8", "DT103", [](TestOp& op) { op.in(1).bits = 3; }, "3", "4 or 8",
       [](TestOp& op) { op.in(1).bits = 4; }, [](TestOp& op) { op.in(1).bits = 0; }, "bit width"},
      {"Signed", "in[1]", "signed when_encoding=per_channel", "QS102",
       [](TestOp& op) { op.in(1).type = Type("UFIXED_POINT_8"); }, "UFIXED_POINT_8", "a signed type", Nothing,
       [](TestOp& op) { op.in(1).type = {v1::DATA_TYPE_UNSPECIFIED, true}; }, "element type"},
      // The matcher of these tests runs at V73.
      {"MinArch", "in[1]", "min_arch arch=79 when_encoding=block_expansion", "DT105",
       [](TestOp& op) { op.in(1).encoding = Encoding::kBlockExpansion; },
       "SFIXED_POINT_8 block_expansion on V73", "V79 or later", Nothing,
       [](TestOp& op) { op.in(1).encoding = Encoding::kUndefined; }, "not known whether this applies"},

      // Encodings.
      {"Encodings", "in[1]", "encodings allowed=per_tensor,per_channel", "QS103",
       [](TestOp& op) { op.in(1).encoding = Encoding::kBlock; }, "block", "per_tensor or per_channel", Nothing,
       [](TestOp& op) { op.in(1).encoding = Encoding::kUndefined; }, "encoding is not known"},
      {"EncodingsPerTensorOnly", "in[0]", "encodings allowed=per_tensor", "AX102",
       [](TestOp& op) { op.PerChannel(op.in(0), 3, {1, 1, 1}, {}); }, "per_channel", "per_tensor", Nothing,
       [](TestOp& op) { op.in(0).encoding = Encoding::kNone; }},
      {"EncodingsOfFloat", "in[0]", "encodings allowed=per_channel", "QS103", Nothing, "per_tensor", "per_channel",
       [](TestOp& op) { op.in(0) = BackendTensor(), op.Input(0, "FLOAT_16"); },
       [](TestOp& op) { op.in(0).encoding = Encoding::kNone; }},
      {"EncodingUnsupported", "in[1]", "encoding_unsupported encodings=per_channel", "QS103", Nothing, "per_channel",
       "any but per_channel", [](TestOp& op) { op.Input(1, "SFIXED_POINT_8"); },
       [](TestOp& op) { op.in(1).encoding = Encoding::kNone; }},
      {"EncodingAxis", "in[1]", "encoding_axis axis=-1 when_encoding=per_channel", "AX101",
       [](TestOp& op) { op.in(1).axis = 2; }, "2", "axis 3, the last", Nothing, [](TestOp& op) { op.in(1).axis = -1; },
       "axis is not known"},
      {"EncodingAxisFirst", "in[1]", "encoding_axis axis=0 when_encoding=per_channel", "AX101", Nothing, "3", "axis 0",
       [](TestOp& op) { op.in(1).axis = 0; }, [](TestOp& op) { op.in(1).encoding = Encoding::kUndefined; }},
      {"EncodingAxisRank", "in[1]", "encoding_axis axis=-1 when_param=transpose:0", "AX101",
       [](TestOp& op) {
         op.Param("transpose", {0});
         op.in(1).axis = 0;
       },
       "0", "axis 3, the last", [](TestOp& op) { op.Param("transpose", {1}).in(1).axis = 0; },
       [](TestOp& op) {
         op.Param("transpose", {0});
         op.in(1).rank = -1;
       },
       "rank is not known"},
      {"SymmetricSigned", "in[1]", "symmetric", "QS101",
       [](TestOp& op) { op.PerChannel(op.in(1), 3, {0.01, 0.02}, {0, 3}); }, "zero point 3 at index 1",
       "symmetric, zero point 0", Nothing, [](TestOp& op) { op.in(1).qparams = nullptr; }, "neither zero point nor"},
      {"SymmetricUnsigned", "in[0]", "symmetric", "QS101", [](TestOp& op) { op.Qparams(op.in(0), {0.1}, {127}); },
       "zero point 127", "symmetric, zero point 128", Nothing, [](TestOp& op) { op.in(0).qparams = nullptr; }},
      {"SymmetricUnsignedWithoutZeroPoint", "in[0]", "symmetric", "QS101",
       [](TestOp& op) { op.Qparams(op.in(0), {0.1}, {}); }, "zero point 0", "symmetric, zero point 128", Nothing,
       [](TestOp& op) { op.in(0).qparams = nullptr; }},
      {"SymmetricUnsigned4Bits", "in[0]", "symmetric", "QS101", [](TestOp& op) { op.in(0).bits = 4; },
       "zero point 128", "symmetric, zero point 8",
       [](TestOp& op) {
         op.in(0).bits = 4;
         op.Qparams(op.in(0), {0.1}, {8});
       },
       [](TestOp& op) { op.in(0).qparams = nullptr; }},
      {"SymmetricUnsigned16Bits", "in[1]", "symmetric", "QS101",
       [](TestOp& op) { op.Input(1, "UFIXED_POINT_16").Qparams(op.in(1), {0.1}, {32767}); }, "zero point 32767",
       "symmetric, zero point 32768", [](TestOp& op) { op.Input(1, "UFIXED_POINT_16"); },
       [](TestOp& op) { op.in(1).qparams = nullptr; }},
      // V16: a lopsided range is not symmetric even with zero point 0, a scheme alone decides before calibration.
      {"SymmetricByRange", "in[1]", "symmetric", "QS101", [](TestOp& op) { op.in(1).symmetric = Tri::kNo; },
       "an asymmetric range or scheme", "symmetric, zero point 0",
       [](TestOp& op) {
         op.in(1).qparams = nullptr;
         op.in(1).symmetric = Tri::kYes;
       },
       [](TestOp& op) { op.in(1).qparams = nullptr; }},
      {"Asymmetric", "in[2]", "asymmetric when_type=UFIXED_POINT_8", "QS101",
       [](TestOp& op) {
         op.Input(2, "UFIXED_POINT_8");
         op.in(2).qparams = nullptr;
         op.in(2).symmetric = Tri::kYes;
       },
       "a symmetric scheme", "an asymmetric scheme",
       [](TestOp& op) { op.Input(2, "UFIXED_POINT_8").Qparams(op.in(2), {0.1}, {3}); },
       [](TestOp& op) { op.Input(2, "UFIXED_POINT_8"); }, "scheme is not recorded"},

      // Quantization parameters.
      {"FixedQparamsScale", "out[0]", "fixed_qparams scale=1/65536 zero_point=0 when_type=UFIXED_POINT_16", "FX101",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.0 / 32768}, {0}); },
       "scale 3.051758e-05 and zero point 0", "scale 1.525879e-05 and zero point 0",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.5258789e-05}, {0}); },
       [](TestOp& op) {
         op.Output(0, "UFIXED_POINT_16");
         op.out(0).qparams = nullptr;
       },
       "not known at this stage"},
      {"FixedQparamsTolerance", "out[0]", "fixed_qparams scale=1/256 zero_point=0", "FX101",
       [](TestOp& op) { op.Qparams(op.out(0), {1.00002 / 256}, {0}); }, "scale 0.003906328 and zero point 0",
       "scale 0.00390625 and zero point 0", [](TestOp& op) { op.Qparams(op.out(0), {1.000009 / 256}, {0}); },
       [](TestOp& op) { op.Qparams(op.out(0), {1.0 / 256, 1.0 / 256, 1.0 / 256}, {0, 0}); }},
      {"FixedQparamsZeroPoint", "out[0]", "fixed_qparams scale=1/32768 zero_point=32768", "FX101",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.0 / 32768}, {32767}); },
       "scale 3.051758e-05 and zero point 32767", "scale 3.051758e-05 and zero point 32768",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.0 / 32768}, {32768}); },
       [](TestOp& op) { op.out(0).qparams = nullptr; }},
      {"FixedQparamsOfAnyZeroPoint", "out[0]", "fixed_qparams scale=1/32768", "FX101",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.0 / 65536}, {32767}); },
       "scale 1.525879e-05", "scale 3.051758e-05",
       [](TestOp& op) { op.Output(0, "UFIXED_POINT_16").Qparams(op.out(0), {1.0 / 32768}, {32767}); },
       [](TestOp& op) { op.out(0).qparams = nullptr; }},
      {"FixedQparamsZeroScale", "in[2]", "fixed_qparams scale=0 zero_point=0 when_port_encoding=in[1]:per_channel",
       "FX101", Nothing, "scale 0.02 and zero point 0", "scale 0 and zero point 0",
       [](TestOp& op) { op.Qparams(op.in(2), {0, 0}, {}); }, [](TestOp& op) { op.in(1).encoding = Encoding::kNone; },
       "not known whether this applies"},
      {"FixedQparamsNan", "out[0]", "fixed_qparams scale=1/256 zero_point=0", "FX101",
       [](TestOp& op) { op.Qparams(op.out(0), {kNan}, {0}); }, "scale nan and zero point 0",
       "scale 0.00390625 and zero point 0", [](TestOp& op) { op.Qparams(op.out(0), {1.0 / 256}, {}); },
       [](TestOp& op) { op.Qparams(op.out(0), {}, {}); }},
      {"EqualQparamsScale", "out[0]", "equal_qparams port=in[0]", "SH102",
       [](TestOp& op) { op.Qparams(op.out(0), {0.0200001}, {128}); }, "scale 0.0200001", "scale 0.02 of in[0]",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02000000001}, {128}); },
       [](TestOp& op) { op.in(0).qparams = nullptr; }, "not known at this stage"},
      {"EqualQparamsZeroPoint", "out[0]", "equal_qparams port=in[0]", "SH101",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02}, {0}); }, "scale 0.02 and zero point 0",
       "scale 0.02 and zero point 128 of in[0]", Nothing, [](TestOp& op) { op.out(0).qparams = nullptr; }},
      {"EqualQparamsCount", "out[0]", "equal_qparams port=in[0]", "SH102",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02, 0.02}, {128, 128}); }, "2 scales", "the 1 scale of in[0]",
       [](TestOp& op) { op.Input(0, "INT_32"); }, [](TestOp& op) { op.out(0).qparams = nullptr; }},
      {"EqualScale", "out[0]", "equal_scale port=in[0]", "SH102",
       [](TestOp& op) { op.Qparams(op.out(0), {0.04}, {128}); }, "scale 0.04", "scale 0.02 of in[0]",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02}, {0}); }, [](TestOp& op) { op.in(0).qparams = nullptr; },
       "the scale is not known"},
      {"EqualScaleCount", "out[0]", "equal_scale port=in[0]", "SH102",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02, 0.02}, {128, 128}); }, "2 scales", "the 1 scale of in[0]",
       Nothing, nullptr},
      {"EqualZeroPoint", "out[0]", "equal_zero_point port=in[0]", "SH101",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02}, {0}); }, "zero point 0", "zero point 128 of in[0]",
       [](TestOp& op) { op.Qparams(op.out(0), {0.04}, {128}); }, [](TestOp& op) { op.in(0).qparams = nullptr; },
       "the zero point is not known"},
      {"EqualZeroPointOfAnotherScheme", "out[0]", "equal_zero_point port=in[0]", "SH101",
       [](TestOp& op) { Asked(op, Tri::kNo, Tri::kYes); }, "the zero point of a symmetric range",
       "the observed zero point of an affine range, that of in[0]", Nothing,
       [](TestOp& op) { Asked(op, Tri::kYes, Tri::kYes); }, "the zero point is not known"},
      {"EqualZeroPointOfSymmetricSchemes", "out[0]", "equal_zero_point port=in[0]", "SH101",
       [](TestOp& op) { op.Qparams(op.out(0), {0.02}, {0}); }, "zero point 0", "zero point 128 of in[0]",
       [](TestOp& op) { KeptBySchemes(op, "UFIXED_POINT_8", "UFIXED_POINT_8"); },
       [](TestOp& op) { KeptBySchemes(op, "SFIXED_POINT_8", "UFIXED_POINT_8"); }, "the zero point is not known"},
      {"EqualQparamsOfAnotherScheme", "out[0]", "equal_qparams port=in[0]", "SH101",
       [](TestOp& op) { Asked(op, Tri::kYes, Tri::kNo); }, "the observed zero point of an affine range",
       "the zero point of a symmetric range, that of in[0]", Nothing,
       [](TestOp& op) { Asked(op, Tri::kUnknown, Tri::kNo); }, "not known at this stage"},
      {"EqualZeroPointShifted", "out[0]", "equal_zero_point port=in[0] shift=-128", "SH101", Nothing, "zero point 128",
       "zero point 0, by that of in[0]", [](TestOp& op) { op.Qparams(op.out(0), {0.02}, {0}); }, nullptr},
      {"EqualZeroPointOfNoEncoding", "out[0]", "equal_zero_point port=in[0]", "SH101",
       [](TestOp& op) { op.in(0).without_encoding = true; }, "zero point 128", "zero point 0 of in[0]",
       [](TestOp& op) { op.out(0).without_encoding = true; }, nullptr},
      {"EqualZeroPointWithoutEncoding", "out[0]", "equal_zero_point port=in[0] without_encoding=zero", "SH101",
       [](TestOp& op) { op.out(0).without_encoding = true; }, "zero point 0", "zero point 128 of in[0]", Nothing,
       nullptr},
      {"ZeroPoint", "in[0]", "zero_point value=0", "QS104", Nothing, "zero point 128", "zero point 0",
       [](TestOp& op) { op.in(0).without_encoding = true; }, [](TestOp& op) { op.in(0).qparams = nullptr; },
       "the zero point is not known"},
      {"ZeroPointOfAnAffineScheme", "in[0]", "zero_point value=0", "QS104",
       [](TestOp& op) { op.in(0).symmetric = Tri::kNo; }, "zero point 128", "zero point 0",
       [](TestOp& op) { KeptBySchemes(op, "SFIXED_POINT_8", "UFIXED_POINT_8"); },
       [](TestOp& op) { KeptBySchemes(op, "UFIXED_POINT_8", "UFIXED_POINT_8"); }, "the zero point is not known"},
      {"ZeroPointRange", "in[0]", "zero_point min=0 max=255", "QS104",
       [](TestOp& op) { op.Qparams(op.in(0), {0.02}, {256}); }, "zero point 256", "a zero point of 0 to 255", Nothing,
       nullptr},
      {"PositiveScale", "in[0]", "positive_scale zero_point=nonzero", "NR104",
       [](TestOp& op) { op.Qparams(op.in(0), {-0.02}, {128}); }, "scale -0.02 and zero point 128",
       "a positive scale, or zero point 0", [](TestOp& op) { op.Qparams(op.in(0), {-0.02}, {0}); }, nullptr},
      {"PositiveScaleAlways", "in[0]", "positive_scale zero_point=any", "NR104",
       [](TestOp& op) { op.Qparams(op.in(0), {-0.02}, {0}); }, "scale -0.02 and zero point 0", "a positive scale",
       Nothing, nullptr},
      {"RequantizationMultiplier", "in[0]", "requantization_multiplier over=out[0] below=256", "NR105",
       [](TestOp& op) { op.Qparams(op.out(0), {7.8125e-05}, {128}); },
       "scale 0.02 over 7.8125e-05 of out[0]: a factor of 256", "a factor below 256",
       [](TestOp& op) { op.Qparams(op.out(0), {7.82e-05}, {128}); },
       [](TestOp& op) { op.out(0).qparams = nullptr; }, "not known at this stage"},
      {"RequantizationMultiplierFrom", "in[0]", "requantization_multiplier over=out[0] from=1/1024 below=256", "NR105",
       [](TestOp& op) { op.Qparams(op.out(0), {20.5}, {128}); },
       "scale 0.02 over 20.5 of out[0]: a factor of 0.0009756098", "a factor of at least 0.0009765625 and below 256",
       [](TestOp& op) { op.Qparams(op.out(0), {20.4}, {128}); }, nullptr},
      {"RequantizationMultiplierPerChannel", "in[0]", "requantization_multiplier over=out[0] by=in[1] below=256", "NR105",
       [](TestOp& op) {
         op.Qparams(op.in(1), {0.01, 500}, {0, 0});
       },
       "scale 0.02 times 500 of in[1] over 0.02 of out[0]: a factor of 500 at channel 1", "a factor below 256",
       [](TestOp& op) { op.Qparams(op.in(1), {0.01, 255}, {0, 0}); }, [](TestOp& op) { op.in(1).qparams = nullptr; }},

      {"ScaleLimits", "in[0]", "scale_limits below=1", "NR106",
       [](TestOp& op) { op.Qparams(op.in(0), {1}, {128}); }, "scale 1", "a scale below 1",
       [](TestOp& op) { op.Qparams(op.in(0), {0.999}, {128}); },
       [](TestOp& op) { op.in(0).qparams = nullptr; }, "not known at this stage"},

      // Conditions on constness, width and equal types.
      {"WhenStatic", "in[1]", "bits allowed=4 when_static=no", "DT103",
       [](TestOp& op) { op.in(1).is_static = false; }, "8", "4", Nothing, nullptr},
      {"WhenPortStatic", "in[0]", "bits allowed=4 when_port_static=in[1]:yes", "DT103", Nothing, "8", "4",
       [](TestOp& op) { op.in(1).is_static = false; }, nullptr},
      {"WhenBits", "in[1]", "signed when_bits=8", "QS102",
       [](TestOp& op) { op.in(1).type = Type("UFIXED_POINT_8"); }, "UFIXED_POINT_8", "a signed type",
       [](TestOp& op) {
         op.in(1).type = Type("UFIXED_POINT_8");
         op.in(1).bits = 4;
       },
       nullptr},
      {"WhenSameType", "out[0]", "bits allowed=4 when_same_type=in[0]", "DT103", Nothing, "8", "4",
       [](TestOp& op) { op.in(0).type = Type("SFIXED_POINT_8"); }, nullptr},
      {"SameType", "in[1]", "same_type port=in[0]", "DT104", Nothing, "SFIXED_POINT_8",
       "UFIXED_POINT_8, the type of in[0]", [](TestOp& op) { op.in(1).type = Type("UFIXED_POINT_8"); }, nullptr},
      {"BlockSize", "in[1]", "block_size allowed=32,64", "QS103",
       [](TestOp& op) {
         static constexpr int64_t kSizes[] = {1, 16};
         static QuantParams blocked;
         blocked.block_sizes = kSizes;
         op.in(1).encoding = Encoding::kBlock;
         op.in(1).qparams = &blocked;
       },
       "blocks of 16", "blocks of 32 or 64", Nothing,
       [](TestOp& op) {
         op.in(1).encoding = Encoding::kBlock;
         op.in(1).qparams = nullptr;
       },
       "the block sizes are not known"},
      {"MaxArch", "in[1]", "max_arch arch=69", "DT105", Nothing, "V73", "V69 or earlier",
       [](TestOp& op) { op.in(1).present = false; }, nullptr},
      {"PortGiven", "in[0]", "port_given port=in[2]", "GS101", [](TestOp& op) { op.in(2).present = false; },
       "no in[2]", "in[2] as well", Nothing, nullptr},
      {"NotGiven", "axis", "not_given", "GS102", [](TestOp& op) { op.Param("axis", {1}); }, "axis", "no axis", Nothing,
       nullptr},
      {"Given", "axis", "given", "GS101", [](TestOp& op) { op.as_stated = true; }, "no axis", "axis of Op", Nothing,
       nullptr},

      // Constants.
      {"Static", "in[1]", "static", "GS106", [](TestOp& op) { op.in(1).is_static = false; }, "computed at run time",
       "a constant", Nothing, nullptr},
      {"StaticNotChain", "in[1]", "static", "GS106",
       [](TestOp& op) {
         op.in(1).is_static = false;
         op.in(1).static_chain = true;
       },
       "computed from constants", "a constant", Nothing, nullptr},
      {"StaticChain", "in[1]", "static_chain", "GS106", [](TestOp& op) { op.in(1).is_static = false; },
       "computed at run time", "a constant, or computed from constants alone",
       [](TestOp& op) {
         op.in(1).is_static = false;
         op.in(1).static_chain = true;
       },
       nullptr},
      {"ValueRange", "in[0]", "value_range min=0 max=2147483647 when_type=UINT_32", "NR101",
       [](TestOp& op) { op.Input(0, "UINT_32").Ints(op.in(0), {1, 2147483648}); }, "2147483648 at element 1",
       "0 to 2147483647", [](TestOp& op) { op.Input(0, "UINT_32").Ints(op.in(0), {1, 2147483647}); },
       [](TestOp& op) { op.Input(0, "UINT_32"); }, "not a constant"},
      {"ValueRangeReals", "in[0]", "value_range min=-5 max=1", "NR101", [](TestOp& op) { op.Reals(op.in(0), {0, kNan}); },
       "NaN", "-5 to 1", [](TestOp& op) { op.Reals(op.in(0), {-5, 1}); }, [](TestOp& op) { op.Ints(op.in(0), {}); }},
      {"ValueRangeStatistics", "in[0]", "value_range min=0 max=3", "NR101",
       [](TestOp& op) { op.Statistics(op.in(0), -1, 3, 10); }, "-1 at element 0", "0 to 3",
       [](TestOp& op) { op.Statistics(op.in(0), 0, 3, 10); }, [](TestOp& op) { op.Statistics(op.in(0), 0, 0, 0); }},
      {"IndexRange", "in[1]", "index_range port=in[0] axis_param=axis", "NR102",
       [](TestOp& op) { op.Param("axis", {1}).Input(1, "INT_32").Ints(op.in(1), {0, 8}); }, "8 at element 1", "0 to 7",
       [](TestOp& op) { op.Param("axis", {1}).Input(1, "INT_32").Ints(op.in(1), {0, 7}); },
       [](TestOp& op) { op.Param("axis", {1}).Input(1, "INT_32"); }, "not a constant"},
      {"IndexRangeNegative", "in[1]", "index_range port=in[0] axis_param=axis", "NR102",
       [](TestOp& op) {
         NoRank(op);
         op.Param("axis", {1}).Input(1, "INT_32").Ints(op.in(1), {-1});
       },
       "-1 at element 0", "at least 0",
       [](TestOp& op) { op.Param("axis", {-3}).Input(1, "INT_32").Ints(op.in(1), {7}); },
       [](TestOp& op) {
         NoRank(op);
         op.Param("axis", {1}).Input(1, "INT_32").Ints(op.in(1), {9});
       },
       "size of the indexed dimension"},
      {"UniqueIndices", "reduction", "unique_indices port=in[1] when_param=reduction:NONE=0", "NR103",
       [](TestOp& op) { op.Param("reduction", {0}).Shape(op.in(1), {3}).Ints(op.in(1), {0, 2, 2}); },
       "index 2 twice in in[1]", "each index once",
       [](TestOp& op) { op.Param("reduction", {0}).Shape(op.in(1), {3}).Ints(op.in(1), {0, 1, 2}); },
       [](TestOp& op) { op.Param("reduction", {0}); }, "not a constant"},
      {"UniqueIndicesAlongRows", "reduction", "unique_indices port=in[1]", "NR103",
       [](TestOp& op) { op.Param("axis", {0}).Shape(op.in(1), {2, 2}).Ints(op.in(1), {0, 1, 0, 2}); },
       "index 0 twice in in[1]", "each index once",
       [](TestOp& op) { op.Param("axis", {1}).Shape(op.in(1), {2, 2}).Ints(op.in(1), {0, 1, 0, 2}); },
       [](TestOp& op) { op.Param("axis", {0}).Shape(op.in(1), {1, 2, 2}).Ints(op.in(1), {0, 1, 0, 2}); },
       "different lines"},
      {"Absent", "in[2]", "absent", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.in(2) = BackendTensor(); }, nullptr},
      {"InputDefault", "in[2]", "input_default value=0", "GS102", [](TestOp& op) { op.Ints(op.in(2), {0, 1}); },
       "values from 0 to 1", "none, or a constant of 0", [](TestOp& op) { op.Ints(op.in(2), {0, 0}); },
       [](TestOp& op) { op.Ints(op.in(2), {}); }, "not a constant"},
      {"InputDefaultRunTime", "in[2]", "input_default value=0", "GS102",
       [](TestOp& op) { op.in(2).is_static = false; }, "a tensor computed at run time", "none, or a constant of 0",
       [](TestOp& op) { op.in(2) = BackendTensor(); }, Nothing},

      // Parameters. `mode` has the default 0, `axis` N-1, `ones` every element 1, `bare` none.
      {"ParamValue", "mode", "param_value allowed=MU_SIGMA=0,RMS=1", "GS107",
       [](TestOp& op) { op.Param("mode", {2}); }, "mode = 2", "mode = MU_SIGMA (0) or RMS (1)", Nothing,
       [](TestOp& op) { op.Param("mode", {}); }, "value of mode"},
      {"ParamValueAbsent", "bare", "param_value allowed=2 absent=ok", "GS107", [](TestOp& op) { op.Param("bare", {3}); },
       "bare = 3", "bare = 2", Nothing, [](TestOp& op) { op.Param("bare", {}); }},
      {"ParamValueList", "ones", "param_value allowed=1", "GS107", [](TestOp& op) { op.Param("ones", {1, 2}); },
       "ones = [1, 2]", "ones = 1", Nothing, [](TestOp& op) { op.Param("ones", {}); }},
      {"ParamValueOfAnother", "in[1]", "param_value param=mode allowed=0 when_encoding=per_channel", "GS107",
       [](TestOp& op) { op.Param("mode", {1}); }, "mode = 1", "mode = 0", Nothing,
       [](TestOp& op) { op.Param("mode", {}); }, "value of mode"},
      {"ParamDefault", "mode", "param_default", "GS107", [](TestOp& op) { op.Param("mode", {1}); }, "mode = 1",
       "mode = 0", Nothing, [](TestOp& op) { op.Param("mode", {}); }},
      {"ParamDefaultAxis", "axis", "param_default", "GS107", [](TestOp& op) { op.Param("axis", {1}); }, "axis = 1",
       "axis = 3", [](TestOp& op) { op.Param("axis", {3}); },
       [](TestOp& op) {
         op.Param("axis", {3});
         NoRank(op);
       },
       "default of axis"},
      {"ParamRange", "k", "param_range max=64 when_port_type=in[0]:UFIXED_POINT_8", "GS107",
       [](TestOp& op) { op.Param("k", {65}); }, "k = 65", "k at most 64", [](TestOp& op) { op.Param("k", {64}); },
       Nothing, "value of k"},
      {"ParamRangeReals", "k", "param_range min=0.5", "GS107", [](TestOp& op) { op.Param("k", {}, {0.25}); },
       "k = 0.25", "k at least 0.5", [](TestOp& op) { op.Param("k", {}, {0.5}); }, Nothing},
      {"ParamLength", "filter_size", "param_length max=2", "GS107",
       [](TestOp& op) { op.Param("filter_size", {3, 3, 3}); }, "filter_size = [3, 3, 3]",
       "filter_size of at most 2 numbers", [](TestOp& op) { op.Param("filter_size", {3, 3}); }, Nothing, "filter_size"},
      {"ParamElement", "ones", "param_element index=0 value=1", "GS107", [](TestOp& op) { op.Param("ones", {2, 1, 1}); },
       "ones = [2, 1, 1]", "ones[0] = 1", [](TestOp& op) { op.Param("ones", {1, 2, 2}); },
       [](TestOp& op) { op.Param("ones", {}); }},
      {"ParamElementTooShort", "ones", "param_element index=1 value=1", "GS107",
       [](TestOp& op) { op.Param("ones", {1}); }, "ones = 1", "ones[1] = 1", Nothing,
       [](TestOp& op) { op.Param("ones", {}); }},
      {"AxisRange", "axis", "axis_range port=in[0]", "GS108", [](TestOp& op) { op.Param("axis", {4}); }, "axis = 4",
       "axis 0 to 3", Nothing,
       [](TestOp& op) {
         NoRank(op);
         op.Param("axis", {9});
       },
       "rank of in[0]"},
      {"AxisRangeNegative", "axis", "axis_range port=in[0]", "GS108", [](TestOp& op) { op.Param("axis", {-1}); },
       "axis = -1", "axis 0 to 3", Nothing, NoRank, "value of axis"},
      {"AxisRangeFromTheEnd", "axis", "axis_range port=in[0]", "GS108", [](TestOp& op) { op.Param("axis", {-5}); },
       "axis = -5", "axis 0 to 3", Nothing,
       [](TestOp& op) {
         NoRank(op);
         op.Param("axis", {-1});
       },
       "rank of in[0]"},
      {"AxisLast", "axes", "axis_last port=in[0]", "GS108", [](TestOp& op) { op.Param("axes", {2, 3}); },
       "axes = [2, 3]", "axes = 3, the last dimension", [](TestOp& op) { op.Param("axes", {3}); }, Nothing,
       "value of axes"},
      {"AxisLastDefault", "axis", "axis_last port=in[0]", "GS108", [](TestOp& op) { op.Param("axis", {1}); },
       "axis = 1", "axis = 3, the last dimension", Nothing,
       [](TestOp& op) {
         NoRank(op);
         op.Param("axis", {1});
       },
       "rank of in[0]"},
      {"DilationStride", "ones", "dilation_stride stride=stride dims=0,1", "GS107",
       [](TestOp& op) { op.Param("ones", {2, 2}).Param("stride", {2, 1}); }, "ones = [2, 2] with stride = [2, 1]",
       "ones above 1 only with stride = 1", [](TestOp& op) { op.Param("ones", {2, 2}).Param("stride", {1, 1}); },
       [](TestOp& op) { op.Param("ones", {2, 2}); }, "value of stride"},
      {"DilationStrideDims", "ones", "dilation_stride stride=stride dims=1,2", "GS107",
       [](TestOp& op) { op.Param("ones", {1, 2, 2}).Param("stride", {1, 1, 2}); },
       "ones = [1, 2, 2] with stride = [1, 1, 2]", "ones above 1 only with stride = 1",
       [](TestOp& op) { op.Param("ones", {1, 2, 2}).Param("stride", {2, 1, 1}); },
       [](TestOp& op) { op.Param("ones", {}); }},
      {"DilationStrideException", "ones",
       "dilation_stride stride=stride dims=0,1 except_dilation=2,2 except_stride=2,2 except_kernel=3,3", "GS107",
       [](TestOp& op) { op.Param("ones", {2, 2}).Param("stride", {2, 2}).Shape(op.in(1), {5, 3, 1, 2}); },
       "ones = [2, 2] with stride = [2, 2]", "ones above 1 only with stride = 1",
       [](TestOp& op) { op.Param("ones", {2, 2}).Param("stride", {2, 2}); },
       [](TestOp& op) { op.Param("ones", {2, 2}).Param("stride", {2, 2}).Shape(op.in(1), {-1, 3, 1, 2}); },
       "size of the kernel"},
      {"OperationUnsupported", "in[0]", "operation_unsupported operations=RECIPROCAL=10,SIGN=13", "CV102",
       [](TestOp& op) { op.Param("operation", {10}); }, "RECIPROCAL", "any but RECIPROCAL (10) or SIGN (13)",
       [](TestOp& op) { op.Param("operation", {0}); }, Nothing, "value of operation"},
      {"Ignored", "bare", "ignored when_port_rank=in[0]:2..2", "GS109",
       [](TestOp& op) { op.Param("bare", {1}).Shape(op.in(0), {8, 3}); }, "bare = 1", "no effect",
       [](TestOp& op) { op.Shape(op.in(0), {8, 3}); },
       [](TestOp& op) {
         op.Param("bare", {1});
         NoRank(op);
       },
       "not known whether this applies"},
      {"NotePermission", "in[0]", "note meaning=qparams_may_change", nullptr, nullptr, "", "", Nothing, nullptr},
      {"NoteQuantizedLike", "bare", "note meaning=quantized_like:in[0]", "GS110",
       [](TestOp& op) { op.Param("bare", {}, {0.5}); }, "bare = 0.5",
       "an integer under the scale and zero point of in[0]", [](TestOp& op) { op.Param("bare", {128}); },
       [](TestOp& op) { op.Param("bare", {}); }},
      {"Unclear", "in[0]", "unclear meaning=rank_stated_twice when_rank=5..5", nullptr, nullptr, "", "", Nothing,
       [](TestOp& op) { op.Shape(op.in(0), {1, 1, 8, 8, 3}); }, "contradicts itself"},

      // Conditions, each with its three values.
      {"WhenType", "in[0]", "absent when_type=INT_32,UFIXED_POINT_8", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.in(0).type = Type("INT_8"); }, [](TestOp& op) { op.in(0).type = {}; }, "if it does"},
      {"WhenEncoding", "in[1]", "absent when_encoding=bw_per_channel,per_channel", "GS102", Nothing,
       "a tensor at this port", "none", [](TestOp& op) { op.Input(1, "FLOAT_16"); },
       [](TestOp& op) { op.in(1).encoding = Encoding::kUndefined; }},
      {"WhenRank", "in[0]", "absent when_rank=4..", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.Shape(op.in(0), {8, 8, 3}); }, NoRank},
      {"WhenOperation", "in[0]", "absent when_operation=ADD=0,AND=1", "GS102",
       [](TestOp& op) { op.Param("operation", {1}); }, "a tensor at this port", "none",
       [](TestOp& op) { op.Param("operation", {2}); }, Nothing},
      {"UnlessOperation", "in[0]", "absent unless_operation=ADD=0,AND=1", "GS102",
       [](TestOp& op) { op.Param("operation", {2}); }, "a tensor at this port", "none",
       [](TestOp& op) { op.Param("operation", {1}); }, Nothing},
      {"WhenParam", "in[0]", "absent when_param=mode:0", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.Param("mode", {1}); }, [](TestOp& op) { op.Param("mode", {}); }},
      {"UnlessParam", "in[0]", "absent unless_param=mode:RMS=1", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.Param("mode", {1}); }, [](TestOp& op) { op.Param("mode", {}); }},
      {"WhenPortType", "in[0]", "absent when_port_type=in[1]:SFIXED_POINT_8", "GS102", Nothing, "a tensor at this port",
       "none", [](TestOp& op) { op.in(1).present = false; }, [](TestOp& op) { op.in(1).type = {}; }},
      {"WhenPortEncoding", "in[0]", "absent when_port_encoding=in[1]:per_channel", "GS102", Nothing,
       "a tensor at this port", "none", [](TestOp& op) { op.in(1).present = false; },
       [](TestOp& op) { op.in(1).encoding = Encoding::kNone; }},
      {"WhenPortRank", "in[1]", "absent when_port_rank=in[0]:..4", "GS102", Nothing, "a tensor at this port", "none",
       [](TestOp& op) { op.Shape(op.in(0), {1, 1, 8, 8, 3}); }, NoRank},
      // Two conditions, one false: it does not apply, however little is known of the other.
      {"TwoConditions", "in[0]", "absent when_rank=..4 when_type=INT_32", "GS102",
       [](TestOp& op) { op.Input(0, "INT_32"); }, "a tensor at this port", "none", NoRank,
       [](TestOp& op) {
         op.Input(0, "INT_32");
         NoRank(op);
       }},
  };
  return *cases;
}

class PredicateKindTest : public testing::TestWithParam<KindCase> {
 protected:
  // The answer for the base operator after `change`, without what the matcher says of missing rows.
  static MatchResult Run(const Change& change) {
    db::OpConstraints constraints;
    constraints.op = "Op";
    constraints.items.push_back(MakeItem("All", GetParam().port, {GetParam().predicate}));
    const db::ConstraintTable table = MakeTable({constraints});
    db::OpDefinition definition;
    definition.op = "Op";
    definition.parameters = {{"mode", false, "UINT_32", "0"},
                             {"axis", false, "UINT_32", "N-1"},
                             {"ones", false, "UINT_32", "fill:1"},
                             {"bare", false, "UINT_32", ""}};
    absl::StatusOr<TableMatcher> matcher = TableMatcher::Compile({table}, {definition});
    EXPECT_TRUE(matcher.ok()) << matcher.status();
    MatchResult result;
    if (!matcher.ok()) return result;
    TestOp op = BaseOp();
    change(op);
    matcher->Match(op.view(), 73, result);
    EXPECT_TRUE(result.known_op);
    EXPECT_FALSE(result.unjudged.empty());
    if (!result.unjudged.empty()) result.unjudged.erase(result.unjudged.begin());  // no dtype rows
    return result;
  }
};

TEST_P(PredicateKindTest, Fires) {
  const KindCase& test = GetParam();
  if (test.code == nullptr) return;  // says something without ever being violated
  const MatchResult result = Run(test.fires);
  EXPECT_THAT(result.unjudged, testing::IsEmpty());
  ASSERT_EQ(result.violations.size(), 1u);
  const Violation& violation = result.violations[0];
  EXPECT_STREQ(violation.rule->code, test.code);
  EXPECT_EQ(violation.observed, test.observed);
  EXPECT_EQ(violation.allowed, test.allowed);
  EXPECT_EQ(violation.row, std::string("Op/All/") + test.port + "/item 1");
}

TEST_P(PredicateKindTest, HoldsNextToIt) {
  const MatchResult result = Run(GetParam().holds);
  EXPECT_THAT(result.violations, testing::IsEmpty());
  EXPECT_THAT(result.unjudged, testing::IsEmpty()) << result.unjudged[0].reason;
}

TEST_P(PredicateKindTest, IsNotJudgedWithoutTheFacts) {
  if (GetParam().unknown == nullptr) return;  // can always be judged
  const MatchResult result = Run(GetParam().unknown);
  EXPECT_THAT(result.violations, testing::IsEmpty());
  ASSERT_EQ(result.unjudged.size(), 1u);
  EXPECT_THAT(result.unjudged[0].reason, testing::HasSubstr(GetParam().reason));
  EXPECT_NE(result.unjudged[0].rule, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PredicateKindTest, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<KindCase>& info) { return std::string(info.param.name); });

TEST(PredicateKindsTest, EveryKindHasACase) {
  std::set<std::string> covered, fired;
  for (const KindCase& test : Cases()) {
    covered.insert(ParsePredicate(test.predicate).kind);
    if (test.code != nullptr) fired.insert(ParsePredicate(test.predicate).kind);
  }
  for (absl::string_view kind : PredicateKinds()) {
    EXPECT_TRUE(covered.count(std::string(kind))) << kind;
    if (kind != "unclear") {
      EXPECT_TRUE(fired.count(std::string(kind))) << kind;
    }
  }
}

TEST(PredicateKindsTest, AreSortedAndUnique) {
  const absl::Span<const absl::string_view> kinds = PredicateKinds();
  for (size_t i = 1; i < kinds.size(); ++i) EXPECT_LT(kinds[i - 1], kinds[i]);
  EXPECT_EQ(kinds.size(), AllPredicateKinds().size());
}

TEST(PredicateKindsTest, EveryRuleOfAKindIsListed) {
  for (const PredicateKind& kind : AllPredicateKinds()) {
    EXPECT_THAT(ConstraintRules(), testing::Contains(kind.rule)) << kind.name;
  }
}

struct BadCase {
  const char* port;
  const char* predicate;
  const char* message;
};

TEST(PredicateCompileTest, BadArgumentsNameTheItem) {
  const BadCase cases[] = {
      {"in[0]", "no_such_kind", "predicate kind \"no_such_kind\" has no evaluator"},
      {"in[0]", "rank", "needs \"min\" or \"max\""},
      {"in[0]", "rank max=four", "\"max\" is \"four\", not a number"},
      {"in[0]", "rank max=nan", "not a number"},
      {"in[0]", "rank min=5 max=4", "\"min\" is above \"max\""},
      {"in[0]", "rank max=-5", "a rank is an integer from 0 on"},
      {"in[0]", "rank most=4", "needs \"min\" or \"max\"; takes no argument \"most\""},
      {"in[0]", "rank max=4 colour=red", "takes no argument \"colour\""},
      {"in[0]", "rank max=4 max=5", "\"max\" is given twice"},
      {"in[0]", "types", "\"allowed\" is missing"},
      {"in[0]", "types allowed=", "\"allowed\" is empty"},
      {"in[0]", "types allowed=FLOAT_17", "\"FLOAT_17\", not an element type"},
      {"in[0]", "encodings allowed=per_row", "\"per_row\", not an encoding"},
      {"in[0]", "encoding_axis axis=0.5 when_rank=4..", "not an integer"},
      {"in[0]", "fixed_qparams scale=1/0 zero_point=0", "\"1/0\", not a number"},
      {"in[0]", "fixed_qparams scale=1/2/3 zero_point=0", "not a number"},
      {"in[0]", "equal_qparams port=in[0..m]", "not one input or output"},
      {"in[0]", "equal_scale port=in[0]", "\"in[0]\", the port that the item is about"},
      {"in[0]", "static when_port_rank=in[0]:..4", "\"in[0]\", the port that the item is about"},
      {"in[0]", "equal_zero_point port=in[1] without_encoding=one", "\"without_encoding\" is \"one\", not zero"},
      {"in[0]", "positive_scale zero_point=some", "\"zero_point\" is \"some\", not any or nonzero"},
      {"in[0]", "run_time_qparams value=perhaps", "\"value\" is \"perhaps\", not yes or no"},
      {"in[0]", "zero_point min=4", "needs \"min\" and \"max\""},
      {"in[0]", "value_range max=4", "needs \"min\" and \"max\""},
      {"in[0]", "min_arch arch=73", "needs a condition"},
      {"in[0]", "encoding_axis axis=0", "needs a condition"},
      {"in[0]", "equal_qparams port=axis", "not one input or output"},
      {"in[0]", "bits allowed=4,NAME=x", "neither an integer nor NAME=integer"},
      {"in[0]", "static when_rank=4", "\"4\", not LO..HI"},
      {"in[0]", "static when_rank=..", "not LO..HI"},
      {"in[0]", "static when_rank=5..2", "not LO..HI"},
      {"in[0]", "static when_rank=a..2", "not LO..HI"},
      {"in[0]", "static when_param=mode", "not KEY:..."},
      {"in[0]", "static when_port_type=in[x]:INT_8", "not one input or output"},
      {"in[0]", "note meaning=nice", "not a meaning"},
      {"in[0]", "note meaning=quantized_like:axis", "does not name an input or output"},
      {"mode", "rank max=4", "is about an input or output"},
      {"in[0]", "param_default", "is about a parameter"},
      {"mode", "param_value allowed=1 absent=bad", "\"absent\" is \"bad\", not ok"},
      {"mode", "param_element index=-1 value=0", "\"index\" is negative"},
      {"mode", "dilation_stride stride=s dims=0.5", "\"0.5\", not an integer"},
      {"mode", "dilation_stride stride=s dims=9", "not a list of positions"},
      {"mode", "dilation_stride stride=s dims=0,x", "\"x\", not an integer"},
      {"mode", "dilation_stride stride=s dims=0 except_kernel=3", "\"except_dilation\" is missing"},
      {"in[", "absent", "\"in[\" is not a port"},
      {"in[0..x]", "absent", "is not a port"},
      {"in[-1]", "absent", "is not a port"},
      {"in[3..1]", "absent", "is not a port"},
      {"in[99999]", "absent", "is not a port"},
      {"a b", "absent", "names no port"},
  };
  for (const BadCase& test : cases) {
    db::OpConstraints constraints;
    constraints.op = "Op";
    constraints.items.push_back(MakeItem("INT8", test.port, {test.predicate}, 2));
    const absl::StatusOr<TableMatcher> matcher = TableMatcher::Compile({MakeTable({constraints})}, {});
    EXPECT_EQ(matcher.status().code(), absl::StatusCode::kInvalidArgument) << test.predicate;
    EXPECT_THAT(std::string(matcher.status().message()),
                testing::AllOf(testing::HasSubstr(std::string("test@1.0.0: Op/INT8/") + test.port + "/item 2"),
                               testing::HasSubstr(test.message)))
        << test.predicate;
  }
}

}  // namespace
}  // namespace quantgate
