#!/bin/sh
# Makes the private environment in .venv when it is missing, stale or broken, then runs one thing in it.
#
# Owns: .venv and the stamp in it. Everything comes from requirements.lock, by hash, from wherever this machine's pip
# is set up to look; no address stands here. A run that was cut short leaves no stamp, so the next one starts afresh;
# two runs at once wait for each other. When the stamp is right, nothing is downloaded and nothing written.
# Never: touches another Python environment, or installs system packages other than the ones named below.
# Not handled: systems without apt-get; there it only says what is missing.
set -eu
unset PYTHONHOME PYTHONPATH # another environment's packages have no business here

usage() {
    cat <<'TEXT'
usage: packaging/set-up.sh VERB [ARGS...]

  start            the window where there is a screen, else the demo
  demo [DIR]       a short story of lost work, and how it comes back
  desktop          the window
  test [ARGS...]   ruff, mypy, lint-imports, then pytest, which gets ARGS
  bench [ARGS...]  the benchmarks of tests/bench
  run ARGS...      any backtrail command: run status
  set-up           only make the environment

Each of them sets up first. It may be called from any folder.
TEXT
}

say() { printf 'set-up: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# What the environment is made of, and whether it is still whole. Runs under the environment's own Python, so that a
# Python that went away or changed its version shows. `check` compares with the stamp, `stamp` writes it.
# A file counts as whole when it has the size that pip recorded: a power cut leaves empty ones.
inspect='
import csv, hashlib, json, pathlib, sys, tomllib
from importlib import metadata

def is_whole(dist):
    rows = csv.reader((dist.read_text("RECORD") or "").splitlines())
    sizes = [(dist.locate_file(name), int(size)) for name, _, size in rows if size and not name.endswith(".pyc")]
    return bool(sizes) and all(path.is_file() and path.stat().st_size == size for path, size in sizes)

verb, top = sys.argv[1], pathlib.Path(sys.argv[2])
stamp = top / ".venv" / "set-up.stamp"
project = tomllib.loads((top / "pyproject.toml").read_text("utf-8"))
made_of = [
    sys.version_info[:2],
    str(top),
    (top / "requirements.lock").read_text("utf-8"),
    project["build-system"],
    project["project"],
    project["tool"]["hatch"],
]
site = [entry for entry in sys.path if entry.startswith(sys.prefix)]
wanted = [hashlib.sha256(json.dumps(made_of).encode()).hexdigest()]
whole = {f"{dist.name}=={dist.version}" for dist in metadata.distributions(path=site) if is_whole(dist)}
if verb == "stamp":
    broken = {f"{dist.name}=={dist.version}" for dist in metadata.distributions(path=site)} - whole
    if broken:
        sys.exit("incomplete: " + ", ".join(sorted(broken)))
    stamp.write_text("\n".join(wanted + sorted(whole)) + "\n", "utf-8")
else:
    made_of_then, *packages = stamp.read_text("utf-8").split()
    sys.exit([made_of_then] != wanted or not whole.issuperset(packages))
'

ready() {
    [ -f "$venv/set-up.stamp" ] && "$venv/bin/python" -I -c "$inspect" check "$top" 2>/dev/null
}

has_git() { git --version >/dev/null 2>&1; }
has_venv() { "$python" -c 'import ensurepip, venv' 2>/dev/null; }

find_python() {
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then return; fi
    done
    found=$(python3 -V 2>&1) || found='none on the PATH'
    die "Python 3.11 or newer is needed, found: $found"
}

# A fresh Debian has Python without its venv module.
add_system_packages() {
    missing=
    has_venv || missing="$python-venv"
    has_git || missing="${missing:+$missing }git"
    if [ -z "$missing" ]; then return; fi
    install_packages
    has_venv || die "$python ($(command -v "$python")) still has no venv and ensurepip modules"
}

# What Qt needs to paint, and for the tests a real screen with a window manager, and strace to kill at system calls.
window_libraries="libglib2.0-0 libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 fonts-dejavu-core
    libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
test_programs="xvfb openbox xdotool imagemagick x11-utils dbus-bin dbus-daemon strace trayer"

add_packages() {
    command -v dpkg-query >/dev/null || return 0 # not Debian: what is missing is said by what needs it
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null) in
        *installed*) ;;
        *) missing="${missing:+$missing }$package" ;;
        esac
    done
    if [ -n "$missing" ]; then install_packages; fi
}

