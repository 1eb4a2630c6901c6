#!/usr/bin/env bash
# All Go tests with the race detector; what takes long with it (see datatest.Race), without; and those of
# stores with DuckDB: a line per package, failures in full.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

lines=$(mktemp) || exit
trap 'rm -f "$lines"' EXIT
go build -o "$lines" ./scripts/testlines || exit

# run NAME ARGUMENT… runs go test and notes what it came to.
run() {
	local name=$1 passed failed states
	shift
	rm -f "$results/$name"
	go test -json "$@" 2>&1 | "$lines" "$results/$name"
	states=("${PIPESTATUS[@]}")
	read -r passed failed 2>/dev/null <"$results/$name" || { passed=0 failed=0; }
	if [ "${states[0]}" != 0 ] || [ "${states[1]}" != 0 ]; then
		[ "$failed" -gt 0 ] || record "$name" "$passed" 1
		return 1
	fi
}
status=0
mapfile -t long < <(grep -rl --include='*_test.go' --exclude-dir=node_modules 'datatest\.Race' . | xargs -n 1 dirname | sort -u)
run go-race -race "$@" ./... || status=1
run go "$@" "${long[@]}" || status=1
run go-duckdb -tags duckdb "$@" ./store || status=1
exit "$status"
