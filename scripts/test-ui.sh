#!/usr/bin/env bash
# The page's unit tests.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

report=$PWD/.cache/vitest.json
rm -f "$report" "$results/ui"
npm --prefix ui run --silent test -- --reporter=default --reporter=json --outputFile.json="$report" </dev/null
status=$?
counted=$(node -p 'const r = JSON.parse(fs.readFileSync(process.argv[1])); r.numPassedTests + " " + (r.numFailedTests || (r.success ? 0 : 1))' "$report" 2>/dev/null) ||
	counted="0 $((status != 0))"
read -r passed failed <<<"$counted"
[ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
record ui "$passed" "$failed"
exit "$status"
