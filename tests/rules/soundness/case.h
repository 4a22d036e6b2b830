// A graph with one change, and the finding that it must give.
#ifndef QUANTGATE_TESTS_RULES_SOUNDNESS_CASE_H_
#define QUANTGATE_TESTS_RULES_SOUNDNESS_CASE_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "quantgate/v1/report.pb.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::testing {

struct SoundnessCase {
  std::string name;
  GraphBuilder (*base)();
  std::function<void(GraphBuilder&)> change;
  std::string code;  // "": no error and no warning at all
  std::string node;
  std::string value;
  int64_t index = -1;
  v1::Finding::Severity severity = v1::Finding::ERROR;
};

inline void PrintTo(const SoundnessCase& c, std::ostream* os) { *os << c.name; }

// Rules about how ONNX nodes are written: attributes, arguments, types and shapes.
std::vector<SoundnessCase> FormCases();
// ONNX files as onnx.checker and ONNX Runtime judge them.
std::vector<SoundnessCase> OnnxCases();
// Rules about LiteRT models.
std::vector<SoundnessCase> TfliteCases();
// Rules about what a quantizer wrote.
std::vector<SoundnessCase> AnnotationCases();
// Rules about encodings files beside a model.
std::vector<SoundnessCase> EncodingsCases();

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_SOUNDNESS_CASE_H_
