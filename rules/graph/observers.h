// What observers make of a spec, as far as the spec and the observer's name tell.
#ifndef QUANTGATE_RULES_GRAPH_OBSERVERS_H_
#define QUANTGATE_RULES_GRAPH_OBSERVERS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "quantgate/v1/spec.pb.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

// The zero point of a symmetric scheme, whatever is observed: for uint8 with a stated range in its middle, rounded down
// (127 for 0..255), else 128; in the middle of uint16; 0 for all others, int32 that stands for uint16 included.
int64_t SymmetricZeroPoint(const v1::Spec& spec);

// Whether negative numbers keep as much room under `spec` as positive ones. A symmetric scale is made for both sides;
// where zero point 0 is not in the middle, as in int32 in 0..65535, everything below the range is cut off.
bool HoldsNegatives(const v1::Spec& spec);

// What Spec.observer names, taken apart. Views into it.
struct ObserverName {
  // The observer's class, without what is around it.
  absl::string_view observer;
  // "FakeQuantize" and its like; empty: the observer stands alone.
  absl::string_view fake_quantizer;
  // The class is none of torchao's and derives from none.
  bool is_foreign = false;
  // A setting of the constructor that the class does not take; empty: none.
  absl::string_view refused_setting;
  // What is named is an object, of which torchao cannot make an observer; `observer` is then all of the name.
  bool is_object = false;
};
ObserverName ParseObserver(absl::string_view name);

// The observers that prepare_pt2e makes by itself: of a fixed spec (in training within a fake quantizer), and of a
// derived one.
inline constexpr absl::string_view kFixedObserver = "FixedQParamsObserver";
inline constexpr absl::string_view kDerivedObserver = "DerivedObserverOrFakeQuantize";

// The schemes that torchao's observers make numbers for, by class name of the observer alone.
enum class Ranges { kUnknown, kOne, kPerChannel };
Ranges RangesOf(absl::string_view observer);

// Whether torchao cannot make one of a spec, whose numbers its constructor does not take: the observers that only
// record, let through or mark, and FixedQParamsFakeQuantize, which prepare_qat_pt2e makes of a fixed spec alone.
bool TakesNoSpec(const ObserverName& name);

// The functions below take what Spec.observer names and look at the observer in it.

// Whether an observer asserts, when it is made, that its element type is one of those of IsObservable: all that derive
// from torchao's UniformQuantizationObserverBase, its own and ExecuTorch's; by class name.
bool AssertsType(absl::string_view observer);

// Whether they take the type (torchao 0.18.0, pt2e/observer.py).
bool IsObservable(v1::DataType type);

// Whether an observer goes from tensor to tensor towards each one's range, and keeps none of them; by class name. Of a
// fake quantizer that averages by itself, whichever observer is in it.
bool Averages(absl::string_view observer);

// Whether its range ends at what it sees, averaged or per channel.
bool KeepsEnds(absl::string_view observer);

// Whether a scale will be made of the smallest and the largest number of a tensor with this spec: `observer` as
// Spec.observer names it.
bool MakesScaleOfEnds(const v1::Spec& spec, absl::string_view observer);

// Whether an observer keeps no range: torchao's PlaceholderObserver, which only says that something is to be done here.
bool KeepsNoRange(absl::string_view observer);

// Whether an observer takes any element type, of which convert_pt2e then makes something or nothing; by class name.
bool TakesAnyType(absl::string_view observer);

// Whether an observer gives the numbers that it was made with, whatever it sees; by class name.
bool HasFixedNumbers(absl::string_view observer);

// Whether an observer has no parameters before the graph is converted: OpenVINO's of weights, by class name.
bool ComputesWhenConverted(absl::string_view observer);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_OBSERVERS_H_
