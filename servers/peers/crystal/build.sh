#!/bin/sh
# Builds both programs into the folder $1: Crystal has no incremental release build, so only what is out of date.
set -e
for mt in '' -mt; do
    test "$1/crystal$mt" -nt server.cr || crystal build --release --no-debug ${mt:+-Dpreview_mt} -o "$1/crystal$mt" server.cr
done
