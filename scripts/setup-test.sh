#!/usr/bin/env bash
# Installs what only the tests need: a browser.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -z "$(find_chromium)" ] || exit 0

wanted="the browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path"
command -v apt-get >/dev/null || die "$wanted"
if [ "$(id -u)" = 0 ]; then
	as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root=(sudo env)
elif command -v sudo >/dev/null && [ -t 0 ]; then
	echo "Chromium is installed with apt-get; sudo may ask for your password."
	as_root=(sudo env)
else
	die "$wanted (apt-get install chromium as root)"
fi
# A package list that cannot be had is no failure as long as chromium is in another one.
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get update -q || echo "apt-get update had errors; trying all the same" >&2
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends chromium fonts-dejavu-core ||
	die "apt-get could not install chromium; $wanted"
[ -n "$(find_chromium)" ] || die "apt-get installed chromium, but it does not start; $wanted"
