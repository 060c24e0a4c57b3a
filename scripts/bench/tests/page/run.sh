#!/usr/bin/env bash
# Opens reports in headless Chromium: the two that `cargo test -p bench --test report` leaves, and those of the runs
# given (names, folders or files). Needs node, npm, and chromium on PATH or in $CHROMIUM.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
cd "$root"

npm install --prefix "$here" --no-package-lock --no-audit --no-fund --silent
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

for name in troubled large; do
    folder=${CARGO_TARGET_DIR:-target}/tmp/report/$name
    node "$here/check.mjs" "$folder/run.json" "$folder/report.html"
done
for run in "$@"; do
    [ -f "$run" ] || run=results/$run/run.json
    cargo run --quiet --release --locked -p bench -- report "$run" --out "$made" >/dev/null
    node "$here/check.mjs" "$run" "$made/report.html"
done
