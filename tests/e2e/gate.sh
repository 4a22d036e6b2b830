#!/usr/bin/env bash
# What decides in a CI job: formats for other programs, waivers, baselines, and what a log means.
. "$(dirname "$0")/lib.sh"
quantgate=$(realpath "$quantgate")
good=$data/good.txtpb
bad=$data/bad.txtpb
resnet=$data/../../data/onnx/resnet8.qnn_a16_mixed.onnx

# Formats: of several models and targets, one of which cannot be read.
run 2 check "$resnet" "$good" "$scratch/missing" -t qnn_htp/SM8350 -t qnn_htp/SM8650 --format junit
python3 - "$scratch/out" <<'END' || fail "JUnit" "$out"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
suites = root.findall("testsuite")
assert len(suites) == 5, len(suites)
for name, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
    assert int(root.get(name)) == len(root.findall(f".//testcase/{element}")), name
assert int(root.get("tests")) == len(root.findall(".//testcase"))
assert any(case.get("name").startswith("DT105") for case in root.findall(".//testcase[failure]"))
END
run 2 check "$resnet" "$good" "$scratch/missing" -t qnn_htp/SM8350 -t qnn_htp/SM8650 --format sarif
same "$(jq -c '[.version, (.runs | length), .runs[0].invocations[0].exitCode, .runs[0].invocations[0].executionSuccessful]' \
  <<<"$out")" '["2.1.0",1,2,false]'
same "$(jq -r '[.runs[0].results[] | select(.ruleId == "DT105") | .level] | unique | .[]' <<<"$out")" error
same "$(jq '[.runs[0].results[] | .ruleId as $id | .ruleIndex as $i | $id] - [.runs[0].tool.driver.rules[].id] | length' \
  <<<"$out")" 0
has "$(jq -c '.runs[0].results[].fixes' <<<"$out")" 'deletedRegion'
# Nothing could be read: that is what they say.
for format in sarif junit github markdown; do
  run 2 check "$scratch/missing" -t qnn_htp/SM8350 --format "$format" --output "$scratch/none"
  has "$(cat "$scratch/none")" 'missing: no such file'
  rm -f "$scratch/none"
done
# Of several models an array of those that could be checked; no earlier report stays in the place of one that could not.
run 2 check "$good" "$scratch/missing" --format json --output "$scratch/report.json"
same "$(jq -c 'map([(.model.path | split("/")[-1]), (.results | length)])' "$scratch/report.json")" '[["good.txtpb",1]]'
run 0 check "$good" --baseline "$scratch/report.json" --quiet # without what it knows nothing of
for format in json text; do
  run 0 check "$good" --format "$format" --output "$scratch/report.json"
  run 2 check "$scratch/missing" --format "$format" --output "$scratch/report.json"
  one_error FI001
  has_not "$(cat "$scratch/report.json")" 'ACCEPTED|accepted'
done
run 2 check "$scratch/missing" --format json
same "$out" ''
run 2 check "$scratch/missing" --format json --output "$scratch/report.json"
same "$(jq -c '[(.model.path | endswith("/missing")), .results, (.error | contains("no such file"))]' \
  "$scratch/report.json")" '[true,[],true]'
run 2 check "$good" --baseline "$scratch/report.json"
one_error INVALID_ARGUMENT
has "$err" 'report.json: holds no report: none of its models could be checked'
run 1 check "$resnet" -t qnn_htp/SM8350 --format github
has "$out" '^::error file=.*resnet8\.qnn_a16_mixed\.onnx,title=DT105 '
has_not "$out" '^[^:]'
run 1 check "$resnet" -t qnn_htp/SM8350 --format markdown
has "$out" '<summary>❌ <code>DT105'
run 0 check "$good" --format markdown
has "$out" '^## ✅'

