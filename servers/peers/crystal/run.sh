#!/bin/sh
# Starts the program in the folder $1 with the remaining arguments. One worker is Crystal's default runtime; more
# need the one with -Dpreview_mt, which takes 9 % more CPU per request on one thread.
program=$1/crystal
test "${CRYSTAL_WORKERS:-1}" = 1 || program=$program-mt
shift
exec "$program" "$@"
