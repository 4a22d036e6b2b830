#!/usr/bin/env bash
# Commands without a server: exit codes, streams, formats.
. "$(dirname "$0")/lib.sh"
# A copy: what must not be written over is not the repository's.
good=$scratch/good.txtpb
cp "$data/good.txtpb" "$good"
bad=$data/bad.txtpb
program=$(realpath "$quantgate") # from any folder

# Verdicts and exit codes.
run 0 check "$good"
has "$out" '✓ accepted  any'
same "$err" ""
run 1 check "$bad"
has "$out" '^error\[NR001\] '
has "$(tail -n 1 <<<"$out")" '^exit 1: '
run 0 check "$bad" --mode warn
has "$out" '^error\[NR001\] '
run 1 check "$good" "$bad"
has "$out" '^model  *any$'
run 2 check "$good" "$scratch/missing" "$bad"
has "$err" '^error\[FI001\]: .*missing'
has "$out" '^error\[NR001\] '
has "$out" "missing +not checked"

# A real model: 16-bit weights need V73. Each SoC that rejects it says the same, so it is said once.
resnet=$data/../../data/onnx/resnet8.qnn_a16_mixed.onnx
run 1 check "$resnet" -t qnn_htp/SM8350 -t qnn_htp/SM8450 -t qnn_htp/SM8650
has "$out" 'rejected +qnn_htp/SM8350@'
has "$out" 'rejected +qnn_htp/SM8450@'
has "$out" 'accepted +qnn_htp/SM8650@'
same "$(grep -c "^error\[DT105\] minimum-arch · refused · 2 nodes" <<<"$out")" 1
has "$out" 'observed +SFIXED_POINT_16 per_tensor on V68, SFIXED_POINT_16 per_tensor on V69$'
has "$out" 'source +qnn_htp@2.51.0 Conv2d/All/in\[1\]/item 4, FullyConnected/All/'
# A table's finding says what was asked or read, with whatever evidence.
run 1 check "$resnet" -t qnn_htp/SM8350 -t qnn_htp/SM8350@2.25 -t onnxruntime/cpu --format json
same "$(jq '[.results[].findings[].source | select(.table != null and .table != "" and (.document // "") == "")]' <<<"$out")" '[]'
documents=$(jq -r '.results[].findings[].source.document' <<<"$out")
for document in "the vendor's library \(QAIRT 2.51.0, x86-64\), asked" 'AI Engine Direct 2.25.0, HTP operator definition' \
  'ONNX Runtime 1.31.1, kernel registry of CPUExecutionProvider'; do
  has "$documents" "$document"
done
run 0 check "$resnet" -t qnn_htp/SM8650

# A version of a toolchain that nothing is known of is said, of each toolchain.
for toolchain in qnn-converter executorch onnxruntime litert; do
  run 0 check "$resnet" -t qnn_htp/SM8650 --toolchain "$toolchain@9.9"
  has "$out" '^  not checked the graph: what is known of .* is of [0-9.]+; 9\.9 may do otherwise'
done
run 0 check "$resnet" -t qnn_htp/SM8650 --toolchain qnn-converter@2.51
has_not "$out" 'not checked'

# What would pass: said, and written as a graph that then does.
run 1 check "$resnet" -t qnn_htp/SM8350 --fix "$scratch/fixed.pb"
has "$out" '^corrections: 4 changes of specs remove all 2 errors and fallbacks'
run 0 check "$scratch/fixed.pb" -t qnn_htp/SM8350
has_not "$out" '^corrections'
run 1 check "$resnet" -t qnn_htp/SM8350 --no-corrections
has_not "$out" '^corrections'

# The same in the file that the next tool reads: only what a correction names is another, and it is accepted.
broken=$data/../../data/onnx/bad.bias_scale.tiny.qdq_u8s8.onnx
run 1 check "$broken" --fix "$scratch/fixed.onnx"
has "$err" 'fixed.onnx: .* with 1 change for any, read back and checked: accepted'
run 0 check "$scratch/fixed.onnx"
run 1 check "$resnet" -t qnn_htp/SM8350 --fix "$scratch/resnet.onnx" --quiet
same "$err" ""
run 0 check "$scratch/resnet.onnx" -t qnn_htp/SM8350
# A graph has no value that was only read by what is another now.
unread() {
  jq '[.values | keys[] + 1] - ([.nodes[] | .inputs[]?, .outputs[]?] + [.inputs[]?, .outputs[]?]) | length' "$1"
}
run 0 import "$resnet" -o "$scratch/before.json"
run 1 check "$resnet" -t qnn_htp/SM8350 --fix "$scratch/after.json" --quiet
same "$(unread "$scratch/after.json")" "$(unread "$scratch/before.json")"
run 0 check "$scratch/after.json" -t qnn_htp/SM8350
softmax=$data/../../data/tflite/bad.softmax_scale.dscnn.int16x8.tflite
run 1 check "$softmax" --fix "$scratch/fixed.tflite"
has "$err" 'fixed.tflite: .* with 1 change for any, read back and checked: accepted'
run 0 check "$scratch/fixed.tflite"
run 1 check "$softmax" --fix "$scratch/fixed.json" # as a graph
run 0 check "$scratch/fixed.json"
run 2 check "$data/../../data/pt2/tinycnn.xnnpack_pc.pt2" --fix "$scratch/fixed.pt2"
has "$err" '^error\[INVALID_ARGUMENT\]: --fix .*fixed.pt2: exported programs are not written: '
# Nothing to correct: the same bytes. Nothing that can be corrected: said, and exit 1.
run 0 check "$scratch/fixed.onnx" --fix "$scratch/again.onnx"
run 0 check "$scratch/again.onnx"
cmp -s "$scratch/fixed.onnx" "$scratch/again.onnx" || fail "a sound model is written as it is"
run 1 check "$data/../../data/onnx/bad.scale_zero.tiny.qdq_a16w8.onnx" --fix "$scratch/left.onnx"
has "$err" 'left, any: NR001 '
# Where it cannot be written there is the report, an error, and no file.
mkdir "$scratch/folder.onnx"
for path in "$scratch/no/folder/fixed.onnx" "/proc/fixed.onnx"; do
  "$quantgate" check "$broken" --fix "$path" >"$scratch/out" 2>"$scratch/err"
  same "$?" 2
  has "$(cat "$scratch/err")" '^error\[FAILED_PRECONDITION\]: .*cannot be written: '
  has "$(cat "$scratch/out")" '^error\[FX001\] '