# Waivers: what is waived stays and does not reject; the last day counts.
waive() { printf 'waivers:\n  - rule: %s\n    node: "%s"\n    reason: "the 8-bit model serves it"\n    expires: %s\n' "$@" >"$scratch/waivers.yaml"; }
waive minimum-arch '*' "$(date -u +%F)"
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml"
has "$out" 'minimum-arch · refused · .*waived'
has "$out" 'waived until .*: the 8-bit model serves it'
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml" --format json
same "$(jq -r '[.results[0].findings[] | select(.code == "DT105") | .waiver.expires] | unique | .[]' <<<"$out")" "$(date -u +%F)"
waive DT "*" "$(date -u -d yesterday +%F)"
run 1 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml"
has "$out" '^warning\[EN301\] expired-waiver'
waive DT105 'no such node' 2999-12-31
cd "$scratch" || exit 1
run 1 check "$resnet" -t qnn_htp/SM8350 --waivers waivers.yaml --format github
has "$out" '^::warning file=waivers.yaml,line=2,title=EN302'
run 1 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml" --format github
has "$out" '^::warning file=waivers.yaml,line=2,title=EN302'
run 1 check "$resnet" -t qnn_htp/SM8350 --format sarif
has_not "$out" 'baselineState'
waive DT105 'no such node' 31.12.2999
run 2 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml"
one_error INVALID_ARGUMENT
has "$err" 'waivers.yaml: line 5, column 14: '
printf 'severities: {DT105: warning}\n' >"$scratch/waivers.yaml"
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/waivers.yaml"
has "$out" '^warning\[DT105\]'
run 0 explain EN301
has "$out" '^# EN301 expired-waiver'

# Targets that there are not: a finding at the line; archs, backends and patterns are targets too.
cat >"$scratch/targets.yaml" <<'END'
waivers:
  - {rule: DT105, targets: qnn_htp/SM835O, reason: mistyped, expires: 2999-12-31}
  - rule: DT105
    targets: [qnn_htp, qnn_htp/SM8650@2.25, qnn_htp/V75, "qnn_htp/V*", "*/SM83?0", any, nobody/x]
    reason: known
    expires: 2999-12-31
END
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/targets.yaml"
findings() { jq -c '[.results[0].findings[] | select(.code | startswith("EN30")) | [.code, .location.sourceLine, .observed]]'; }
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/targets.yaml" --format json --quiet
same "$err" ""
same "$(findings <<<"$out")" "[[\"EN302\",\"$scratch/targets.yaml:2\",\"names 'qnn_htp/SM835O', which is no target\"],[\"EN302\",\"$scratch/targets.yaml:3\",\"names 'nobody/x', which is no target\"]]"
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/targets.yaml"
same "$(grep -c '^warning.EN302' <<<"$out")" 2

# Backends that a target may name and that nothing judges yet are there.
cat >"$scratch/targets.yaml" <<'END'
waivers:
  - {rule: DT105, targets: [qnn_htp, ethos_u/ethos-u55-128, vgf, ethosu], reason: known, expires: 2999-12-31}
END
run 0 check "$resnet" -t qnn_htp/SM8350 --waivers "$scratch/targets.yaml" --format json --quiet
same "$(findings <<<"$out")" "[[\"EN302\",\"$scratch/targets.yaml:2\",\"names 'ethosu', which is no target\"]]"

# As --target takes them: by another name of the SoC, in lower case, with a part of the version.
for target in qnn_htp/QCM6490 qnn_htp/qcs6490 qnn_htp/QCS6490@2; do
  printf 'waivers:\n  - {rule: DT105, targets: %s, reason: known, expires: 2999-12-31}\n' "$target" >"$scratch/targets.yaml"
  run 0 check "$resnet" -t qnn_htp/QCM6490 --waivers "$scratch/targets.yaml"
  has_not "$out" 'EN302'
done

# Baseline: only what is new fails; renumbered nodes and renamed tensors are not new.
first=$scratch/first.onnx
cp "$resnet" "$first"
run 1 check "$first" -t qnn_htp/SM8350 --format json --output "$scratch/baseline.json"
run 0 check "$first" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"
has "$out" 'in the baseline'
# It is not written over by the report: what fails would be known to the next check.
before=$(sha256sum <"$scratch/baseline.json")
ln -s baseline.json "$scratch/baseline.link"
for output in "--output $scratch/baseline.json" "--output $scratch/baseline.link" "--fix $scratch/./baseline.json"; do
  # shellcheck disable=SC2086
  run 2 check "$first" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json" --format json $output
  one_error INVALID_ARGUMENT
  has "$err" '^error\[INVALID_ARGUMENT\]: --(output|fix) .* would overwrite the baseline$'
  same "$(sha256sum <"$scratch/baseline.json")" "$before"
done
run 0 import "$resnet" -o "$scratch/graph.json"
jq '(.nodes[], .values[]) |= if .name then .name |= "renamed_" + (explode | reverse | implode) else . end
    | .nodes |= [to_entries[] | .value.name = "n\(.key + 100)" | .value]' "$scratch/graph.json" >"$scratch/renamed.json"
