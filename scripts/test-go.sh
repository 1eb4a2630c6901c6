#!/usr/bin/env bash
# All Go tests with the race detector: a line per package, failures in full.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

rm -f "$results/go"
lines=$(mktemp) || exit
trap 'rm -f "$lines"' EXIT
go build -o "$lines" ./scripts/testlines || exit
go test -race -json "$@" ./... 2>&1 | "$lines" "$results/go"
states=("${PIPESTATUS[@]}")
read -r passed failed 2>/dev/null <"$results/go" || { passed=0 failed=0; }
if [ "${states[0]}" != 0 ] || [ "${states[1]}" != 0 ]; then
	[ "$failed" -gt 0 ] || record go "$passed" 1
	exit 1
fi