done
(
  trap '' XFSZ
  ulimit -f 1 # a kilobyte: the disk is full
  "$quantgate" check "$broken" --fix "$scratch/full.onnx" --quiet --format json 2>"$scratch/full.err" | tail -c 1 >/dev/null
  same "${PIPESTATUS[0]}" 2
)
has "$(cat "$scratch/full.err")" '^error\[FAILED_PRECONDITION\]: .*full.onnx: cannot be written: File too large'
same "$(find "$scratch" -name 'full.onnx*')" ""

for timeout in nan -nan inf 0 86401; do
  run 2 check "$good" --server 127.0.0.1:1 --timeout $timeout
  one_error INVALID_ARGUMENT
done
# "-" is a standard stream, for all that writes text.
for command in "check $good" "groups $good" "simulate $good" "decode 0x1" "completion bash"; do
  # shellcheck disable=SC2086
  (cd "$scratch" && "$program" $command -o - >out 2>err)
  has "$(cat "$scratch/out")" .
done
for flags in "simulate $good --dump -" "import $good -o $scratch/x.pb --info -" "check $good --confirm --confirm-cases -"; do
  # shellcheck disable=SC2086
  run 2 $flags
  has "$err" ' -: .*name a file$'
done
[ ! -e "$scratch/-" ] || fail "a file that is named -"
# What is empty is said, and not looked for.
for command in check simulate decode groups; do
  run 2 $command ""
  has "$err" ' is empty: (leave it out or )?give a value'
done
run 2 check ""  # which needs one
has "$err" 'MODEL is empty: give a value'
# Of ids that lead nowhere the graph says how many there are.
echo '{"origin": "ONNX", "nodes": [{"op": 5}]}' >"$scratch/ids.json"
run 2 check "$scratch/ids.json"
one_error INVALID_ARGUMENT
has "$err" 'id 5 is outside of graph.symbols, which is empty$'
echo '{"origin": "ONNX", "nodes": [{"op": 5}], "symbols": ["Relu"]}' >"$scratch/ids.json"
run 2 check "$scratch/ids.json"
has "$err" 'id 5 is outside of graph.symbols \(1 to 1, 0 for none\)$'
run 2 check model.onnx --target ""
has "$err" '--target is empty: leave it out or give a value'
run 2 check -t xnnpack --
has "$err" 'MODEL is required'

# No output takes the place of an input, however it is spelled.
ln -s "$good" "$scratch/link.txtpb"
for same_file in "$good" "$scratch/./good.txtpb" "$scratch/link.txtpb"; do
  for command in check groups simulate; do
    run 2 "$command" "$good" --output "$same_file"
    has "$err" '^error\[INVALID_ARGUMENT\]: --output .* would overwrite '
  done
  run 2 check "$good" --confirm --confirm-cases "$same_file"
  has "$err" '^error\[INVALID_ARGUMENT\]: --confirm-cases .* would overwrite '
  run 2 decode "$good" --output "$same_file"
  run 2 simulate "$good" --dump "$same_file"
  run 2 import "$good" --output "$same_file"
  run 2 import "$good" --output "$scratch/graph.pb" --info "$same_file"
done
run 2 import "$good" --output "$scratch/graph.pb" --info "$scratch/graph.pb"
for flags in "--fix good.txtpb" "--encodings e.json --fix e.json" "--waivers e.json --output e.json" \
  "--fix e.json --output ./e.json" "--fix $scratch/e.json --output e.json" "--output e.json --confirm --confirm-cases e.json"; do
  # shellcheck disable=SC2086
  (cd "$scratch" && "$program" check good.txtpb $flags >out 2>err)
  same "$?" 2
  has "$(cat "$scratch/err")" '^error\[INVALID_ARGUMENT\]: --(output|fix|confirm-cases) .* would overwrite '