run 1 check "$scratch/renamed.json" -t qnn_htp/SM8350
run 1 check "$scratch/renamed.json" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"  # another model: the first is there
rm "$first"
run 0 check "$scratch/renamed.json" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"
fingerprints() { jq -c '[.runs[0].results[].partialFingerprints]'; }
run 1 check "$resnet" -t qnn_htp/SM8350 --format sarif
before=$(fingerprints <<<"$out")
run 1 check "$scratch/renamed.json" -t qnn_htp/SM8350 --format sarif
same "$(fingerprints <<<"$out")" "$before"
# Also where nothing of it is known.
jq '.results[].findings = []' "$scratch/baseline.json" >"$scratch/less.json"
run 2 check "$resnet" -t qnn_htp/SM8350 --baseline "$scratch/less.json"  # as lists of reports have it
one_error INVALID_ARGUMENT
has "$err" 'less.json: is a list without findings: ask with full=true'
jq '.results[] |= (.findings = [] | .verdict = "ACCEPTED")' "$scratch/baseline.json" >"$scratch/less.json"
run 1 check "$resnet" -t qnn_htp/SM8350 --baseline "$scratch/less.json" --format sarif
same "$(jq -c '[.runs[0].results[].baselineState] | unique' <<<"$out")" '["new"]'
jq 'del(.results[0].findings[-1])' "$scratch/baseline.json" >"$scratch/less.json"
run 1 check "$resnet" -t qnn_htp/SM8350 --baseline "$scratch/less.json"
echo '{"version": "2.1.0", "runs": []}' >"$scratch/other.json"
run 2 check "$resnet" --baseline "$scratch/other.json"
one_error INVALID_ARGUMENT
has "$err" 'other.json: is JSON, but no report of quantgate'

# A report about another name: taken, as the flag asks for, and said, also in the report.
cp "$resnet" "$scratch/other_name.onnx"
run 0 check "$scratch/other_name.onnx" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"
has "$err" "^note: the baseline is about '.*', which has as many nodes; it counts for '.*other_name.onnx'\$"
has "$out" '^warning\[EN304\] renamed-model'
run 0 check "$scratch/other_name.onnx" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json" --quiet
has "$out" "the baseline is about '.*first.onnx'"
run 1 check "$data/../../data/onnx/bad.act_per_channel.tiny.qdq_a16w8.onnx" --baseline "$scratch/baseline.json"
has "$err" "^note: the baseline has no report about '.*bad.act_per_channel.tiny.qdq_a16w8.onnx': all that is found there is new\$"
cp "$resnet" "$first"
run 0 check "$first" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"
same "$err" ""
# Of the same file name, and the one of the baseline is there: another model.
mkdir "$scratch/other"
cp "$resnet" "$scratch/other/first.onnx"
run 1 check "$scratch/other/first.onnx" -t qnn_htp/SM8350 --baseline "$scratch/baseline.json"
has "$err" "^note: the baseline has no report about '.*other/first.onnx'"

# The git hook: what is staged counts, not what lies in the folder.
hook=$data/../../../deploy/pre-commit
PATH=$(dirname "$quantgate"):$PATH
repository=$scratch/models
git init -q "$repository"
cd "$repository" || exit 1
git config quantgate.targets qnn_htp/SM8350
git config --add quantgate.targets qnn_htp/SM8650  # the first one counts still
git config user.email nobody@example.com
git config user.name nobody
mkdir -p a quantgate
hooked() { checks=$((checks + 1)); "$hook" >"$scratch/out" 2>"$scratch/err"; got=$?; [ "$got" = "$1" ] || fail "hook: exit $got, expected $1" "$(cat "$scratch/out" "$scratch/err")"; }
hooked 0
cp "$resnet" "a/with space.onnx"
hooked 0
git add a
hooked 123  # xargs: a command failed
has "$(cat "$scratch/out")" 'DT105'
printf 'waivers:\n  - {rule: DT105, model: "a/*", reason: known, expires: 2999-12-31}\n' >quantgate/waivers.yaml
hooked 123 # nobody who has the commit has that file
git add quantgate
hooked 0
rm quantgate/waivers.yaml
hooked 0
git rm -q --cached quantgate/waivers.yaml
hooked 123
cp "$resnet" quantgate/beside.onnx
git add quantgate
git rm -q --cached "a/with space.onnx"
hooked 123
mkdir -p quantgate
printf 'waivers:\n  - {rule: DT105, reason: known, expires: 2999-12-31}\n' >quantgate/waivers.yaml
git add quantgate
hooked 0 # also in the folder of a model
git rm -qrf --cached quantgate
rm -r quantgate
mkdir quantgate
hooked 0
# Names that look like flags or patterns are names, and letters have two cases.
for name in "-a/model.onnx" "[a]/model.onnx" "a/MODEL.ONNX"; do
  mkdir -p -- "$(dirname -- "$name")"
  cp "$resnet" "./$name"
  git add -- "./$name"
  hooked 123
  has "$(cat "$scratch/out")" 'DT105'
  git --literal-pathspecs rm -q --cached -- "./$name"
