#!/usr/bin/env bash
# Installs what the peers need on Debian, Ubuntu and Raspberry Pi OS, builds them, and says what is ready.
#
#   scripts/peers.sh [NAME...]    default: every peer of servers/targets.toml
#
# Packages come from apt (as root, or through sudo), Zig from PyPI into target/peers/zig, Go modules through the
# go command. A program that is on PATH already is used as it is. Run it again at any time: what is there is kept.
# Exit: 0; 1 when a peer that was named is not ready; 2 for an unknown name.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=servers/targets.toml
bin=$PWD/${CARGO_TARGET_DIR:-target}/release
[[ ${CARGO_TARGET_DIR:-} == /* ]] && bin=$CARGO_TARGET_DIR/release
logs=target/peers/logs
build_limit=300 # seconds for one build, downloads included
export PATH=$PATH:/usr/sbin:/sbin # Debian's nginx is there
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

main() {
    local all names missing
    [[ ${1:-} != -h && ${1:-} != --help ]] || {
        sed -n '2,/^set/s/^# \{0,1\}//p' "scripts/${0##*/}" # the comment at the top
        exit
    }
    mapfile -t all < <(peers)
    names=("${@:-${all[@]}}")
    for name in "$@"; do
        [[ " ${all[*]} " == *" $name "* ]] || die "no peer \`$name\`; there are: ${all[*]}"
    done
    mapfile -t missing < <(for name in "${names[@]}"; do packages "$name"; done | sort -u)

    plan "${#missing[@]}" "${missing[@]}" "${names[@]}"
    ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
    [[ " ${names[*]} " != *" zig-"* ]] || install_zig

    mkdir -p "$logs" "$bin"
    table "$#" "${names[@]}"
}

# The targets that live in servers/peers, in the file's order.
peers() {
    awk '/^\[\[target\]\]/ { name = "" }
         $1 == "name" { name = $3; gsub(/"/, "", name) }
         $1 == "dir" && $3 ~ /^"peers\// { print name }' "$targets" | awk '!seen[$0]++'
}

# One key of a target, a word a line: `words NAME KEY`. Entries write a list's closing bracket at the end of a line.
words() {
    awk -v name="\"$1\"" -v key="$2" '
        /^\[\[target\]\]/ { mine = 0 }
        $1 == "name" { mine = $3 == name }
        mine && $1 == key { list = 1; open = $3 ~ /^\[/ }
        list { print; if (!open || /\]$/) exit }' "$targets" |
        grep -o '"[^"]*"' | sed -e 's/^"//' -e 's/"$//' -e "s|{bin}|$bin|g" -e "s|{dir}|.|g"
}

# Runs a target's build or version command in its folder.
run_key() {
    local argv dir
    mapfile -t argv < <(words "$1" "$2")
    ((${#argv[@]})) || return 0
    dir=servers/$(words "$1" dir)
    (cd "$dir" && GOTOOLCHAIN=auto timeout "$build_limit" "${argv[@]}")
}

# The Debian packages that a peer lacks.
packages() {
    case $1 in
        go-*) has go || echo golang-go ;;
        node) has node || echo nodejs ;;
        python) has python3 || echo python3 ;;
        perl-mojolicious) perl_has Mojolicious || echo libmojolicious-perl ;;
        perl-dancer) perl_has Dancer || echo libdancer-perl ;;
        perl-http-daemon) perl_has HTTP::Daemon || echo libhttp-daemon-perl ;;
        perl-http-server-simple) perl_has HTTP::Server::Simple || echo libhttp-server-simple-perl ;;
        crystal) has crystal || printf '%s\n' crystal gcc libssl-dev zlib1g-dev ;;
        zig-*) python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv ;;
        nginx*) has nginx || echo nginx-light ;;
        caddy) has caddy || echo caddy ;;
    esac
}

has() { command -v "$1" >/dev/null; }
perl_has() { perl -M"$1" -e1 2>/dev/null; }
die() { echo "peers.sh: $*" >&2; exit 2; }

