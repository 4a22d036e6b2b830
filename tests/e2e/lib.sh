# Sourced by the tests: runs commands and compares. Needs bash and jq.
set -u
quantgate=$1
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/data" && pwd)
scratch=$(mktemp -d)
failures=0
checks=0
unset COLUMNS NO_COLOR QUANTGATE_SERVER QUANTGATE_TABLES
export LC_ALL=C.UTF-8
cleanup() { rm -rf "$scratch"; }
trap cleanup EXIT

# run CODE ARGUMENTS...: runs the program, expects the exit code; what it printed is in $out and $err, without the lines
# that say what takes long: on a busy machine anything may.
run() {
  local want=$1 got=0
  shift
  "$quantgate" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || got=$?
  sed -i -E '/^[a-z]+ .* \.\.\.$/d' "$scratch/err"
  out=$(cat "$scratch/out")
  err=$(cat "$scratch/err")
  checks=$((checks + 1))
  [ "$got" = "$want" ] || fail "exit $got, expected $want: quantgate $*" "$out" "$err"
}

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$@"
}

# has TEXT PATTERN: a line of the text matches the extended regular expression.
has() {
  checks=$((checks + 1))
  grep -qE -- "$2" <<<"$1" || fail "no line matches '$2' in:" "$1"
}

has_not() {
  checks=$((checks + 1))
  ! grep -qE -- "$2" <<<"$1" || fail "a line matches '$2' in:" "$1"
}

# same A B: two texts are equal.
same() {
  checks=$((checks + 1))
  [ "$1" = "$2" ] || fail "differs:" "$(diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"))"
}

# One line on stderr, as the contract says, and nothing on stdout.
one_error() {
  same "$(wc -l <"$scratch/err")" 1
  has "$err" "^error\[$1\]: "
  same "$out" ""
}

finish() {
  echo "$checks checks, $failures failed"
  [ "$failures" = 0 ]
}
