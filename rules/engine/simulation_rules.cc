#include "rules/engine/simulation_rules.h"

namespace quantgate {

const RuleInfo kLostPrecision = {
    "SM001",
    "lost-precision",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtConverted,
    "{subject}: its own signal to noise ratio is {observed}; expected {allowed}",
    "The node was given the float reference's inputs, quantized, so that the noise is its own and not inherited. A "
    "node that keeps so little of the signal decides the quality of the whole model, whatever the others do.",
    "Calibrate the range of this tensor again, with data like that of the simulation, or give it more bits.",
    "An output whose range is a tenth of what the node computes fires it; one whose range holds it does not.",
};

const RuleInfo kSaturatedValues = {
    "SM002",
    "saturated-values",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtConverted,
    "{subject}: {observed} of its values end at a limit of the quantized range; expected {allowed}",
    "Values beyond the range are clipped to its ends, and their error is as large as they are far. Zeros are not "
    "counted: a range that begins at zero is a Relu.",
    "Calibrate the range of this tensor again; data that the calibration never saw is the usual cause.",
    "A tensor of which a tenth of the values are at 255 fires it; one with a single such value does not.",
};

const RuleInfo kAccumulatorOverflow = {
    "SM003",
    "accumulator-overflow",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtConverted,
    "{subject}: its sums of products needed {observed} bits; the accumulator has {allowed}",
    "A sum that does not fit wraps around, or stops at the largest number: the result has nothing to do with what was "
    "to be computed, and no runtime reports it.",
    "Use fewer bits for the activation or the weight, or split the operator along its input channels.",
    "A 16-bit activation times a 16-bit weight over 300 channels in 32 bits fires it; 8 bits each do not.",
};

const RuleInfo kPossibleOverflow = {
    "SM004",
    "possible-overflow",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtConverted,
    "{subject}: for some input its sums of products need {observed} bits; the accumulator has {allowed}",
    "The bound is proven from the weights: an input of the declared type exists that overflows the accumulator. The "
    "simulated inputs did not reach it; a device in the field may.",
    "Use fewer bits for the activation or the weight, or split the operator along its input channels.",
    "Weights whose absolute sum times 65535 is beyond 2^31 fire it; weights with half of that sum do not.",
};

const RuleInfo kKernelDisagreement = {
    "SM005",
    "kernel-disagreement",
    v1::Finding::PRECISION,
    v1::Finding::INFO,
    kAtConverted,
    "{subject}: integer kernels and fake-quantized float differ by {observed} steps; expected {allowed}",
    "What was evaluated in float with rounded tensors is not what the integer kernels compute: an accuracy that was "
    "measured there does not hold for the device.",
    "Evaluate with the integer kernels, or look for the node in front where the two part.",
    "A difference of 20 steps fires it; one of a single step, which rounding explains, does not.",
};

const RuleInfo kVanishedValues = {
    "SM006",
    "vanished-values",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtConverted,
    "{subject}: {observed} of its values are rounded to zero; expected {allowed}",
    "The step is larger than nearly all that the node computes: what it says is lost, and what reads it computes with "
    "a constant.",
    "Calibrate the range of this tensor again, or give it a smaller fixed scale.",
    "Values up to 0.01 with a scale of 1 fire it; with a scale of 0.0001 they do not.",
};

absl::Span<const RuleInfo* const> SimulationRules() {
  static constexpr const RuleInfo* kRules[] = {&kLostPrecision,    &kSaturatedValues,    &kAccumulatorOverflow,
                                               &kPossibleOverflow, &kKernelDisagreement, &kVanishedValues};
  return kRules;
}

}  // namespace quantgate