plan() {
    local count=$1
    shift
    echo "Packages to install with apt: ${*:1:count}"
    ((count)) || echo "  none, all are there"
    echo "Peers to build: ${*:count+1}"
    [[ " ${*:count+1} " != *" zig-"* ]] || echo "Zig 0.15.1: into target/peers/zig, unless a Zig 0.15 is on PATH"
    echo "Programs and logs: ${bin#"$PWD"/}, $logs"
    echo
}

# A package that cannot be had is left out here; its peer says so in the table.
install_packages() {
    local sudo=''
    if ((EUID != 0)); then
        has sudo || { echo "peers.sh: neither root nor sudo: not installed: $*" >&2; return; }
        sudo='sudo --preserve-env=DEBIAN_FRONTEND'
    fi
    has apt-get || { echo "peers.sh: no apt-get here: not installed: $*" >&2; return; }
    $sudo apt-get -qq update || echo "peers.sh: apt-get update failed; going on with the package lists that are there" >&2
    services_stay_off "$sudo"
    local package
    for package in "$@"; do
        echo "apt-get install $package"
        $sudo apt-get -qq install -y "$package" >"${TMPDIR:-/tmp}/peers-apt.$$" 2>&1 ||
            echo "peers.sh: $package: $(grep -m1 '^E:' "${TMPDIR:-/tmp}/peers-apt.$$")" >&2
        rm -f "${TMPDIR:-/tmp}/peers-apt.$$"
    done
    services_may_start "$sudo" "$@"
}

# Debian's nginx and caddy start a service on port 80 when they are installed: forbidden for the time of the
# installation, by the file that Debian has for it, and their services are not enabled for the next boot.
services_stay_off() {
    policy=''
    [[ -e /usr/sbin/policy-rc.d ]] && return
    policy=/usr/sbin/policy-rc.d
    trap "$1 rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' | $1 tee $policy >/dev/null
    $1 chmod +x $policy
}

services_may_start() {
    local sudo=$1 service
    [[ -z $policy ]] || $sudo rm -f "$policy"
    trap - EXIT
    shift
    for service in nginx caddy; do
        [[ " $* " == *" $service"* ]] && has systemctl || continue
        $sudo systemctl disable --quiet "$service" 2>/dev/null || continue
        echo "The service $service is installed, but neither started nor enabled."
    done
}

install_zig() {
    local zig=target/peers/zig
    servers/peers/zig.sh version >/dev/null 2>&1 && return
    echo "pip install ziglang==0.15.1 into $zig"
    python3 -m venv "$zig" && "$zig/bin/pip" install --quiet --disable-pip-version-check ziglang==0.15.1 ||
        echo "peers.sh: Zig could not be installed from PyPI" >&2
}

table() {
    local named=$1 failed=0 name version state log
    shift
    printf '\n%-24s %-28s %s\n' peer version state
    for name in "$@"; do
        log=$logs/$name.log
        version=- state=ready
        if run_key "$name" build >"$log" 2>&1; then
            version=$(run_key "$name" version 2>&1) || version='?'
        else
            state="not ready: $(reason $? "$log")"
            failed=1
        fi
        printf '%-24s %-28s %s\n' "$name" "${version%%$'\n'*}" "$state"
    done
    ((named == 0 || failed == 0))
}

# Why a build failed, in one line: its status and its log.
reason() {
    local line
    case $1 in
        124) echo "not built in $build_limit s, see $2"; return ;;
        127) echo "a program is missing: $(tail -n 1 "$2")"; return ;;
    esac
    if grep -q 'invalid go version' "$2"; then
        echo "$(go env GOVERSION) cannot read its go.mod: put Go 1.21 or newer first on PATH, which fetches the one it needs"
        return
    fi
    line=$(grep -m1 -iE 'error|cannot|can.t|requires|not found' "$2" || tail -n 1 "$2")
    echo "${line#error: }"
}

main "$@"
