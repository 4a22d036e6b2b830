#!/usr/bin/env bash
# check --confirm, with a library that behaves as FAKE_QNN says in the place of the vendor's.
# Usage: confirm.sh QUANTGATE FAKE_LIBRARY
. "$(dirname "$0")/lib.sh"
fake=$2
unset FAKE_QNN QUANTGATE_QNN_LIB
export COLUMNS=200
model=$data/../../data/onnx/resnet8.qnn_a16_mixed.onnx
confirm() { run "$1" check "$model" -t qnn_htp/"$2" --confirm --qnn-lib "$fake" "${@:3}"; }

# Both verdicts side by side; they agree.
confirm 1 SM8350
has "$out" '^confirmed qnn_htp/SM8350@2.51.0, 18 nodes put to the vendor.s library 2.51.0: 18 agree, 0 differ$'
has "$out" '^stem +Conv2d +refused +refused +backendValidateOpConfig, code 3110: Value 68, expected >= 73\.$'
same "$err" ""
confirm 0 SM8650
has "$out" ': 18 agree, 0 differ$'
confirm 0 SM8650 --verbose
has "$out" '^stem +Conv2d +accepted +accepted$'
confirm 0 SM8650 --format json
same "$(jq -r '.results[0].confirmation | .sdk, (.nodes | length), .nodes[0].answers[0].answer' <<<"$out" | xargs)" \
  '2.51.0 18 ACCEPTED'
# Nothing is said of it without the flag.
run 0 check "$model" -t qnn_htp/SM8650 --format json
same "$(jq '.results[0] | has("confirmation")' <<<"$out")" false

# They differ: marked, and written down as cases without names of the model. The verdict is QuantGate's.
FAKE_QNN='refuse all' confirm 0 SM8650 --confirm-cases "$scratch/cases.jsonl"
has "$out" ': 0 agree, 18 differ$'
has "$out" '^stem .*Conv2d +accepted +refused +DIFFERS; .*code 3110: Conv2d is refused,$'
same "$(jq -r '[.op, .arch, .soc, .sdk, .kind, .vendor.validate] | join(" ")' "$scratch/cases.jsonl" | head -n 1)" \
  'Quantize V75 SM8650 2.51.0 confirm reject'
has_not "$(cat "$scratch/cases.jsonl")" stem
FAKE_QNN='refuse all' confirm 0 V75 --confirm-cases "$scratch/bare.jsonl"
has_not "$(cat "$scratch/bare.jsonl")" '"soc"'
FAKE_QNN='refuse all' confirm 0 SM8650 --format json
same "$(jq '[.results[0].confirmation.nodes[] | select(.differs and .refusedByVendor and (.refused | not))] | length' \
  <<<"$out")" 18

# Whatever happens in the library's process is an answer.
FAKE_QNN='abort in finalize' confirm 0 SM8650
has "$out" 'accepted +crashed +DIFFERS; graphFinalize: signal 6, Aborted$'
FAKE_QNN='exit in finalize' confirm 0 SM8650
has "$out" 'accepted +crashed +DIFFERS; graphFinalize: exit code 9$'
FAKE_QNN='abort in validate' confirm 0 SM8650
has "$out" 'accepted +crashed +DIFFERS; backendValidateOpConfig: signal 6, Aborted$'
FAKE_QNN='hang in finalize' run 0 check "$data/../../data/onnx/tiny.qdq_u8s8.onnx" -t qnn_htp/SM8650 --confirm \
  --qnn-lib "$fake" --confirm-timeout 2
has "$out" 'accepted +timed out +DIFFERS; graphFinalize: no answer within 2 s$'

# What is validated and not prepared is delegated, and refused all the same.
FAKE_QNN='abort in finalize' run 1 check "$data/unprepared.txtpb" -t qnn_htp/SM8650 --confirm --qnn-lib "$fake"
has "$out" '^cast +Cast +refused +crashed +graphFinalize: signal 6, Aborted$'
run 1 check "$data/unprepared.txtpb" -t qnn_htp/SM8650 --format json
same "$(jq -r '.results[0].outcome | .kind, (.nodes[0].refused // false)' <<<"$out" | xargs)" 'FAILS false'

# The library is asked about a converted graph of PyTorch as the toolchain reads it: ExecuTorch folds the Dequantize
# behind which there is no Quantize into the tensor, QNN's converter leaves the operator floats. Verdicts that differ are
# written down: by the former it is refused.
asked_of() {
  FAKE_QNN=$2 run 0 check "$data/half_quantized.txtpb" -t qnn_htp/SM8650 --mode warn --toolchain "$1" --confirm \
    --qnn-lib "$fake" --confirm-cases "$scratch/$1.jsonl"
  jq -r 'select(.op | contains("Abs")) | .config | .inputs[0].dtype + " " + .outputs[0].dtype' "$scratch/$1.jsonl"
}
same "$(asked_of executorch '')" 'UFIXED_POINT_8 FLOAT_32'
same "$(asked_of qnn-converter 'refuse all')" 'FLOAT_32 FLOAT_32'

