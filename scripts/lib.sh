# shellcheck shell=bash
# What several scripts need; sourced, never run. It goes to the top of the checkout.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=${RESULTS:-$PWD/.cache/results}
mkdir -p "$results"

die() {
	printf '%s\n' "$*" >&2
	exit 1
}

# record NAME PASSED FAILED notes what a step came to; .ci/run adds the notes up.
record() {
	printf '%s %s\n' "$2" "$3" >"$results/$1"
}

# checked NAME COMMAND… runs a command that is one check.
checked() {
	local name=$1
	shift
	if "$@"; then
		record "$name" 1 0
	else
		record "$name" 0 1
		return 1
	fi
}

# Prints the path of a browser that works, or nothing.
find_chromium() {
	local name path
	for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
		path=$(command -v "${name:-none}") || continue
		# Where a distribution has only a stand-in that asks for its own store, it cannot say its version.
		if "$path" --version >/dev/null 2>&1; then
			printf '%s\n' "$path"
			return
		fi
	done
}

# start_cambium LOG ARGUMENT… serves in the background and sets CAMBIUM_URL and
# server_pid. The server ends with the script.
start_cambium() {
	local log=$1 deadline=$((SECONDS + 60))
	shift
	rm -f "$log" # or its address may be that of the time before
	./cambium open --no-browser --port 0 "$@" >"$log" 2>"$log.err" </dev/null &
	server_pid=$!
	trap stop_cambium EXIT
	trap 'exit 130' INT TERM
	CAMBIUM_URL=
	while [ -z "$CAMBIUM_URL" ]; do
		CAMBIUM_URL=$(sed -nE 's#^cambium: (http://[^[:space:]]+).*#\1#p' "$log" | head -n 1)
		[ -n "$CAMBIUM_URL" ] && break
		if ! kill -0 "$server_pid" 2>/dev/null; then
			cat "$log" "$log.err" >&2
			die "cambium ended before it printed its address"
		fi
		[ "$SECONDS" -lt "$deadline" ] || die "cambium printed no address within a minute (see $log)"
		sleep 0.05
	done
	export CAMBIUM_URL
}

stop_cambium() {
	kill "$server_pid" 2>/dev/null || true
	wait "$server_pid" 2>/dev/null || true
}
