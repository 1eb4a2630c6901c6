#!/usr/bin/env bash
# Fuzzes every target there is, each for FUZZTIME (5s unless set).
set -uo pipefail
. "$(dirname "$0")/lib.sh"

record fuzz 0 1 # unless it ends
listed=$(go test -list '^Fuzz' ./... 2>&1) || die "$listed"
# The names of a package's targets come before its "ok" line.
targets=$(awk '/^Fuzz/ { names[++n] = $1 } $1 == "ok" { for (i = 1; i <= n; i++) print $2, names[i]; n = 0 }' <<<"$listed")

passed=0 failed=0
fuzz() {
	local output try
	for try in 1 2 3; do
		# An input that goes new ways is made smaller for up to a minute unless told otherwise: in all that time few others are tried.
		output=$(go test -run '^$' -fuzz "^$2\$" -fuzztime "${FUZZTIME:-5s}" -fuzzminimizetime 10x "$1" 2>&1 </dev/null) && break
		# Up to Go 1.26 the fuzzer may report its own deadline as a failure (golang/go#75804).
		# A failure of ours has an input, or says something else.
		if [ "$try" = 3 ] || grep -q 'Failing input' <<<"$output" || ! grep -q '^ *context deadline exceeded$' <<<"$output"; then
			printf '%s\n' "$output"
			return 1
		fi
	done
	printf 'ok  \t%s\t%s\t%s\n' "$1" "$2" "$(grep -o 'execs: [0-9]*' <<<"$output" | tail -n 1)"
}
while read -r package target; do
	[ -n "$target" ] || continue
	if fuzz "$package" "$target"; then
		passed=$((passed + 1))
	else
		printf 'FAIL\t%s\t%s\n' "$package" "$target"
		failed=$((failed + 1))
	fi
done <<<"$targets"
record fuzz "$passed" "$failed"
echo "Fuzz targets: $passed passed, $failed failed"
[ "$failed" = 0 ]