done
[ ! -e "$scratch/e.json" ] || fail "a file was written that an input or another output was to be"
cmp -s "$good" "$data/good.txtpb" || fail "the model was written over"
# Nor of what is read beside the model: its weights, the tables, the server's certificate.
cat >"$scratch/beside.txtpb" <<'GRAPH'
origin: ONNX
values { name: "w" dtype: DATA_TYPE_FLOAT32 has_shape: true dims: 4 constant { external { location: "beside.data" length: 16 } } }
GRAPH
printf weights >"$scratch/beside.data"
cp "$(dirname "$quantgate")/quantgate-tables.sqlite" "$scratch/tables.sqlite"
printf certificate >"$scratch/server.pem"
for command in "check beside.txtpb --output beside.data" "simulate beside.txtpb --output ./beside.data" \
  "simulate beside.txtpb --dump beside.data" "groups beside.txtpb --output beside.data" \
  "import beside.txtpb --output beside.pb --info beside.data" "check good.txtpb beside.txtpb --output beside.data" \
  "check good.txtpb --tables tables.sqlite --output tables.sqlite" \
  "simulate good.txtpb --tables tables.sqlite --dump tables.sqlite" \
  "check good.txtpb --server 127.0.0.1:1 --tls-ca server.pem --output server.pem"; do
  # shellcheck disable=SC2086
  (cd "$scratch" && "$program" $command >out 2>err) && fail "quantgate $command: succeeded"
  has "$(cat "$scratch/err")" '^error\[INVALID_ARGUMENT\]: --(output|dump|info) .* would overwrite '
done
same "$(cat "$scratch/beside.data" "$scratch/server.pem")" weightscertificate
cmp -s "$scratch/tables.sqlite" "$(dirname "$quantgate")/quantgate-tables.sqlite" || fail "the tables were written over"
[ ! -e "$scratch/beside.pb" ] || fail "a graph was written beside the weights that --info would overwrite"
run 0 groups "$scratch/beside.txtpb" --output "$scratch/beside.json"
# An output that is there keeps its permissions, and its link.
printf old >"$scratch/report.txt"
chmod 600 "$scratch/report.txt"
ln -s report.txt "$scratch/report.link"
run 0 check "$good" --output "$scratch/report.link"
has "$(cat "$scratch/report.txt")" 'accepted'
same "$(stat -c %a "$scratch/report.txt")" 600
same "$(readlink "$scratch/report.link")" report.txt
run 0 check "$good" --output /dev/null
ln -s nothing.txt "$scratch/dangling.link"
run 0 check "$good" --output "$scratch/dangling.link"
has "$(cat "$scratch/nothing.txt")" 'accepted'
# Files of other kinds than reports too: what leads to a file goes on to do so, and a pipe remains one.
for write in "import $good -o @.pb" "check $broken --fix @.onnx" "simulate $resnet --dump @.npz"; do
  ending=.${write##*@.}
  written=$scratch/real$ending
  run_to() { # shellcheck disable=SC2086
    "$quantgate" ${write/@*/$1} >"$scratch/out" 2>"$scratch/err"
  }
  rm -f "$written" "$scratch/other$ending"
  printf old >"$written"
  ln -sf "real$ending" "$scratch/link$ending"
  ln "$written" "$scratch/other$ending"
  ln -sf "unmade$ending" "$scratch/dangling$ending"
  for name in link other dangling; do run_to "$scratch/$name$ending"; done
  same "$(readlink "$scratch/link$ending") $(readlink "$scratch/dangling$ending")" "real$ending unmade$ending"
  same "$(stat -c %h "$written")" 2
  cmp -s "$written" "$scratch/other$ending" || fail "$write: two names of one file differ"
  cmp -s "$written" "$scratch/unmade$ending" || fail "$write: a link to no file makes none"
  has_not "$(head -c 3 "$written" | tr -d '\0')" '^old$'
done
mkfifo "$scratch/pipe.pb"
timeout 20 cat "$scratch/pipe.pb" >"$scratch/through.pb" &
run 0 import "$good" -o "$scratch/pipe.pb" --quiet
wait $!
run 0 import "$good" -o "$scratch/plain.pb" --quiet
cmp -s "$scratch/through.pb" "$scratch/plain.pb" || fail "a graph does not go through a pipe"
same "$(stat -c %F "$scratch/pipe.pb")" fifo
same "$(find "$scratch" "${TMPDIR:-/tmp}" -maxdepth 1 -name '*.part' 2>/dev/null)" ""
long=$scratch/$(printf 'n%.0s' {1..250}).txt
run 0 check "$good" --output "$long"
has "$(cat "$long")" 'accepted'
run 2 import "$broken" --encodings "$good" --output "$good"
run 2 check "$good" --waivers "$scratch/kept.json" --fix "$scratch/kept.json"
run 2 check "$good" --baseline "$scratch/kept.json" --fix "$scratch/kept.json"
# An export that fails leaves the last one as it is.
printf yesterday >"$scratch/backup.jsonl"
run 3 reports export --server 127.0.0.1:1 --timeout 1 --output "$scratch/backup.jsonl"
same "$(cat "$scratch/backup.jsonl")" yesterday
run 0 check "$good" --store "sqlite:$scratch/own.db"
run 2 reports export --store "sqlite:$scratch/own.db" --output "$scratch/./own.db"
has "$err" 'would overwrite the store'
for command in list prune\ --max-reports\ 5 migrate show\ x diff\ x\ y import\ "$scratch/backup.jsonl"; do
  # shellcheck disable=SC2086
  run 2 reports $command --store "sqlite:$scratch/own.db" --output "$scratch/own.db"
  has "$err" 'would overwrite the store'
done
run 2 reports import "$scratch/backup.jsonl" --store "sqlite:$scratch/own.db" --output "$scratch/./backup.jsonl"
has "$err" 'would overwrite a file that is read'
run 0 reports list --store "sqlite:$scratch/own.db" --output "$scratch/own.txt"
run 0 reports list --store "sqlite:$scratch/own.db"
has "$out" 'accepted'
name=$(grep -oE 'reports/[^ ]+' <<<"$out")

# A store that may only be read, in a folder that takes no new file: a backup.
mkdir "$scratch/backup"
cp "$scratch/own.db" "$scratch/backup/"
chmod 444 "$scratch/backup/own.db"
chmod 555 "$scratch/backup"
chmod 755 "$scratch"
cp "$quantgate" "$scratch/as-reader" # where everybody may run it
as_reader() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --clear-groups "$@"; else "$@"; fi; }
for parameters in "" "?mode=ro"; do
  has "$(as_reader "$scratch/as-reader" reports list --store "sqlite:$scratch/backup/own.db$parameters" 2>&1)" 'accepted'
  has "$(as_reader "$scratch/as-reader" reports delete "$name" --store "sqlite:$scratch/backup/own.db$parameters" 2>&1)" '^error\[FAILED_PRECONDITION\]'