# Of an ONNX graph it is asked about what ONNX Runtime's provider builds, with its toolchain.
relu_of() {
  FAKE_QNN='refuse all' run 0 check "$data/apart.txtpb" -t qnn_htp/SM8650 --mode warn --toolchain "$1" --confirm \
    --qnn-lib "$fake" --confirm-cases "$scratch/$1.jsonl"
  jq -r 'select(.op | contains("Relu")) | .config | .inputs[0].dtype + " " + .outputs[0].dtype' "$scratch/$1.jsonl"
}
same "$(relu_of onnxruntime)" 'FLOAT_32 FLOAT_32'

# ExecuTorch pads an even kernel itself and fails over that: the library, which takes the convolution, contradicts nobody.
gunzip -c "$data/../../data/lowering/graphs/converted-conv-same-even-8a8w.pb.gz" > "$scratch/even.pb"
run 1 check "$scratch/even.pb" -t qnn_htp/SM8650@2.49 --confirm --qnn-lib "$fake"
has "$out" ': 3 agree, 0 differ$'
has "$out" '^conv2d +.*Conv2d +refused +accepted +refused for what is around it, or by the toolchain$'

# Products that have no kernel where both operands are inputs of the graph, as they are when one is asked about alone.
gunzip -c "$data/../../data/lowering/graphs/converted-sdpa-mask-16a8w.pb.gz" > "$scratch/sdpa.pb"
run 0 check "$scratch/sdpa.pb" -t qnn_htp/SM8650@2.49 --confirm --qnn-lib "$fake"
has "$out" ': 25 agree, 0 differ, 2 not asked$'
has "$out" '^bmm and 1 more +MatMul +accepted +not asked +alone it would read inputs of the graph'

# Another version is said once, whatever the number of models.
FAKE_QNN=old run 0 check "$model" "$model" -t qnn_htp/SM8650 --confirm --qnn-lib "$fake"
same "$(grep -c 'library is of version 2.47.0, the table for qnn_htp/SM8650@2.51.0 of 2.51.0' <<<"$err")" 1
FAKE_QNN=old confirm 0 SM8650 --quiet
same "$err" ""
# It is told the SoC where it looks for it.
FAKE_QNN=old confirm 1 SM8350
has "$out" '^stem .*Conv2d +refused +refused +backendValidateOpConfig, code 3110: Value 68, expected >= 73\.$'

# A name without a folder is of this folder, not of the system's.
cd "$(dirname "$fake")" || exit 1
run 1 check "$model" -t qnn_htp/SM8350 --confirm --qnn-lib "$(basename "$fake")"
has "$out" '^confirmed qnn_htp/SM8350@2.51.0, 18 nodes put to the vendor.s library'
cd "$OLDPWD" || exit 1

# A library that is missing, is none, or does not start: one line, exit code 2. The report itself stands.
run 2 check "$model" -t qnn_htp/SM8650 --confirm --qnn-lib "$scratch/none.so"
one_error FAILED_PRECONDITION
has "$err" 'no vendor library at .*none.so \(--qnn-lib\)$'
QUANTGATE_QNN_LIB=$scratch/none.so run 2 check "$model" -t qnn_htp/SM8650 --confirm
has "$err" '\(QUANTGATE_QNN_LIB\)$'
# A Python without the package.
mkdir "$scratch/bin"
printf '#!/bin/sh\necho\n' >"$scratch/bin/python3"
chmod +x "$scratch/bin/python3"
PATH=$scratch/bin:$PATH run 2 check "$model" -t qnn_htp/SM8650 --confirm
has "$err" 'pip install onnxruntime-qnn'
echo text >"$scratch/text.so"
while IFS='|' read -r how library message; do
  FAKE_QNN=$how run 2 check "$model" "$model" -t qnn_htp/SM8650 --confirm --qnn-lib "$library" --confirm-timeout 1.5
  same "$(wc -l <"$scratch/err")" 1
  has "$err" "^error\[FAILED_PRECONDITION\]: .*$message"
  has "$out" 'accepted +qnn_htp/SM8650@'
done <<END
|$scratch/text.so|text.so.*
abort at load|$fake|ends its process while it is loaded \(signal 6, Aborted\)
hang at load|$fake|hangs while it is loaded \(no answer within 1\.5 s\)
unknown soc|$fake|deviceCreate for SoC 57 failed with code 14001: SoC 57 is not known
new interface|$fake|version 3 of the QNN interface
END
# Nor is it asked for where no target is of it.
for target in '' '-t onnxruntime/cpu' '-t onnxruntime/cpu -t qnn_gpu'; do
  # shellcheck disable=SC2086
  run 2 check "$data/good.txtpb" $target --confirm
  one_error INVALID_ARGUMENT
  has "$err" "validator.*; that is the vendor's library for HTP: name a target such as qnn_htp/SM8650$"
done
run 2 check "$data/good.txtpb" -t onnxruntime/cpu --confirm
has "$err" '--confirm: onnxruntime/cpu has no validator that can be asked; '
run 2 check "$data/good.txtpb" -t no_such --confirm
one_error NOT_FOUND
run 0 check "$data/good.txtpb" -t onnxruntime/cpu -t qnn_htp/SM8650 --confirm --qnn-lib "$fake"
has "$out" '^confirmed qnn_htp/SM8650@'
run 2 check "$model" -t qnn_htp/SM8650 --qnn-lib "$fake"
has "$err" 'requires --confirm|--confirm'
FAKE_QNN='refuse all' confirm 2 SM8650 --confirm-cases "$scratch/no/folder"
has "$err" 'cannot write'
finish
