#!/usr/bin/env bash
# Files and lines that are no cases: a line of text for each, never a crash.
# Usage: bad_input.sh AGREEMENT ASK FAKE_LIBRARY
set -u
agreement=$1 ask=$2 fake=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset FAKE_QNN
failures=0

# expect CODE PATTERN PROGRAM ARGUMENTS...: the exit code, and how many lines of stderr match, which must be all.
expect() {
  local want=$1 pattern=$2 got=0
  shift 2
  "$@" >"$scratch/out" 2>"$scratch/err" || got=$?
  if [[ $got != "$want" ]] || ! grep -qE -- "$pattern" "$scratch/err" || grep -qvE -- "$pattern" "$scratch/err"; then
    failures=$((failures + 1))
    echo "FAILED: exit $got, expected $want, with lines like '$pattern': $*"
    cat "$scratch/err"
  fi
}

head -n 3 "$here/../data/vendor/qnn_htp-2.51.0.jsonl" >"$scratch/good"
gzip -c "$here/../data/vendor/qnn_htp-2.51.0.jsonl" | head -c 5000 >"$scratch/truncated.gz"
expect 2 'truncated.gz' "$agreement" "$scratch/truncated.gz"
expect 2 'truncated.gz' "$ask" "$fake" "$scratch/truncated.gz"
for program in "$agreement" "$ask $fake"; do
  # shellcheck disable=SC2086
  expect 2 'none: cannot be opened' $program "$scratch/none"
  # shellcheck disable=SC2086
  expect 2 'is a directory|Is a directory|cannot be' $program "$scratch"
done

# line WHAT PATTERN FROM TO: the first good line with a change in it.
line() {
  head -n 1 "$scratch/good" | sed "s|$3|$4|" >"$scratch/bad"
  expect 0 "bad:1: .*$2" "$agreement" "$scratch/bad"
}
line "no JSON" "not JSON" '{"id"' '{id'
line "no operator" "key 'op' not found" '"op":' '"opp":'
line "a type" "unknown element type" '"dtype":"UFIXED_POINT_8"' '"dtype":"UFIXED_POINT_9"'
line "an arch" "." '"arch":"V69"' '"arch":"V1"'

ask_line() {
  head -n 1 "$scratch/good" | sed "s|$2|$3|" >"$scratch/bad"
  expect 0 "bad:1: .*$1" "$ask" "$fake" "$scratch/bad"
}
ask_line "not a case" '{"id"' '{id'
ask_line "not a case" '"config":' '"conf":'
ask_line "no SoC and no arch is named 'V1'" '"arch":"V69"' '"arch":"V1"'
ask_line "UFIXED_POINT_9 cannot be asked about" '"dtype":"UFIXED_POINT_8"' '"dtype":"UFIXED_POINT_9"'
ask_line "size -1" '"shape":\[1,8,8,4\]' '"shape":[-1,8,8,4]'
ask_line "size" '"shape":\[1,8,8,4\]' '"shape":[99999999999,8,8,4]'

# An operator that no one knows is a case like any other; so is a scale that is no number.
for change in 's|"op":"ArgbToRgb"|"op":"NoSuchOp"|' 's|"scale":0.02|"scale":"nan"|' 's|"shape":\[1,8,8,4\]|"shape":[4000000000,8,8,4]|'; do
  head -n 1 "$scratch/good" | sed "$change" >"$scratch/odd"
  "$agreement" "$scratch/odd" >"$scratch/out" 2>"$scratch/err" && grep -q '^agreement: 1 cases, ' "$scratch/out" ||
    { failures=$((failures + 1)); echo "FAILED: agreement with $change"; cat "$scratch/err"; }
  "$ask" "$fake" "$scratch/odd" >"$scratch/out" 2>"$scratch/err" && grep -q '"validate":"accept"' "$scratch/out" ||
    { failures=$((failures + 1)); echo "FAILED: ask with $change"; cat "$scratch/err"; }
done

# A library that cannot be asked: said once.
FAKE_QNN='abort at load' expect 2 'ends its process while it is loaded' "$ask" "$fake" "$scratch/good"
expect 2 'none.so' "$ask" "$scratch/none.so" "$scratch/good"
[[ $(wc -l <"$scratch/err") == 1 ]] || { failures=$((failures + 1)); echo "FAILED: said more than once"; }
echo "$failures failed"
[[ $failures == 0 ]]