done
chmod 755 "$scratch/backup"

# Sharing groups: in torchao's order, a value by its name, an edge by both.
annotated=$data/shared.txtpb
run 0 groups "$annotated"
has "$out" '^0  \(x, relu\), relu$'
run 0 groups "$annotated" --format json
same "$(jq -c . <<<"$out")" '{"groups":[[["x","relu"],["relu"]]],"error":null}'
run 0 groups "$annotated" "$good" --format json
same "$(jq -c '[.[].groups | length]' <<<"$out")" '[1,0]'
# Those that can be read are told of, whatever becomes of the others; each at its place.
run 2 groups "$scratch/missing" "$annotated"
has "$err" '^error\[FI001\]: .*missing: no such file'
same "$(sed 1d <<<"$out")" "$("$quantgate" groups "$annotated")"
run 2 groups "$annotated" "$scratch/missing" --format json
same "$(jq -c 'map([(.groups | length), .error != null])' <<<"$out")" '[[1,false],[0,true]]'
run 2 groups "$scratch/missing" "$scratch/missing.too"
same "$out$(wc -l <"$scratch/err")" 2
run 0 groups "$good"
same "$out" 'nothing is annotated'

# Errors: one line, nothing on stdout.
while IFS='|' read -r code name arguments; do
  # shellcheck disable=SC2086
  run "$code" $arguments
  one_error "$name"
done <<END
2|INVALID_ARGUMENT|
2|INVALID_ARGUMENT|chek
2|INVALID_ARGUMENT|check
2|INVALID_ARGUMENT|check $good --taget x
2|INVALID_ARGUMENT|check $good --mode lax
2|INVALID_ARGUMENT|check $good --fail-on falback
2|INVALID_ARGUMENT|check $good --server 127.0.0.1:1 --tables t
2|INVALID_ARGUMENT|check $good --server 127.0.0.1:1 --store sqlite:s
2|INVALID_ARGUMENT|check $good --mode warn --fail-on precision
2|INVALID_ARGUMENT|check $good --format json --verbose
2|INVALID_ARGUMENT|check $good --format json --color always
2|INVALID_ARGUMENT|check $good --output $good
2|INVALID_ARGUMENT|check $good --output $scratch/same.pb --fix $scratch/same.pb
2|INVALID_ARGUMENT|check $good --fix $scratch/fixed.xml
2|INVALID_ARGUMENT|check $good --fix $scratch/fixed.onnx
2|INVALID_ARGUMENT|check $good --fix $good
2|INVALID_ARGUMENT|check $broken --fix $broken
2|INVALID_ARGUMENT|check $broken --fix $scratch/fixed.tflite
2|INVALID_ARGUMENT|check $broken --fix $scratch/folder.onnx
2|INVALID_ARGUMENT|check $scratch/missing --fix $scratch/fixed.xml
2|INVALID_ARGUMENT|check $good --waivers=
2|INVALID_ARGUMENT|check $good --baseline=
2|INVALID_ARGUMENT|check $good --fix=
2|INVALID_ARGUMENT|check $good --server http://127.0.0.1:1
2|INVALID_ARGUMENT|reports import $scratch --store sqlite:$scratch/own.db
2|INVALID_ARGUMENT|reports list --store sqlite:
2|FAILED_PRECONDITION|simulate $good --dump $scratch/no/values.npz
2|INVALID_ARGUMENT|check $good --tls
2|INVALID_ARGUMENT|check $good --server nowhere
2|INVALID_ARGUMENT|check $good --tables /dev/null/x --store mysql:x --mode strict --format xml
2|INVALID_ARGUMENT|simulations $good
2|FI001|simulate $scratch
2|NOT_FOUND|simulate $good --target qnn_htp/SM0000
2|NOT_FOUND|simulate $good --profile nothing
2|INVALID_ARGUMENT|simulate $good --profile tosa --target onnxruntime/cpu
2|INVALID_ARGUMENT|simulate $good --max-memory -5
2|INVALID_ARGUMENT|simulate $good --max-memory 0
2|INVALID_ARGUMENT|simulate $good --max-memory 99999999999999999999
2|INVALID_ARGUMENT|simulate $good --seed -1
2|INVALID_ARGUMENT|simulate $good --seed seven
2|FI001|simulate $good --input $good
2|FI001|check $scratch
2|NOT_FOUND|check $good --target no_such_backend
2|NOT_FOUND|check $good --target qnn_htp/SM0000
2|INVALID_ARGUMENT|check $good --target qnn_htp//
2|INVALID_ARGUMENT|check $good --target qnn_htp/68
2|FAILED_PRECONDITION|targets qnn_gpu
2|NOT_FOUND|explain ZZ999
2|NOT_FOUND|constraints show qnn_htp@9.9
2|INVALID_ARGUMENT|constraints show qnn_htp@
2|INVALID_ARGUMENT|constraints show qnn_htp/SM8650@
2|INVALID_ARGUMENT|constraints diff qnn_htp/SM8350 qnn_htp/SM8650
2|INVALID_ARGUMENT|-q check $good
2|INVALID_ARGUMENT|reports -q list
2|NOT_FOUND|targets --tables $scratch/none.sqlite
2|NOT_FOUND|constraints show qnn_htp/SM0000
2|NOT_FOUND|constraints show qnn_htp/SM8650 Conv9d
2|NOT_FOUND|reports list --store sqlite:$scratch/none.db
2|FAILED_PRECONDITION|check $good --output $scratch/no/folder
3|UNAVAILABLE|check $good --server 127.0.0.1:1
3|UNAVAILABLE|reports list --server 127.0.0.1:1
END
run 2 check "$good" --taget x
has "$err" 'did you mean --target'
run 2 chek
has "$err" 'did you mean check'
run 2 -q check "$good"
has "$err" "unexpected '-q' in front of a command: its flags and arguments go behind it \(see quantgate check --help\)"
run 2 constraints diff qnn_htp/SM8350 qnn_htp/SM8650
has "$err" "'qnn_htp/SM8350' is a target; tables are BACKEND\[@SDK\], as qnn_htp"

