// Backend operators and tables written by hand, for tests of the matcher.
#ifndef QUANTGATE_TESTS_RULES_CONSTRAINTS_FIXTURE_H_
#define QUANTGATE_TESTS_RULES_CONSTRAINTS_FIXTURE_H_

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "db/table.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"

namespace quantgate {

inline db::ElementType Type(absl::string_view name) { return db::ElementTypeFromName(name).value(); }

// "rank max=4 when_rank=2..3": a kind and its arguments.
inline db::Predicate ParsePredicate(absl::string_view text) {
  db::Predicate predicate;
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  predicate.kind = words.at(0);
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> argument = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    predicate.args.push_back(argument);
  }
  return predicate;
}

inline db::Item MakeItem(std::string configuration, std::string port, std::vector<std::string> predicates,
                         int ordinal = 1) {
  db::Item item;
  item.configuration = std::move(configuration);
  item.port = std::move(port);
  item.ordinal = ordinal;
  for (const std::string& predicate : predicates) item.predicates.push_back(ParsePredicate(predicate));
  return item;
}

// "in[0]=UFIXED_POINT_8,SFIXED_POINT_8 out[0]=UFIXED_POINT_8".
inline db::DtypeRow MakeRow(std::string configuration, int ordinal, absl::string_view ports, db::ArchRange archs = {}) {
  db::DtypeRow row;
  row.configuration = std::move(configuration);
  row.ordinal = ordinal;
  row.archs = archs;
  for (absl::string_view port : absl::StrSplit(ports, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(port, absl::MaxSplits('=', 1));
    db::PortTypes types{parts.first, {}};
    for (absl::string_view name : absl::StrSplit(parts.second, ',')) types.types.push_back(Type(name));
    row.ports.push_back(std::move(types));
  }
  return row;
}

inline db::ConstraintTable MakeTable(std::vector<db::OpConstraints> ops) {
  db::ConstraintTable table;
  table.backend = "test";
  table.sdk = "1.0.0";
  table.document = "A test";
  table.ops = std::move(ops);
  return table;
}

// A backend operator that owns what its views refer to.
class TestOp {
 public:
  explicit TestOp(std::string name = "Op") : name_(std::move(name)) {}

  BackendTensor& in(size_t i) { return At(inputs_, i); }
  BackendTensor& out(size_t i) { return At(outputs_, i); }

  // A present tensor of that type; quantized ones per tensor with scale 0.02.
  TestOp& Input(size_t i, absl::string_view type) { return Init(in(i), type); }
  TestOp& Output(size_t i, absl::string_view type) { return Init(out(i), type); }

  TestOp& Shape(BackendTensor& tensor, std::vector<int64_t> dims) {
    tensor.rank = static_cast<int>(dims.size());
    tensor.dims = dims_.emplace_back(std::move(dims));
    return *this;
  }
  TestOp& Qparams(BackendTensor& tensor, std::vector<double> scales, std::vector<double> zero_points) {
    QuantParams& qparams = qparams_.emplace_back();
    qparams.scales = numbers_.emplace_back(std::move(scales));
    qparams.zero_points = numbers_.emplace_back(std::move(zero_points));
    tensor.qparams = &qparams;
    return *this;
  }
  TestOp& PerChannel(BackendTensor& tensor, int axis, std::vector<double> scales, std::vector<double> zero_points) {
    tensor.encoding = Encoding::kPerChannel;
    tensor.axis = axis;
    return Qparams(tensor, std::move(scales), std::move(zero_points));
  }
  TestOp& Ints(BackendTensor& tensor, const std::vector<int64_t>& values) {
    v1::Constant& constant = constants_.emplace_back();
    for (int64_t value : values) constant.add_ints(value);
    tensor.constant = &constant;
    tensor.is_static = true;
    return *this;
  }
  TestOp& Reals(BackendTensor& tensor, const std::vector<double>& values) {
    Ints(tensor, {});
    for (double value : values) constants_.back().add_reals(value);
    return *this;
  }
  TestOp& Statistics(BackendTensor& tensor, double min, double max, int64_t count) {
    Ints(tensor, {});
    v1::Statistics& statistics = *constants_.back().mutable_statistics();
    statistics.set_min(min);
    statistics.set_max(max);
    statistics.set_count(count);
    return *this;
  }
  TestOp& Param(const std::string& name, std::vector<int64_t> ints, std::vector<double> reals = {}) {
    params_.push_back({names_.emplace_back(name), std::move(ints), std::move(reals)});
    return *this;
  }

  bool as_stated = false;  // from a graph in the backend's own terms

  BackendOp view() const {
    BackendOp op;
    op.name = name_;
    op.inputs = inputs_;
    op.outputs = outputs_;
    op.params = params_;
    op.as_stated = as_stated;
    return op;
  }

 private:
  static BackendTensor& At(std::vector<BackendTensor>& tensors, size_t i) {
    if (tensors.size() <= i) tensors.resize(i + 1);
    return tensors[i];
  }
  TestOp& Init(BackendTensor& tensor, absl::string_view type) {
    tensor.present = true;
    tensor.type = Type(type);
    tensor.bits = type.find("16") != type.npos ? 16 : type.find("32") != type.npos ? 32 : 8;
    if (tensor.type.quantized) {
      tensor.encoding = Encoding::kPerTensor;
      const bool is_unsigned = type[0] == 'U';
      Qparams(tensor, {0.02}, {is_unsigned ? double(int64_t{1} << (tensor.bits - 1)) : 0.0});
    }
    return *this;
  }

  std::string name_;
  std::vector<BackendTensor> inputs_;
  std::vector<BackendTensor> outputs_;
  std::vector<BackendParam> params_;
  std::deque<std::string> names_;
  std::deque<std::vector<int64_t>> dims_;
  std::deque<std::vector<double>> numbers_;
  std::deque<QuantParams> qparams_;
  std::deque<v1::Constant> constants_;
};

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_RULES_CONSTRAINTS_FIXTURE_H_
