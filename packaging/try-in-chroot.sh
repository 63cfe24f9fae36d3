#!/bin/bash
# Runs README's commands on a Debian 12 that has nothing but Python and git, as a newcomer would.
#
# Owns: ${XDG_CACHE_HOME:-~/.cache}/backtrail-chroot: a pristine base, made once, and the copy that a trial works in.
# What reaches the outside (apt's mirrors, name servers, certificates, pip's settings) is taken from this machine; none
# of it stands here. All mounts live in a mount namespace of the trial's own, and its processes in a process namespace:
# however it ends, nothing stays mounted and nothing keeps running. Trials wait for each other.
# Never: changes the project, or a file outside that cache. Tries HEAD: what is not committed is not tried.
# Not handled: other systems than Debian, and other releases than the one below.
set -euo pipefail

readonly release=bookworm
readonly packages=python3,git,ca-certificates
readonly newcomer=newcomer
readonly newcomers_folder="/home/newcomer/my földer" # a space and a letter beyond ASCII, as people have

usage() {
    cat <<'TEXT'
usage: packaging/try-in-chroot.sh [VERB...]

Tries the verbs of packaging/set-up.sh (README's, when none is given) in a fresh minimal Debian 12: each as root, then
the first once more as an ordinary user, each of the two in a clone of its own. Prints what each took and its exit
code; exits 1 when one failed. Needs root and debootstrap.
TEXT
}

say() { printf 'try-in-chroot: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# What a newcomer sees first: the commands of README's first block.
readme_verbs() { awk '/^```/ { if (blocks++) exit } blocks && $1 == "packaging/set-up.sh" { print $2 }' "$1"; }

# This machine's mirrors of the release, one "deb ADDRESS SUITE COMPONENT" each.
apt_sources() {
    # shellcheck disable=SC2016 # $(…) are apt's own fields
    apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk -v release="$release" '$3 == release || $3 == release "-updates" || $3 == release "-security"' | sort -u
}

make_base() {
    local base=$1 mirror
    if [ -d "$base" ]; then return; fi
    mirror=$(apt_sources | awk -v release="$release" '$3 == release { print $2; exit }')
    [ -n "$mirror" ] || die "this machine's apt sources have no $release: nowhere to take a base from"
    say "making the base (once, about a minute)"
    rm -rf --one-file-system "$base.part"
    debootstrap --variant=minbase --include="$packages" "$release" "$base.part" "$mirror" >"$base.log" 2>&1 </dev/null ||
        die "debootstrap failed: $base.log"
    mv -T "$base.part" "$base" # only a whole one gets the name
}

# Files and settings through which this machine reaches the outside.
hand_over() {
    local root=$1 file
    apt_sources >"$root/etc/apt/sources.list"
    # proxies, certificates, snapshot dates; but not the hooks, which call programs that are not there
    apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/90handed-over" || true
    for file in /etc/resolv.conf /etc/hosts; do
        rm -f "$root$file"
        cp -L "$file" "$root$file"
    done
    cp -rL --remove-destination /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true # some links lead nowhere
    for file in /etc/pip.conf /etc/xdg/pip; do
        if [ -e "$file" ]; then mkdir -p "$root${file%/*}" && cp -rL "$file" "$root${file%/*}/"; fi
    done
}

# The caller's own pip settings, for one of the trial's people.
hand_over_pip_settings() {
    local home=$1 file
    for file in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$HOME/.pip/pip.conf"; do
        if [ -f "$file" ] && [ -r "$file" ]; then
            install -D -m 600 "$file" "$home/.config/pip/pip.conf"
            return
        fi
    done
}

# Folders on this disk that pip takes packages from: for an index (".../simple") its parent, for the files lie beside it.
pip_folders() {
    python3 -m pip config debug 2>/dev/null |
        grep -oE "(file://|[=: '])/[^ ',]+" | sed -E "s|^file://||; s|^[=: ']||; s|/simple/?$||" | sort -u |
        while read -r folder; do
            if [ -d "$folder" ] && [ "$folder" != / ]; then printf '%s\n' "$folder"; fi
        done
}

mount_all() {
    local root=$1 folder
    mount --bind "$root" "$root" # a machine's root is a mount point, and programs look for it among the mounts
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    pip_folders | while read -r folder; do
        mkdir -p "$root$folder"
        mount --bind "$folder" "$root$folder"
        mount -o remount,bind,ro "$root$folder"
    done
}

# Runs a command in the chroot as one of its people, with nothing of this machine's environment but the way out.
as_person() {
    local root=$1 person=$2 home=$3 variable passed=()
    shift 3
    for variable in $(compgen -e); do
        case $variable in
        PIP_CONFIG_FILE) ;; # handed over as a file
        PIP_* | SSL_CERT_* | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | *_proxy | *_PROXY)
            passed+=("$variable=${!variable}")
            ;;
        esac
    done
    # shellcheck disable=SC2016 # that shell's HOME
    chroot --userspec="$person:$person" --groups= "$root" env -i "${passed[@]}" \
        HOME="$home" USER="$person" LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd "$HOME" && exec "$@"' sh "$@" </dev/null
}

