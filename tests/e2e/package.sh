#!/usr/bin/env bash
# The Debian package: what it says of itself, and that the program in it works. Usage: package.sh QUANTGATE
. "$(dirname "$0")/lib.sh"
build=$(dirname "$quantgate")
model=$(cd "$(dirname "$0")/../data/onnx" && pwd)/resnet8.qnn_a16_mixed.onnx

command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-dev is not installed"; exit 77; }
cd "$scratch" || exit 1
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/pack" >log 2>&1 || { fail "cpack" "$(cat log)"; finish; exit 1; }
# What CPack calls comes with the packages that a build installs.
if command -v apt-cache >/dev/null; then
  mapfile -t listed < <(sed 's/#.*//' "$data/../../../deploy/packages.txt" | grep .)
  installed=$(apt-cache depends --installed --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "${listed[@]}" | grep '^[a-z]')
  for tool in dpkg dpkg-shlibdeps file strip; do
    owner=$(dpkg --search "$(realpath "$(command -v "$tool")")" | cut -d : -f 1)
    has "$installed" "^$owner(:|\$)"
  done
fi
package=$(echo pack/quantgate_*_"$(dpkg --print-architecture)".deb)
same "$(dpkg-deb --field "$package" Package)" quantgate
same "$(dpkg-deb --field "$package" Version)" "$("$quantgate" --version | sed 's/^quantgate //')"
for library in libc6 libgrpc++ libprotobuf libsqlite3-0 libssl; do
  has "$(dpkg-deb --field "$package" Depends | tr ',' '\n')" "^ *$library"
done
dpkg-deb --extract "$package" root
has "$(cd root && find . -type f)" '^\./usr/share/quantgate/quantgate-tables.sqlite$'
# The unit starts what the package installs.
has "$(cat root/usr/lib/systemd/system/quantgate.service)" '^ExecStart=/usr/bin/quantgate serve '
[ -x root/usr/bin/quantgate ] || fail "no program in the package"
quantgate=$scratch/root/usr/bin/quantgate
run 1 check "$model" -t qnn_htp/SM8350 -t qnn_htp/SM8650
has "$out" 'rejected +qnn_htp/SM8350@'
finish