done
# A new model is not an old one of the same size, wherever that lies; one that was renamed is, and the report says so.
mkdir old
cp "$resnet" old/first.onnx
git add old
"$quantgate" check old/first.onnx -t qnn_htp/SM8350,qnn_htp/SM8650 --format json --quiet --output quantgate/baseline.json
git add quantgate
git commit -qm old
cp "$resnet" a/second.onnx
git add a/second.onnx
hooked 123
has "$(cat "$scratch/out")" 'DT105'
git rm -q --cached a/second.onnx
git mv old/first.onnx old/renamed.onnx
hooked 0
has "$(cat "$scratch/out")" 'EN304'
# Of several models it is known by its bytes.
cp "$good" old/other.txtpb
"$quantgate" check old/renamed.onnx old/other.txtpb -t qnn_htp/SM8350,qnn_htp/SM8650 --format json --quiet \
  --output quantgate/baseline.json
git add quantgate
git mv old/renamed.onnx a/third.onnx
hooked 0
has "$(cat "$scratch/out")" 'EN304'
cd "$scratch" || exit 1

# Logs.
run 0 decode 3110
has "$out" 'backendValidateOpConfig'
run 0 decode XCOM_DATA_OUTRANGE
has "$out" 'Vitis AI'
run 2 decode NO_SUCH_WORD
one_error INVALID_ARGUMENT
run 0 decode '0x408 != 0x232' --format json
same "$(jq -c '[.messages[0].tool, (.messages[0].means | contains("UFIXED_POINT_8")), .unknownCount]' <<<"$out")" '["QNN",true,0]'
printf 'start\n<E> has incorrect Value 68, expected >= 73.\nERROR: something else\n' >"$scratch/log"
run 0 decode "$scratch/log"
has "$out" '^line 2: '
has "$out" 'DT105 minimum-arch'
has "$out" '^line 3: unknown: ERROR: something else'
same "$("$quantgate" decode - <"$scratch/log")" "$out"
run 2 decode "$scratch/none.log"
one_error INVALID_ARGUMENT
for path in "$scratch/no such.log" ./no\ such '~/no such' '../no such' 'C:\no such' 'no such.txt'; do
  run 2 decode "$path"
  one_error INVALID_ARGUMENT
  has "$err" 'cannot be read: No such file'
done
for text in '/src/op.cc:12: has incorrect Value 68, expected >= 73.' \
  '/usr/lib/libQnnHtp.so has incorrect Value 68, expected >= 73.' \
  'has incorrect Value 68, expected >= 73., see /tmp/qnn.log'; do
  run 0 decode "$text"
  has "$out" 'DT105 minimum-arch'
done
run 2 decode /dev/null
one_error INVALID_ARGUMENT
for encoding in UTF-16LE UTF-16BE; do
  { printf '\ufeff'; cat "$scratch/log"; } | iconv -f UTF-8 -t "$encoding" >"$scratch/utf16"
  run 2 decode "$scratch/utf16"
  one_error INVALID_ARGUMENT
  has "$err" 'utf16: is UTF-16, .*: save it as UTF-8'
done
{ printf '\ufeff'; cat "$scratch/log"; } >"$scratch/utf8"
run 0 decode "$scratch/utf8"
# Longer than memory should have to be.
{
  yes 'a line of no interest that is about as long as lines are' | head -c 20000000
  cat "$scratch/log"
} >"$scratch/long"
run 0 decode "$scratch/long"
has "$out" 'DT105 minimum-arch'
for command in decode check; do
  run 0 "$command" --help
  has "$out" '^Examples?:'
done
finish