results=()
try() {
    local root=$1 person=$2 home=$3 command=$4 verb=$5 started=$SECONDS code=0
    say "$person: packaging/set-up.sh $verb"
    as_person "$root" "$person" "$home" "$command" "$verb" || code=$?
    results+=("$(printf '%-9s packaging/set-up.sh %-8s %4d s   exit code %d' \
        "$person" "$verb" $((SECONDS - started)) "$code")")
    [ "$code" = 0 ]
}

# Inside the namespaces.
trial() {
    local root=$1 verb failed=0
    shift
    mount_all "$root"
    chroot "$root" useradd --create-home "$newcomer"
    hand_over_pip_settings "$root/root"
    hand_over_pip_settings "$root/home/$newcomer"
    mkdir "$root$newcomers_folder"
    git clone -q --no-hardlinks "$root/root/backtrail" "$root$newcomers_folder/backtrail"
    chroot "$root" chown -R "$newcomer:$newcomer" "/home/$newcomer"

    for verb in "$@"; do
        try "$root" root /root /root/backtrail/packaging/set-up.sh "$verb" || failed=1
    done
    try "$root" "$newcomer" "/home/$newcomer" "$newcomers_folder/backtrail/packaging/set-up.sh" "$1" || failed=1

    printf '%s\n' '' "${results[@]}"
    du -sh "$root/root/backtrail/.venv" 2>/dev/null | awk '{ print "the environment takes " $1 }'
    return "$failed"
}

main() {
    if [ "${1:-}" = --inside ]; then
        shift
        trial "$@"
        return
    fi
    case ${1:-} in -*) usage && exit 2 ;; esac
    [ "$(id -u)" = 0 ] || die "this needs root, for chroot and mount: sudo $0 $*"
    command -v debootstrap >/dev/null || die "run this first: apt-get install -y --no-install-recommends debootstrap"

    local here top cache base work code=0 verbs=("$@")
    here=$(cd "$(dirname "$0")" && pwd -P)
    top=${here%/*}
    if [ ${#verbs[@]} = 0 ]; then mapfile -t verbs < <(readme_verbs "$top/README.md"); fi
    [ ${#verbs[@]} -gt 0 ] || die "README shows no command"
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/backtrail-chroot
    mkdir -p "$cache"
    exec 8>"$cache/lock"
    flock -n 8 || { say "another trial is running; waiting for it" && flock 8; }

    base=$cache/$release-${packages//,/-}
    make_base "$base"
    work=$cache/work
    rm -rf --one-file-system "$work" # of a trial that was killed; its mounts went with it
    # shellcheck disable=SC2064 # this path
    trap "rm -rf --one-file-system $(printf %q "$work")" EXIT
    cp -a --reflink=auto "$base" "$work"
    hand_over "$work"
    git clone -q --no-hardlinks "$top" "$work/root/backtrail"

    unshare --mount --propagation private --pid --fork --kill-child \
        "$here/try-in-chroot.sh" --inside "$work" "${verbs[@]}" || code=$?
    return "$code"
}

main "$@"
