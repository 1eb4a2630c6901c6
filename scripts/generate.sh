#!/usr/bin/env bash
# generate.sh [FOLDER]: writes the Go code of server/proto to server/gen, or to FOLDER/gen.
set -euo pipefail
out=${1:+$(cd "$1" && pwd)/proto}
. "$(dirname "$0")/lib.sh"

buf=$PWD/ui/node_modules/.bin/buf
[ -x "$buf" ] || die "buf is missing: run \"make setup\""
cd server/proto
"$buf" generate ${out:+--output "$out"}