# Tables that the user named are the user's, and those that came with the program its own.
QUANTGATE_TABLES=$scratch/none.sqlite run 2 targets
one_error NOT_FOUND
mkdir "$scratch/alone"
cp "$quantgate" "$scratch/alone/quantgate"
"$scratch/alone/quantgate" targets >/dev/null 2>"$scratch/err"
same "$?" 3
has "$(cat "$scratch/err")" '^error\[INTERNAL\]: no constraint database: '
rm -r "$scratch/alone"

# A full disk is noticed.
for arguments in "check $good" --help --version "reports list --help"; do
  # shellcheck disable=SC2086
  "$quantgate" $arguments >/dev/full 2>"$scratch/err"
  same "$?" 2
  has "$(cat "$scratch/err")" '^error\[FAILED_PRECONDITION\]: cannot write standard output'
done

# Colors, width, characters.
run 0 check "$good"
has_not "$out" $'\033'
run 0 check "$good" --color always
has "$out" $'\033\\[1;32m'
LC_ALL=C run 0 check "$good"
has "$out" '\+ accepted'
COLUMNS=50 run 1 check "$bad"
same "$(awk 'length > 50 && / /' <<<"$out" | grep -cv 'txtpb')" 0

# JSON: an object for one model, an array for several, everything a reader expects.
run 1 check "$bad" --format json
same "$(jq -r '.results[0] | .target, .verdict, .findings[0].code, .findings[0].severity, .findings[0].location.node' <<<"$out")" \
  $'any\nREJECTED\nNR001\nERROR\nquantize'
run 0 check "$good" --format json
same "$(jq -c '[.results[0].findings, .results[0].notChecked, .results[0].corrections]' <<<"$out")" '[[],[],[]]'
same "$(jq -r '.mode, .stage, .model.format' <<<"$out")" $'STRICT\nSTAGE_CONVERTED\nquantgate.v1.Graph'
run 1 check "$good" "$bad" --format json
same "$(jq -c '[type, length]' <<<"$out")" '["array",2]'
run 1 check "$bad" --format json --output "$scratch/report.json"
same "$out" ""
same "$(jq -r '.results[0].verdict' "$scratch/report.json")" REJECTED

# The same answer every time but for the time.
"$quantgate" check "$bad" --format json | jq 'del(.createTime)' >"$scratch/first"
"$quantgate" check "$bad" --format json | jq 'del(.createTime)' >"$scratch/second"
same "$(cat "$scratch/first")" "$(cat "$scratch/second")"

# A simulation beside a check: its worst output is said where nothing is wrong; where a backend is not judged at all
# the check's answer stands, and so do the other targets' simulations.
tiny=$data/../../data/onnx/tiny.qdq_u8s8.onnx
run 0 check "$tiny" -t onnxruntime/cpu --simulate
has "$out" "^  simulated +worst output '[^']+': [0-9]+\.[0-9] dB; arithmetic: onnxruntime; inputs: "
run 1 check "$tiny" -t qnn_gpu -t onnxruntime/cpu --simulate --format json
same "$(jq -c '[.results[0].notChecked[] | select(.rule == "SM") | .reason | startswith("there is no module for qnn_gpu")]' \
  <<<"$out")" '[true]'
same "$(jq -r '.simulation.profile + " " + .results[1].verdict' <<<"$out")" 'onnxruntime ACCEPTED_WITH_WARNINGS'
run 0 check "$tiny" -t qnn_gpu --simulate --mode warn
# So it does of a model that cannot be run.
run 1 check "$data/../../data/onnx/bad.scale_inf.tiny.qdq_a16w8.onnx" -t onnxruntime/cpu --simulate --format json
same "$err" ""
has "$(jq -r '.results[0].notChecked[] | select(.rule == "SM") | .reason' <<<"$out")" "^node '[^']+' \([A-Za-z]+\): scale inf$"
same "$(jq -r .results[0].verdict <<<"$out")" REJECTED

