#!/usr/bin/env bash
# nginx with one fixed response: writes a configuration for the port, then becomes nginx.
#
#   servers/peers/nginx/run.sh --port 8080 [--listen 'more parameters of the listen directive']
set -euo pipefail
export LC_ALL=C # the body is cut by bytes

host=:: port=8080 threads=1 body='Hello, World!' size='' listen=''
while (($#)); do
    case $1 in
        --host) host=$2 ;;
        --port) port=$2 ;;
        --threads) threads=$2 ;;
        --body) body=$2 ;;
        --body-size) size=$2 ;;
        --listen) listen=$2 ;;
        *) echo "nginx/run.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
if [[ $size ]]; then
    body+=$(printf '0123456789%.0s' $(seq 0 $((size / 10))))
    body=${body:0:size}
fi
[[ $host == :: ]] && listen+=' ipv6only=off'
[[ $host == *:* ]] && host="[$host]"

root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$root/target/peers/nginx/$port
mkdir -p "$work"
printf %s "$body" > "$work/body"

# nginx refuses configuration tokens over 4 KB: a larger body is a file, without the fields that only files get.
if ((${#body} <= 4000)) && [[ $body != *[\'\"\$\\]* ]]; then
    answer="return 200 '$body';"
else
    answer="root $work; rewrite ^ /body break; error_page 405 =200 \$uri; open_file_cache max=1;
            etag off; max_ranges 0; if_modified_since off; add_header Last-Modified '';"
fi

cat > "$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log stderr error;
worker_processes $threads;
events { worker_connections 16384; }
http {
    access_log off;
    default_type text/plain;
    keepalive_requests 1000000000;
    client_body_temp_path $work/client_body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    server {
        listen $host:$port backlog=4096 reuseport $listen;
        location / { $answer }
    }
}
CONF
# Workers of a master that root started would run as nobody, who may not read the checkout.
((EUID == 0)) && sed -i '1i user root;' "$work/nginx.conf"
ulimit -n "$(ulimit -Hn)" # Debian's default of 1024 is less than the connections that are allowed here
PATH=$PATH:/usr/sbin exec nginx -p "$work" -e stderr -c "$work/nginx.conf"
