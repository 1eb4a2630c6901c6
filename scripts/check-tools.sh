#!/usr/bin/env bash
# Says what is missing before npm or go say it less clearly.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

command -v go >/dev/null || die "Go is missing: install 1.21 or later from https://go.dev/dl (it fetches the version of go.mod itself)"
command -v node >/dev/null && command -v npm >/dev/null || die "Node.js with npm is missing: install 20.19 or later from https://nodejs.org"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
	die "Node.js is $(node --version), but the page needs 20.19 or later"
command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
	die "a C compiler is missing (the race detector needs one): apt-get install build-essential"