# Import: every format reads back as the same graph.
digest=$("$quantgate" check "$good" --format json | jq -r .graphDigest)
has "$digest" '^[0-9a-f]{64}$'
for format in pb json txtpb; do
  run 0 import "$good" -o "$scratch/graph.$format"
  same "$out" ""
  run 0 check "$scratch/graph.$format" --format json
  same "$(jq -r .graphDigest <<<"$out")" "$digest"
done
run 0 import "$good" -o "$scratch/graph.pb" --quiet
same "$err" ""
# A file of another machine alone is refused where the rest of the model is not; its other faults are for the rules.
external=$data/../../data/onnx/bad.ext
run 0 import "${external}_missing.tiny.qdq_a16w8.onnx" -o "$scratch/graph.pb"
run 2 import "${external}_missing.tiny.qdq_a16w8.onnx" -o "$scratch/alone.pb" --self-contained
one_error INVALID_ARGUMENT
has "$err" "the model keeps its weights in '[^']+', which is not here: run 'quantgate check --server'"
[ ! -e "$scratch/alone.pb" ] || fail "a graph was written"
echo '{"version": "0.6.1", "activation_encodings": {}, "param_encodings": {}}' >"$scratch/alone.encodings"
run 0 import "${external}_missing.tiny.qdq_a16w8.onnx" -o "$scratch/graph.pb" --encodings "$scratch/alone.encodings"
run 2 import "${external}_missing.tiny.qdq_a16w8.onnx" -o "$scratch/alone.pb" --encodings "$scratch/alone.encodings" \
  --self-contained
has "$err" "which is not here"
run 0 import "${external}_escape.tiny.qdq_a16w8.onnx" -o "$scratch/graph.pb" --self-contained
run 0 import "$good" -o "$scratch/graph.pb" --self-contained
run 2 import "$good" -o "$scratch/graph.onnx"
one_error INVALID_ARGUMENT

# Catalog.
run 0 targets
has "$out" '^qnn_htp/SM8650 +V75'
run 0 targets --backend qnn_htp --format json
of_htp=$out
run 0 targets qnn_htp --format json
same "$out" "$of_htp"
same "$(jq -c '.targets[] | select(.name == "qnn_htp/SM8650") | .arch' <<<"$out")" '"V75"'
run 0 rules
has "$out" '^NR001 +scale-range +error +unsound'
run 0 rules --format json
same "$(jq -r '.rules[] | select(.code == "NR001") | .title' <<<"$out")" scale-range
run 0 explain NR001
has "$out" '^# NR001 scale-range'
page=$out
for name in scale-range rules/NR001; do
  run 0 explain "$name"
  same "$out" "$page"
done
run 0 constraints list
has "$out" '^qnn_htp@2\.25\.0 '
run 0 constraints verify
same "$(grep '^qnn_htp@2.25.0' <<<"$out")" 'qnn_htp@2.25.0: 121 ops, 1086 rows, 624 items, 0 not encoded'
has_not "$out" '^ '
run 0 constraints show qnn_master Conv2d
has "$out" '^  in\[2\]  optional, types as each backend.s table says, default fill:0$'
has "$out" '^  group  optional, UINT_32, default 1$'
run 0 constraints show qnn_htp@2.51 FullyConnected
has "$out" 'else wrong numbers: encoding_axis'
has "$out" 'stated, not enforced: signed'
has "$out" 'min_arch arch=73'
run 0 constraints show qnn_htp/SM8650 ElementWiseBinary
has "$out" '^qnn_htp/SM8650@2\.51\.0 \(V75\): '
has "$out" '^ElementWiseBinary:ADD$'
# A target is judged by all of its tables; what a table counts by the model is kept.
same "$("$quantgate" constraints show onnxruntime/cpu | grep -c '/row ')" \
  "$("$quantgate" constraints show onnxruntime | grep -c '/row ')"
run 0 constraints show litert/xnnpack
has "$out" '^litert/xnnpack@2\.3\.0, litert_xnnpack@2\.3\.0: '
has "$out" 'V2 and later'
has_not "$out" 'up to V1'
run 0 constraints show litert/xnnpack XNN_ADD
has_not "$out" ', litert@'
run 0 constraints show qnn_htp@2.25 Conv2d
has "$out" '^  INT8/row [0-9]+ '
run 0 constraints diff qnn_htp@2.13 qnn_htp@2.25
has "$out" '^operators added .*RmsNorm|RmsNorm'
run 0 constraints diff qnn_htp@2.25 qnn_htp@2.25
has "$out" '^no difference'

