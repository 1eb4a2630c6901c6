#!/usr/bin/env bash
# e2e.sh [FILE…]: serves ./cambium with the files, or else with its bundled sample, and lets a
# browser use it. The tests find the server in CAMBIUM_URL and the browser in CHROMIUM.
# Arguments for Playwright go into PLAYWRIGHT_ARGS.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

[ -x ./cambium ] || die "./cambium is missing: run \"make build\""
CHROMIUM=$(find_chromium)
[ -n "$CHROMIUM" ] || die "no Chromium or Chrome was found: run \"make setup-test\""
export CHROMIUM
[ $# -gt 0 ] || set -- --sample
record e2e 0 1 # unless it ends
start_cambium "$PWD/.cache/e2e-server.log" "$@"
echo "end-to-end: $CHROMIUM"

report=$PWD/.cache/playwright.json
rm -f "$report"
# shellcheck disable=SC2086 # several arguments
PLAYWRIGHT_JSON_OUTPUT_FILE=$report npm --prefix ui run --silent e2e -- --reporter=list,json ${PLAYWRIGHT_ARGS:-} </dev/null
status=$?
counted=$(node -p 'const s = JSON.parse(fs.readFileSync(process.argv[1])).stats; (s.expected + s.flaky) + " " + s.unexpected' "$report" 2>/dev/null) ||
	counted="0 $((status != 0))"
read -r passed failed <<<"$counted"
if ! kill -0 "$server_pid" 2>/dev/null; then
	echo "the server ended during the tests:" >&2
	cat .cache/e2e-server.log.err >&2
	status=1
fi
[ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
record e2e "$passed" "$failed"
exit "$status"
