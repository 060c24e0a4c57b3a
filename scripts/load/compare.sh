#!/usr/bin/env bash
# What a request costs the generator: CPU time per request of `load` beside wrk's and ab's.
#
#   scripts/load/compare.sh [ROUNDS] [SECONDS]        (7 rounds of 3 s each unless given)
#
# Needs wrk, ab and nginx on PATH, two CPUs and Linux. One CPU is the server's, one the generator's. In each
# round both generators load the same server one after the other; the ratios are those of such pairs, since
# only runs next to each other can be compared on a machine whose speed changes.
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-7}
seconds=${2:-3}
port=$((20000 + RANDOM % 10000))
url=http://127.0.0.1:$port/
work=$(mktemp -d)
server=
TIMEFORMAT='%U %S'

stop_server() {
    [[ -z $server ]] && return
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}
trap 'stop_server; rm -rf "$work"' EXIT

for program in wrk ab nginx taskset; do
    command -v "$program" >"$work/where" || { echo "compare.sh: $program is missing; on Debian: apt-get install wrk apache2-utils nginx-light util-linux" >&2; exit 1; }
done
cargo build --release --quiet -p load -p srv-tpc -p srv-floor

# start COMMAND...: starts a server on the first CPU and waits until it answers.
start() {
    taskset -c 0 "$@" >"$work/server.log" 2>&1 &
    server=$!
    for _ in {1..100}; do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.05
    done
    echo "compare.sh: $1 does not listen:" >&2
    cat "$work/server.log" >&2
    exit 1
}

start_nginx() {
    cat >"$work/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    default_type text/plain;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    server {
        listen 127.0.0.1:$port backlog=4096;
        location / { return 200 "Hello, World!"; }
    }
}
CONF
    start nginx -c "$work/nginx.conf"
}

# per_request PATTERN COMMAND...: microseconds of CPU time for each request; PATTERN finds their number.
per_request() {
    local pattern=$1 count times
    shift
    times=$( { time taskset -c 1 "$@" >"$work/out" 2>"$work/err"; } 2>&1 )
    count=$(grep -oP "$pattern" "$work/out")
    awk -v count="$count" '{ printf "%.4f", ($1 + $2) * 1e6 / count }' <<<"$times"
}

load() { per_request '^  "requests": \K\d+' target/release/load --json -t 1 "$@" "$url"; }
wrk_() { per_request '\d+(?= requests in)' wrk -t 1 "$@" "$url"; }
ab_() { per_request 'Complete requests:\s*\K\d+' ab -q "$@" "$url"; }

# pair NAME: measures both generators, the first one in turns, and appends a line to the results.
pair() {
    local ours theirs
    if ((round % 2)); then
        ours=$(ours) theirs=$(theirs)
    else
        theirs=$(theirs) ours=$(ours)
    fi
    echo "$1 $ours $theirs" >>"$work/results"
    echo "round $round: $1: load $ours, other $theirs" >&2
}

measure_kept() {
    local name=$1
    ours() { load -c 64 -d "$seconds"; }
    theirs() { wrk_ -c 64 -d "${seconds}s"; }
    pair "keep-alive/$name/wrk"
    ours() { load -c 64 -d "$seconds" --pipeline 16; }
    theirs() { wrk_ -c 64 -d "${seconds}s" -s scripts/wrk/pipeline.lua; }
    pair "pipeline-16/$name/wrk"
}

# ab's number of requests is fixed; so is ours then.
measure_closed() {
    local count=$((seconds * 15000))
    ours() { load -c 64 -n "$count" --close; }
    theirs() { ab_ -c 64 -n "$count"; }
    pair "close/nginx/ab"
}

for ((round = 1; round <= rounds; round++)); do
    for name in srv-tpc srv-floor; do
        start "target/release/$name" --host 127.0.0.1 --port "$port" --threads 1
        measure_kept "$name"
        stop_server
    done
    start_nginx
    measure_closed
    stop_server
done

# The median of the rounds' ratios, with the lowest and the highest.
printf '%-12s %-10s %-6s %14s %14s   %s\n' mode server other 'load µs/req' 'other µs/req' 'ratio (lowest to highest)'
sort -k1,1 -s "$work/results" | awk '
    function median(list, count,    i, j, swap) {
        for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++)
            if (list[j] < list[i]) { swap = list[i]; list[i] = list[j]; list[j] = swap }
        return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
    }
    function show(    parts, middle) {
        split(key, parts, "/")
        middle = median(ratio, n)
        printf "%-12s %-10s %-6s %13.3f %13.3f   %.3f (%.3f to %.3f)\n", parts[1], parts[2], parts[3],
            median(ours, n), median(theirs, n), middle, ratio[1], ratio[n]
    }
    key != "" && $1 != key { show(); n = 0 }
    { key = $1; n++; ours[n] = $2; theirs[n] = $3; ratio[n] = $2 / $3 }
    END { if (n) show() }
'
