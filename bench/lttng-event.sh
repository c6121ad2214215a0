#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lttng-event.sh PROGRAM: run PROGRAM while its events of gtrace_bench are
# recorded, by a session daemon of its own that ends with it.
set -eu

# As root all daemons share /var/run/lttng: this one gets its own.
if [ "$1" != --inside ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	trap 'exit 130' INT TERM
	if [ "$(id -u)" = 0 ]; then
		unshare -m sh "$0" --inside "$folder" "$1"
	else
		sh "$0" --inside "$folder" "$1"
	fi
	exit
fi

folder=$2
program=$3
mkdir "$folder/run" "$folder/sessions" "$folder/.lttng"
if [ "$(id -u)" = 0 ]; then
	mkdir -p /var/run/lttng
	mount --make-rprivate /
	mount --bind "$folder/run" /var/run/lttng
fi
export LTTNG_HOME="$folder" LTTNG_UST_REGISTER_TIMEOUT=30000
unset LD_PRELOAD

lttng() {
	command lttng --no-sessiond "$@" >>"$folder/log" || {
		cat "$folder/log" >&2
		exit 1
	}
}

end() {
	kill "$daemon" 2>/dev/null || return 0
	while kill -0 "$daemon" 2>/dev/null; do
		sleep 0.02
	done
}

lttng-sessiond --no-kernel --daemonize --load="$folder/sessions" --pidfile="$folder/pid" \
	--apps-sock="$folder/.lttng/lttng-ust-sock-8" >&2
daemon=$(cat "$folder/pid")
trap end EXIT
trap 'exit 130' INT TERM
lttng create bench --output="$folder/trace"
lttng enable-channel --userspace --subbuf-size=4M --num-subbuf=4 channel
lttng enable-event --userspace --channel channel 'gtrace_bench:*'
lttng start
"$program"
lttng stop
command lttng --no-sessiond --mi xml list bench >"$folder/list"
if grep -q '<discarded_events>[1-9]' "$folder/list"; then
	echo "events lost" >&2
fi
lttng destroy bench
