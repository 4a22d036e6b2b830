#!/usr/bin/env bash
# What an installation is made of, and that it works away from the build. Usage: install.sh QUANTGATE
. "$(dirname "$0")/lib.sh"
build=$(dirname "$quantgate")
model=$(cd "$(dirname "$0")/../data/onnx" && pwd)/resnet8.qnn_a16_mixed.onnx

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" 2>&1 || { fail "install" "$(cat "$scratch/log")"; finish; exit 1; }
cd "$scratch" || exit 1
same "$(cd prefix && find . -type f | sort)" './bin/quantgate
./lib/systemd/system/quantgate.service
./share/bash-completion/completions/quantgate
./share/doc/quantgate/LICENSE
./share/doc/quantgate/README.md
./share/doc/quantgate/examples/github-workflow.example.yaml
./share/doc/quantgate/examples/pre-commit
./share/doc/quantgate/examples/prometheus.example.yaml
./share/doc/quantgate/examples/quantgate.example.yaml
./share/doc/quantgate/examples/waivers.example.yaml
./share/fish/vendor_completions.d/quantgate.fish
./share/man/man1/quantgate.1
./share/quantgate/quantgate-tables.sqlite
./share/zsh/vendor-completions/_quantgate'

# The installed program with the installed tables, from a folder of its own and through a symbolic link.
quantgate=$scratch/prefix/bin/quantgate
run 1 check "$model" -t qnn_htp/SM8350 -t qnn_htp/SM8650
has "$out" 'rejected +qnn_htp/SM8350@'
has "$out" 'accepted +qnn_htp/SM8650@'
mkdir other && ln -s ../prefix/bin/quantgate other/quantgate
quantgate=$scratch/other/quantgate
run 0 constraints verify

# Every key of the example is one that the server knows, and with them it starts.
examples=prefix/share/doc/quantgate/examples
sed -E 's/^listen: .*/listen: 127.0.0.1:0/; s/^http: .*/http: 127.0.0.1:0/' "$examples/quantgate.example.yaml" >config.yaml
"$quantgate" serve --config config.yaml --store none >listening 2>log &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; cleanup' EXIT
for _ in $(seq 100); do grep -q '^metrics on' listening && break; sleep 0.1; done
has "$(cat listening log)" '^listening on '
kill "$server" 2>/dev/null
wait "$server"
same "$?" 0
# Those in comments as well.
sed -nE 's/^# ([a-z-]+): .*/\1/p' "$examples/quantgate.example.yaml" | sort -u >keys
has "$(cat keys)" '^tls-cert$'
run 0 serve --help
while read -r key; do has "$out" "^ +--$key "; done <keys

# The manual names every command.
run 0 --help
while read -r name; do
  has "$(cat prefix/share/man/man1/quantgate.1)" "^\.BR? .*\b$name\b"
done < <(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$out")
finish