# Reports in a store of this machine.
store=sqlite:$scratch/reports.db
run 1 check "$bad" --store "$store" --format json
name=$(jq -r .name <<<"$out")
has "$name" '^reports/'
kept=$out
run 0 check "$good" --store "$store"
run 0 reports list --store "$store"
same "$(grep -c '^reports/.*accepted' <<<"$out")" 1 # a line has all of it, of any width
same "$(wc -l <<<"$out")" 3
COLUMNS=70 run 0 reports list --store "$store"
same "$(grep -c '^reports/' <<<"$out")" 2
same "$(awk 'length > 70 && / .* /' <<<"$out")" ''
has "$out" '^  ✓ accepted any$'
run 0 reports list --store "$store" --filter 'verdict = REJECTED' --format json
same "$(jq -r '.reports[].name' <<<"$out")" "$name"
run 0 reports show "$name" --store "$store" --format json
same "$out" "$kept"
run 0 reports show "${name#reports/}" --store "$store"
has "$out" '^error\[NR001\] '
run 0 reports export --store "$store"
same "$(jq -s length <<<"$out")" 2
printf '%s\n' "$out" >"$scratch/reports.jsonl"
copy=sqlite:$scratch/copy.db
run 0 reports import "$scratch/reports.jsonl" --store "$copy"
same "$out" "2 imported, 0 were there already"
run 0 reports import "$scratch/reports.jsonl" --store "$copy"
same "$out" "0 imported, 2 were there already"
run 0 reports show "$name" --store "$copy" --format json
same "$out" "$kept"
run 0 reports export --store "$copy"
same "$out" "$(cat "$scratch/reports.jsonl")"
# A report that the store cannot read is named, and keeps the others from nothing; nor does the line that it once left.
if command -v python3 >/dev/null; then
  cp "$scratch/copy.db" "$scratch/damaged.db"
  python3 - "$scratch/damaged.db" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("UPDATE report_bodies SET body = x'ffffff' WHERE time = (SELECT min(time) FROM report_bodies)")
END
  run 2 reports export --store "sqlite:$scratch/damaged.db"
  has "$err" '^error\[DATA_LOSS\]: reports/[^ ]+: cannot be read: left out$'
  same "$(jq -s length <<<"$out")" 1
fi
{ echo '{"name":"reports/lost","stage":"STAGE_UNSPECIFIED","results":[]}' && cat "$scratch/reports.jsonl"; } >"$scratch/lost.jsonl"
run 2 reports import "$scratch/lost.jsonl" --store "sqlite:$scratch/rest.db"
same "$out" "2 imported, 0 were there already"
has "$err" '^error\[DATA_LOSS\]: .*lost.jsonl:1: reports/lost: has nothing but its name: left out$'
echo '{"name":"reports/lost","model":{"path":"m"},"results":[]}' >"$scratch/lost.jsonl"
run 2 reports import "$scratch/lost.jsonl" --store "sqlite:$scratch/rest.db"
one_error INVALID_ARGUMENT
# Graphs travel, wherever in the line they are, once each; and only unchanged.
same "$(jq -s 'map(select(.graph)) | length' "$scratch/reports.jsonl")" 2
for order in 'del(.graph) + {graph}' '{graph} + del(.graph)' '{name, graph} + del(.name, .graph)'; do
  jq -c "$order" "$scratch/reports.jsonl" >"$scratch/order.jsonl"
  rm -f "$scratch/order.db"
  run 0 reports import "$scratch/order.jsonl" --store "sqlite:$scratch/order.db"
  run 0 reports export --store "sqlite:$scratch/order.db"
  same "$out" "$(cat "$scratch/reports.jsonl")"
done
jq -c '.graph = null' "$scratch/reports.jsonl" >"$scratch/changed.jsonl"
run 0 reports import "$scratch/changed.jsonl" --store "sqlite:$scratch/without.db"
same "$("$quantgate" reports export --store "sqlite:$scratch/without.db" | jq -s 'map(select(.graph)) | length')" 0
jq -c '.graph.name += "x"' "$scratch/reports.jsonl" >"$scratch/changed.jsonl"
run 2 reports import "$scratch/changed.jsonl" --store "sqlite:$scratch/changed.db"
one_error INVALID_ARGUMENT
has "$err" 'changed.jsonl:1: graph: its digest is [0-9a-f]{64}, '
jq -c '.graph = 7' "$scratch/reports.jsonl" >"$scratch/changed.jsonl"
run 2 reports import "$scratch/changed.jsonl" --store "sqlite:$scratch/changed.db"
has "$err" 'changed.jsonl:1: graph: is no graph of quantgate'
jq -c '.results[0].verdict = "UNKNOWN"' "$scratch/reports.jsonl" >"$scratch/changed.jsonl"
run 2 reports import "$scratch/changed.jsonl" --store "$copy"
one_error ALREADY_EXISTS
has "$err" 'changed.jsonl:1: name: there is another report reports/'
printf '\n{"name": "reports/x", "model": {"path": "m"}}\n' >>"$scratch/reports.jsonl"
run 2 reports import "$scratch/reports.jsonl" --store "$copy"
one_error INVALID_ARGUMENT
has "$err" 'reports.jsonl:4: name: '
echo '{"name": 7' >"$scratch/broken.jsonl"
run 2 reports import "$scratch/broken.jsonl" --store "$copy"
has "$err" 'broken.jsonl:1: is no report'
# What is not there is known before there is a store, or anything in it.
for missing in "$scratch/nowhere.jsonl" "$scratch"; do
  run 2 reports import "$scratch/order.jsonl" "$missing" --store "sqlite:$scratch/unmade.db"
  one_error INVALID_ARGUMENT
  has "$err" "cannot read $missing: (No such file|Is a) "
  [ ! -e "$scratch/unmade.db" ] || fail "a store was made for nothing"
