#!/usr/bin/env bash
# Cross-compiles the Rust servers, bench, load and the Go peers for Raspberry Pi, into target/pi/ARCH.
#
#   scripts/cross.sh armv6|armv7|aarch64|all [--libc musl|gnu] [--build-std]
#
#   armv6        Pi 1, Zero and Zero W, and any other Pi with a 32-bit system
#   armv7        Pi 2, 3, 4 and Zero 2 W with a 32-bit system
#   aarch64      Pi 3, 4, 5 and Zero 2 W with a 64-bit system
#   --libc       musl (the default): static programs, which run on any system; gnu: dynamic, for glibc 2.31 and up
#   --build-std  compiles Rust's standard library too, where rustup cannot bring it for the target
#
# cargo-zigbuild links: Debian's armhf toolchain makes ARMv7 code, which dies with SIGILL on a Pi Zero.
# Exit: 0; 1 when something is missing or cannot be built; 2 for wrong arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

target_dir=${CARGO_TARGET_DIR:-target}
tools=target/zigbuild # where the remedy below puts cargo-zigbuild
export PATH=$PWD/$tools/bin:$PATH LC_ALL=C
glibc=2.31 # of Raspberry Pi OS 11, Debian 11 and Ubuntu 20.04
libc=musl
build_std=false
architectures=''

main() {
    local arch
    parse "$@"
    need_tools
    need_std
    for arch in $architectures; do
        compile "$arch"
        collect "$arch"
        go_peers "$arch"
        table "$arch"
    done
}

die() { echo "cross.sh: $1" >&2; exit "${2:-1}"; }
# The comment at the top of this file.
help() { sed -n '2,/^set/s/^# \{0,1\}//p' "scripts/${0##*/}"; }
usage() { die "$1; usage: scripts/cross.sh armv6|armv7|aarch64|all [--libc musl|gnu] [--build-std]" 2; }
has() { command -v "$1" >/dev/null; }

parse() {
    while (($#)); do
        case $1 in
            armv6 | armv7 | aarch64 | all)
                [[ -z $architectures ]] || usage "both \`$architectures\` and \`$1\`"
                architectures=$1 ;;
            --libc)
                case ${2:-} in
                    musl | gnu) libc=$2 ;;
                    *) usage "--libc is musl or gnu, not \`${2:-}\`" ;;
                esac
                shift ;;
            --build-std) build_std=true ;;
            -h | --help)
                help
                exit ;;
            *) usage "unknown argument \`$1\`" ;;
        esac
        shift
    done
    [[ -n $architectures ]] || usage "no architecture"
    [[ $architectures != all ]] || architectures='armv6 armv7 aarch64'
}

need_tools() {
    local packages='cargo-zigbuild==0.24.1 ziglang==0.15.1'
    has cargo || die "cargo is missing: install Rust with rustup"
    has readelf || die "readelf is missing: install binutils"
    has cargo-zigbuild || die "cargo-zigbuild is missing: python3 -m venv $tools && $tools/bin/pip install $packages"
}

# The standard library of every target, compiled or as source.
need_std() {
    local rustc=${RUSTC:-rustc} missing='' arch
    if $build_std; then
        [[ -d $($rustc --print sysroot)/lib/rustlib/src/rust/library/std ]] ||
            die "the source of the standard library is missing: rustup component add rust-src"
        return
    fi
    for arch in $architectures; do
        compgen -G "$($rustc --print target-libdir --target "$(triple "$arch")")/libstd-*" >/dev/null ||
            missing+=" $(triple "$arch")"
    done
    [[ -z $missing ]] || die "no standard library for$missing: rustup target add$missing, or else --build-std"
}

# Rust's name for an architecture and the libc that was asked for.
triple() {
    case $1 in
        armv6) echo "arm-unknown-linux-${libc}eabihf" ;;
        armv7) echo "armv7-unknown-linux-${libc}eabihf" ;;
        aarch64) echo "aarch64-unknown-linux-$libc" ;;
    esac
}

