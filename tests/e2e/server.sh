#!/usr/bin/env bash
# A server and its clients on loopback.
. "$(dirname "$0")/lib.sh"
good=$data/good.txtpb
bad=$data/bad.txtpb

# Under ThreadSanitizer alone the end of a large call takes its time; other builds have the default.
"$quantgate" serve --listen 127.0.0.1:0 --store "sqlite:$scratch/reports.db" ${TSAN_OPTIONS:+--drain-timeout 300} \
  >"$scratch/listening" 2>"$scratch/log" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; cleanup' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's/^listening on //p' "$scratch/listening")
  [ -n "$address" ] && break
  sleep 0.1
done
[ -n "$address" ] || { fail "the server did not start" "$(cat "$scratch/log")"; finish; exit 1; }

# In process and through the server: the same bytes but for name and time.
same_both_ways() {
  "$quantgate" check "$@" --format json >"$scratch/local" 2>/dev/null
  local code=$?
  run "$code" check "$@" --format json --server "$address"
  same "$(grep -vE '"(name|createTime)": "(reports/|20|")' <<<"$out")" \
    "$(grep -vE '"(name|createTime)": "(reports/|20|")' "$scratch/local")"
}
same_both_ways "$good"
same_both_ways "$bad"
same_both_ways "$bad" --mode warn
same_both_ways "$good" --target qnn_htp/SM8650 --target qnn_htp/V68@2.13
same_both_ways "$good" "$bad"
# Gated alike: the client does that.
printf 'waivers:\n  - {rule: NR001, reason: known, expires: 2999-12-31}\n  - {rule: AX, reason: old, expires: 2020-01-31}\n' \
  >"$scratch/waivers.yaml"
same_both_ways "$good" "$bad" --waivers "$scratch/waivers.yaml" --fail-on precision

# A graph beyond the unary limit goes in pieces.
{
  cat "$good"
  for i in $(seq 30000); do
    printf 'nodes { name: "%0200d" op: 2 inputs: 4 inputs: 2 inputs: 3 outputs: %d }\n' "$i" $((i + 5))
    printf 'values { name: "y%d" dtype: DATA_TYPE_FLOAT32 has_shape: true dims: 4 }\n' "$i"
  done
} >"$scratch/large.txtpb"
run 0 import "$scratch/large.txtpb" -o "$scratch/large.pb"
[ "$(stat -c %s "$scratch/large.pb")" -gt 6000000 ] || fail "the large graph is too small for this test"
same_both_ways "$scratch/large.pb"

# Errors of the server are the same as those in process.
run 2 check "$good" --target qnn_htp/SM0000
local_error=$err
run 2 check "$good" --target qnn_htp/SM0000 --server "$address"
one_error NOT_FOUND
same "$err" "$local_error"

# Stored reports.
run 1 check "$bad" --format json --server "$address"
name=$(jq -r .name <<<"$out")
has "$name" '^reports/'
kept=$out
run 0 reports show "$name" --server "$address" --format json
same "$out" "$kept"
QUANTGATE_SERVER=$address run 0 reports list --limit 3
same "$(grep -c '^reports/' <<<"$out")" 3
has "$out" "$name"
run 0 reports export --server "$address" --filter 'code = "NR001"'
has "$(jq -r .name <<<"$out")" "$name"
run 0 reports diff "$name" "$name" --server "$address"
has "$out" 'still there$'
run 0 reports export --server "$address"
printf '%s\n' "$out" >"$scratch/reports.jsonl"
run 0 reports delete "$name" --server "$address"
run 0 reports import "$scratch/reports.jsonl" --server "$address"
has "$out" '^1 imported, [0-9]+ were there already$'
run 0 reports prune --older-than 1w --server "$address"
same "$out" "0 deleted"
run 0 reports delete "$name" --server "$address"
run 2 reports show "$name" --server "$address"
one_error NOT_FOUND

# SIGTERM ends the server in good order; then nobody answers.
kill -TERM "$server"
wait "$server"
same "$?" 0
run 3 check "$good" --server "$address"
one_error UNAVAILABLE
has "$err" "cannot reach $address"
finish