done
run 0 reports import /dev/stdin --store "sqlite:$scratch/made.db"
run 2 reports import "$scratch/order.jsonl" "$scratch/broken.jsonl" --store "sqlite:$scratch/half.db"
one_error INVALID_ARGUMENT
has "$err" 'broken.jsonl:1: is no report.*; 2 imported before that$'
run 1 check "$bad" --store "$copy" --label branch=main --label revision=0123abc --format json
same "$(jq -r '.labels.branch + " " + .labels.revision' <<<"$out")" "main 0123abc"
labeled=$(jq -r .name <<<"$out")
run 0 reports list --store "$copy" --filter 'labels.branch = main' --format json
same "$(jq -r '.reports[].name' <<<"$out")" "$labeled"
run 0 reports diff "$name" "$labeled" --store "$copy" --exit-code
has "$out" '^  [0-9]+ still there$'
same "$(grep -cE '^  (new|fixed) ' <<<"$out")" 0
run 0 reports list --store "$copy" --filter 'verdict = ACCEPTED' --format json
accepted=$(jq -r '.reports[0].name' <<<"$out")
run 1 reports diff "$accepted" "$labeled" --store "$copy" --exit-code
has "$out" '^  new +error\[NR001\] '
run 0 reports diff "$labeled" "$accepted" --store "$copy" --format json
same "$(jq '[.targets[].fixedFindings[].code] | index("NR001") != null' <<<"$out")" true
run 2 reports prune --store "$copy"
one_error INVALID_ARGUMENT
run 2 reports prune --older-than 90 --store "$copy"
has "$err" 'no age such as 12h'
run 0 reports prune --older-than 90d --max-reports 1 --store "$copy"
same "$out" "2 deleted"
# Who only reads leaves a store of an earlier version as it is, and says what brings it forward.
cp "$data/../../data/reports/version_1.db" "$scratch/old.db"
before=$(sha256sum <"$scratch/old.db")
for words in list "show reports/x" "diff x y" export; do
  # shellcheck disable=SC2086
  run 2 reports $words --store "sqlite:$scratch/old.db"
  one_error FAILED_PRECONDITION
  has "$err" "has schema 1 and is only to be read; 'quantgate reports migrate' brings it to [0-9]+"
  same "$(sha256sum <"$scratch/old.db") $(ls "$scratch" | grep -c '^old.db')" "$before 1"
done
run 0 reports migrate --store "sqlite:$scratch/old.db"
run 0 reports list --store "sqlite:$scratch/old.db"
run 0 reports migrate --store "sqlite:$scratch/fresh.db"
run 0 reports list --store "sqlite:$scratch/fresh.db"
run 2 check "$good" --label nonsense=1
one_error INVALID_ARGUMENT
run 2 check "$good" --label branch=
one_error INVALID_ARGUMENT
run 2 check "$good" --label branch=a --label branch=b
one_error INVALID_ARGUMENT
has "$err" 'branch is given twice'
# Where nothing would say them they are not taken in silence.
for format in text markdown; do
  run 2 check "$good" --label branch=main --format "$format"
  one_error INVALID_ARGUMENT
  has "$err" "--label goes with a report that is kept: give --store or --server, or --format json; --format $format has"
done
run 0 check "$good" --label branch=main --format json
same "$(jq -r .labels.branch <<<"$out")" main
run 0 check "$good" --label branch=main --store "$store"
run 2 reports list --store "$store" --filter 'nonsense'
one_error INVALID_ARGUMENT
run 0 reports delete "$name" --store "$store"
run 2 reports show "$name" --store "$store"
one_error NOT_FOUND

for words in "show BADID" "delete BADID" "diff BADID $name"; do
  # shellcheck disable=SC2086
  run 2 reports $words --store "$copy"
  one_error INVALID_ARGUMENT
  has "$err" "(name|base): 'reports/BADID' is no report's name, which is reports/ and a UUID in lower case, such as reports/[0-9a-f-]{36}$"
done

# Help and completion.
for command in "" check import decode targets rules explain constraints "constraints show" "constraints diff" reports \
  "reports list" "reports show" "reports delete" "reports export" "reports diff" "reports import" "reports prune" \
  "reports migrate" completion serve; do
  # shellcheck disable=SC2086
  run 0 $command --help
  has "$out" '^Examples?:'
done
run 0 --version
has "$out" '^quantgate [0-9]+\.[0-9]+\.[0-9]+'
run 0 completion bash
# shellcheck disable=SC1090
same "$(
  . <(printf '%s' "$out")
  complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _quantgate; echo "${COMPREPLY[*]}"; }
  complete_words quantgate ch
  complete_words quantgate check m.onnx --fail
  complete_words quantgate reports li
  complete_words quantgate check --format ''
  complete_words quantgate check --format json --mode s
  complete_words "$quantgate" check -t qnn_htp/SM865
  complete_words "$quantgate" simulate --target qnn_htp/SM865
  complete_words quantgate check --waivers ''
  complete_words quantgate check --toolchain ''
  complete_words quantgate check --fail-on f
  complete_words "$quantgate" explain NR00
  complete_words "$quantgate" constraints show qnn_htp@2.5
  complete_words "$quantgate" constraints diff qnn_htp@2.13 qnn_htp@2.5
  complete_words quantgate completion ''
  complete_words quantgate check -q --forma
)" $'check\n--fail-on\nlist\ntext json sarif junit github markdown\nstrict\nqnn_htp/SM8650\nqnn_htp/SM8650\n\nexecutorch onnxruntime qnn-converter litert\nfallback\nNR001 NR002 NR003 NR004 NR005 NR006 NR007 NR008 NR009\nqnn_htp@2.51.0\nqnn_htp@2.51.0\nbash zsh fish --help --quiet --color --output\n--format'
for shell in zsh fish; do
  run 0 completion "$shell"
  has "$out" quantgate
  has "$out" '(=\(|-a .)text json sarif junit github markdown'
done
finish
