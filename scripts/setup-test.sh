#!/usr/bin/env bash
# Installs what only the tests need: a browser, and a C++ compiler for the engine that is built in on demand.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

packages=() wanted=
if [ -z "$(find_chromium)" ]; then
	packages+=(chromium fonts-dejavu-core)
	wanted="the browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path"
fi
if ! command -v c++ >/dev/null && ! command -v g++ >/dev/null && ! command -v clang++ >/dev/null; then
	packages+=(g++)
	wanted="${wanted:-the tests of the store need a C++ compiler}"
fi
[ ${#packages[@]} -gt 0 ] || exit 0
command -v apt-get >/dev/null || die "$wanted"
if [ "$(id -u)" = 0 ]; then
	as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root=(sudo env)
elif command -v sudo >/dev/null && [ -t 0 ]; then
	echo "apt-get installs ${packages[*]}; sudo may ask for your password."
	as_root=(sudo env)
else
	die "$wanted (apt-get install ${packages[*]} as root)"
fi
# A package list that cannot be had is no failure as long as the packages are in another one.
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get update -q || echo "apt-get update had errors; trying all the same" >&2
"${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${packages[@]}" ||
	die "apt-get could not install ${packages[*]}; $wanted"
[ -n "$(find_chromium)" ] || die "apt-get installed chromium, but it does not start; $wanted"