# The Rust programs of an architecture. The io-uring crate is for 64-bit machines.
programs() {
    local server
    for server in servers/srv-*; do
        [[ $server == servers/srv-uring && $1 != aarch64 ]] || basename "$server"
    done
    echo bench load
}

# In a folder of its own: neither these flags nor the wait for another build's lock concern the builds for this machine.
compile() {
    local target packages=() program
    target=$(triple "$1")
    for program in $(programs "$1"); do
        packages+=(-p "$program")
    done
    if $build_std; then
        # -Z is for nightly compilers, unless this says otherwise. The start files and libc are zig's.
        export RUSTC_BOOTSTRAP=1
        [[ $libc == gnu ]] || export RUSTFLAGS="${RUSTFLAGS:-} -Clink-self-contained=no"
        packages+=('-Zbuild-std=std,panic_unwind')
    fi
    [[ $libc == musl ]] || target+=.$glibc
    CARGO_TARGET_DIR=$target_dir/cross cargo-zigbuild zigbuild --release --locked --target "$target" "${packages[@]}" ||
        die "the programs for $1 cannot be built, see above"
}

collect() {
    local out=$target_dir/pi/$1 program
    rm -rf "$out"
    mkdir -p "$out"
    for program in $(programs "$1"); do
        cp "$target_dir/cross/$(triple "$1")/release/$program" "$out/"
    done
}

# Built with the flags of servers/targets.toml. Go itself leaves no trace of GOARM in ELF's attributes.
go_peers() {
    local out peer
    out=$(cd "$target_dir/pi/$1" && pwd)
    case $1 in
        armv6) set -- "$1" GOARCH=arm GOARM=6 ;;
        armv7) set -- "$1" GOARCH=arm GOARM=7 ;;
        aarch64) set -- "$1" GOARCH=arm64 ;;
    esac
    skipped=''
    for peer in go-nethttp go-fasthttp; do
        if ! has go; then
            skipped+="$peer: skipped, go is missing: scripts/peers.sh $peer"$'\n'
        elif ! log=$(cd "servers/peers/$peer" &&
            env GOTOOLCHAIN=auto CGO_ENABLED=0 GOOS=linux "${@:2}" go build -o "$out/$peer" . 2>&1); then
            skipped+="$peer: skipped, cannot be built: ${log##*$'\n'}"$'\n'
        fi
    done
}

# Sizes, and proof of what was built: a program for another machine would die there.
table() {
    local out=$target_dir/pi/$1 program found wanted linked
    case $1 in
        armv6) wanted='ARM v6' ;;
        armv7) wanted='ARM v7' ;;
        aarch64) wanted='AArch64' ;;
    esac
    printf '\n%-18s %6s  %-8s %s\n' "$out" KiB machine linked
    for program in "$out"/*; do
        found=$(machine "$program")
        [[ $found == "$wanted" ]] || die "$program is for $found, not for $wanted"
        linked=$(linked "$program")
        [[ $libc == gnu || $linked == static ]] || die "$program is linked to a libc that its board may not have"
        printf '%-18s %6d  %-8s %s\n' "$(basename "$program")" "$(($(wc -c <"$program") / 1024))" "$found" "$linked"
    done
    printf '%s' "$skipped"
}

# What runs the program: ELF's machine, and for 32-bit ARM the version. Go notes that in a place of its own.
machine() {
    local machine version=''
    machine=$(readelf -h "$1" | sed -n 's/.*Machine: *//p')
    if [[ $machine == ARM ]]; then
        version=$(readelf -A "$1" | sed -n 's/.*Tag_CPU_arch: */ /p')
        [[ -n $version ]] || version=" v$(go version -m "$1" | sed -n 's/.*GOARM=//p')"
    fi
    echo "$machine$version"
}

linked() {
    if readelf -lW "$1" | grep -q INTERP; then echo dynamic; else echo static; fi
}

main "$@"