# Installs what stands in $missing, or says how.
install_packages() {
    command -v apt-get >/dev/null || die "missing: $missing; install that with this system's package manager"
    install="apt-get install -y --no-install-recommends $missing"
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        die "run this first, as root: apt-get update && $install"
    fi

    say "installing from this system's packages: $missing"
    quietly="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120"
    # shellcheck disable=SC2086 # these are lists of words; and one broken source of many must not stop us
    $quietly update </dev/null >&2 || say "apt-get update had errors, going on with what it knows"
    # shellcheck disable=SC2086
    output=$($quietly install -y --no-install-recommends $missing </dev/null 2>&1) || die "$install failed:
$output"
}

# The lock is on this very file, so it needs no file of its own. It belongs to descriptor 9, and goes when the last
# process that has it ends, however that ends: a pip that outlived its killed set-up still keeps the next one waiting.
lock() {
    take='import fcntl, sys; fcntl.flock(9, fcntl.LOCK_EX | (fcntl.LOCK_NB if sys.argv[1] == "now" else 0))'
    "$python" -c "$take" now 2>/dev/null && return
    say "another set-up is at work in this folder; waiting for it"
    "$python" -c "$take" wait 2>/dev/null || say "no locks on this file system: let only one set-up run at a time"
}

# --no-user: a pip that is set up for the user's own folder would refuse to work in an environment.
pip_install() {
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input --no-user "$@" </dev/null >&2
}

build() {
    say "making the private environment in $venv (once, about half a minute)"
    rm -rf "$venv" || die "$venv could not be replaced; remove it, then run this again"
    "$python" -m venv "$venv" >&2 || die "$python could not make an environment"
    (
        cd "$top" &&
            pip_install --require-hashes -r requirements.lock &&
            pip_install --no-index --no-deps --no-build-isolation -e .
    ) || die "the packages of requirements.lock could not be installed (see above); then run this again"
    "$venv/bin/python" -I -c "$inspect" stamp "$top" >&2 || die "the environment is not whole; run this again"
}

set_up() {
    if ready && has_git; then return; fi
    find_python
    exec 9<"$top/packaging/set-up.sh"
    lock
    add_system_packages 9<&-
    ready || build # someone else may have made it while we waited
    exec 9<&-
}

step() {
    say "$*"
    "$@" || die "failed: $*"
}

run_tests() {
    cd "$top"
    step ruff check
    step ruff format --check
    step mypy
    step lint-imports --no-logo
    cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
    say "pytest on $cores cores"
    exec pytest -n "$cores" tests/core tests/desktop tests/end_to_end "$@"
}

main() {
    verb=${1:-}
    case $verb in
    start | demo | desktop | test | bench | run | set-up) shift ;;
    help | -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac

    top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
    venv=$top/.venv
    if [ "$verb" = start ]; then
        verb=demo
        if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then verb=desktop; fi
    fi
    set_up
    # shellcheck disable=SC2086 # lists of words
    case $verb in
    desktop | bench) add_packages $window_libraries ;;
    test) add_packages $window_libraries $test_programs ;;
    esac
    PATH=$venv/bin:$PATH
    export PATH
    case $verb in
    demo) exec backtrail demo "$@" ;;
    run) exec backtrail "$@" ;;
    desktop) exec backtrail desktop "$@" ;;
    bench) python "$top/tests/bench/run.py" "$@" && exec python "$top/tests/bench/window.py" ;;
    test) run_tests "$@" ;;
    esac
}

main "$@"
