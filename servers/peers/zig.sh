#!/bin/sh
# Runs Zig 0.15: the one on PATH, else the one that scripts/peers.sh has put into target/peers/zig.
# `build` fetches packages: it ends after 300 s, and says in one line when their site cannot be reached.
python=$(dirname "$0")/../../target/peers/zig/bin/python
case $(zig version 2>/dev/null) in
    0.15.*) set -- zig "$@" ;;
    *) set -- "$python" -m ziglang "$@" ;;
esac
if [ "$1" = "$python" ] && [ ! -x "$python" ]; then
    echo 'Zig 0.15 is not installed' >&2
    exit 127
fi
case " $* " in
    *" build "*) ;;
    *) exec "$@" ;;
esac
log=$(timeout 300 "$@" 2>&1) && exit
status=$?
case $log in
    *UnknownHostName* | *'unable to connect'* | *'unable to discover remote'*)
        echo 'error: its package is fetched from its own site, which cannot be reached from here' >&2 ;;
    *) echo "$log" >&2 ;;
esac
exit "$status"
