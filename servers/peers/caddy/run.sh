#!/usr/bin/env bash
# Caddy with one fixed response: writes a Caddyfile for the port, then becomes Caddy.
#
#   servers/peers/caddy/run.sh --port 8080
set -euo pipefail
export LC_ALL=C # the body is cut by bytes

host=:: port=8080 threads=1 body='Hello, World!' size=''
while (($#)); do
    case $1 in
        --host) host=$2 ;;
        --port) port=$2 ;;
        --threads) threads=$2 ;;
        --body) body=$2 ;;
        --body-size) size=$2 ;;
        *) echo "caddy/run.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
if [[ $size ]]; then
    body+=$(printf '0123456789%.0s' $(seq 0 $((size / 10))))
    body=${body:0:size}
fi

root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$root/target/peers/caddy/$port
mkdir -p "$work"
cat > "$work/Caddyfile" <<CONF
{
	admin off
	auto_https off
	log {
		output stderr
		level ERROR
	}
}

http://:$port {
	bind $host
	header Content-Type text/plain
	header Content-Length ${#body}
	respond \`$body\`
}
CONF
GOMAXPROCS=$threads XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work exec caddy run --config "$work/Caddyfile" --adapter caddyfile
