#!/usr/bin/env bash
# Everything that is checked without running the program. All checks are made, even if one fails.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

formatted() {
	local files
	files=$(find . -name '*.go' -not -path '*/node_modules/*' -not -path './.*' -exec "$(go env GOROOT)/bin/gofmt" -l {} +) || return
	[ -z "$files" ] || printf 'gofmt would change:\n%s\n' "$files"
	[ -z "$files" ]
}

# server/gen is committed, so that the command builds without Node.
generated() {
	local fresh status=0
	fresh=$(mktemp -d) || return
	mkdir "$fresh/proto"
	if ! scripts/generate.sh "$fresh"; then
		status=1
	elif ! diff -r "$fresh/gen" server/gen; then
		echo 'server/gen is not what server/proto says: run "make generate" and commit the result'
		status=1
	elif git rev-parse --git-dir >/dev/null 2>&1 &&
		[ -z "$(git status --porcelain -- server/proto)" ] && [ -n "$(git status --porcelain -- server/gen)" ]; then
		echo 'server/gen is right, but not committed while server/proto is'
		status=1
	fi
	rm -rf "$fresh"
	return "$status"
}

# SA: mistakes, S1: needless code, U1: unused code; of the style rules those worth a failure:
# ST1005 error texts, ST1019 double imports, ST1020 to ST1022 comments that name what they describe.
static() { go tool staticcheck -checks 'SA*,S1*,U1*,ST1005,ST1019,ST1020,ST1021,ST1022' ./...; }

status=0
step() {
	echo "lint: $1"
	checked "lint-$1" "${@:2}" || {
		echo "lint: $1 failed" >&2
		status=1
	}
}
step gofmt formatted
step vet go vet ./...
step staticcheck static
step house go test .
step generated generated
step ui npm --prefix ui run --silent lint
exit "$status"
