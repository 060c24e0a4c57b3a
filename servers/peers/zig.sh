#!/bin/sh
# Runs Zig 0.15: the one on PATH, else the one that scripts/peers.sh has put into target/peers/zig.
case $(zig version 2>/dev/null) in
    0.15.*) exec zig "$@" ;;
esac
python=$(dirname "$0")/../../target/peers/zig/bin/python
if [ ! -x "$python" ]; then
    echo "zig: no Zig 0.15 here; install it with scripts/peers.sh zig-std" >&2
    exit 127
fi
exec "$python" -m ziglang "$@"
