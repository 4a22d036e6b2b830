#!/usr/bin/env bash
# Hostile ONNX files: a clear answer, the right exit code, bounded memory and time; a server that lives on.
. "$(dirname "$0")/lib.sh"
command -v python3 > /dev/null || { echo "needs python3"; exit 77; }
python3 "$(dirname "$0")/hostile_models.py" "$scratch"

# 3 GiB hold a graph of a million nodes with its findings; a sanitizer's shadow memory does not fit below any limit.
grep -qs '^QUANTGATE_SANITIZE:STRING=.' "$(dirname "$quantgate")/CMakeCache.txt" || ulimit -v $((3 << 20))

# examine CODE FILE PATTERN: checks one file; the pattern is in what was printed.
examine() {
  run "$1" check --quiet "$scratch/$2.onnx"
  has "$out$err" "$3"
  has_not "$out$err" $'[\x01-\x08\x0b-\x1f\x7f]'
}
while IFS='|' read -r code file pattern; do
  examine "$code" "$file" "$pattern"
done <<'END'
1|cycle_1m|GS004.*graph-cycle
1|cycle_30k|GS004.*graph-cycle
1|dimension_2_40|FI004
1|dimensions_overflow|FI004
2|claims_2gb|^error\[FI001\]: .*claims 2147483647 bytes, but only 100 are left
1|duplicate_names|FI006
0|escape_in_name|accepted
1|unknown_op_escape|CV001
1|not_utf8|CV001
2|function_recursion|^error\[FI001\]: .*function local::f calls itself
2|function_depth|^error\[FI002\]: .*more than 32 deep
2|function_bomb|^error\[FI002\]: .*calls of functions come to more than
2|empty|^error\[FI001\]: .*is empty
2|zeros|^error\[FI001\]: .*no known format
1|nesting|GS001
END

# Cut anywhere: unreadable, or readable and not sound, never a crash.
for file in "$scratch"/cut_*.onnx; do
  got=0
  "$quantgate" check --quiet "$file" > "$scratch/out" 2> "$scratch/err" || got=$?
  checks=$((checks + 1))
  [ "$got" = 1 ] || [ "$got" = 2 ] || fail "exit $got: check $file"
  [ "$got" = 1 ] || has "$(cat "$scratch/err")" '^error\[[A-Z_0-9]+\]: '
done

finish
