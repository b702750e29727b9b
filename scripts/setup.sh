#!/bin/sh
# Make the virtual environment, install Lyra with its development tools into it, and what its browser needs.
set -eu
venv=$1
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*" >&2; }

# step WHAT COMMAND…: one line when a step begins and one when it is done, with the time it took and the size of the
# environment. On a terminal the seconds and the size run in between; elsewhere, such as in a log, nothing does.
steps=3
# The last step may be left out (LYRA_SETUP_STRONG=0), and is, where the model is there already.
strong=$venv/share/lyra/models/judge
[ "${LYRA_SETUP_STRONG:-1}" = 0 ] || [ -e "$strong/card.json" ] || steps=4
wants_strong=$((steps - 3))
number=0
ticker=""
trap 'stop_ticker' EXIT
stop_ticker() {
    [ -z "$ticker" ] || { kill "$ticker" 2>/dev/null; wait "$ticker" 2>/dev/null; printf '\r\033[K' >&2; } || :
    ticker=""
}
size() { [ ! -d "$venv" ] || du -sm "$venv" 2>/dev/null | awk '{printf ", %d MB in %s", $1, venv}' venv="$venv"; }
tick() {
    while sleep 2; do printf '\r\033[K  %d s%s' $(($(date +%s) - began)) "$(size)" >&2; done
}
step() {
    what=$1
    shift
    number=$((number + 1))
    began=$(date +%s)
    say "[$number/$steps] $what"
    if [ -t 2 ]; then
        tick &
        ticker=$!
    fi
    "$@" || { code=$?; stop_ticker; say "[$number/$steps] failed after $(($(date +%s) - began)) s"; exit "$code"; }
    stop_ticker
    say "[$number/$steps] done in $(($(date +%s) - began)) s$(size)"
}

command -v "$python" >/dev/null 2>&1 || { say "python3 is missing: install Python 3.11 or newer"; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "$("$python" --version) is too old: Lyra needs Python 3.11 or newer (make setup PYTHON=python3.12)"
    exit 1
}

# Debian and Ubuntu ship python3 without venv; ensurepip is what is really missing.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "installing python$version-venv"
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "python$version-venv" ca-certificates >/dev/null
    else
        say "the venv module is missing: sudo apt-get install python$version-venv"
        exit 1
    fi
fi

# What pages are read with beyond plain HTTP: a browser, a screen for its windows, xdotool, which raises them, Tor,
# Japanese letters, also for reports as PDF, and certutil, which tells the browser about a certificate authority of your own. Everything else
# works without them.
missing=""
need() { [ -n "$2" ] || missing="$missing $1"; }
need chromium "$(command -v google-chrome-stable || command -v google-chrome || command -v chromium || command -v chromium-browser)"
need xvfb "$(command -v Xvfb)"
need xdotool "$(command -v xdotool)"
need tor "$(command -v tor || ls /usr/sbin/tor 2>/dev/null)"
need fonts-noto-cjk "$(fc-list :lang=ja 2>/dev/null | head -n 1)"
need libnss3-tools "$(command -v certutil)"
install_missing_or_go_on() { install_missing || say "the package lists cannot be had; missing:$missing"; }
install_missing() {
    apt-get update -qq || return 1
    for package in $missing; do # one by one: a name that this release lacks must not take the others with it
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
            say "could not install $package; Lyra goes on without it"
    done
}
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        steps=$((steps + 1))
        step "installing$missing" install_missing_or_go_on
    else
        say "optional, missing:$missing (Debian and Ubuntu: sudo apt-get install --no-install-recommends$missing)"
    fi
fi

# What is installed is what requirements.lock names, by hash; Lyra itself is built with what is then there. Debian's pip builds
# a source package (JMdict) in its own environment only when told to (--use-pep517), and there it lacks wheel.
make_venv() { [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"; }
pip_install() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
step "making the Python environment $venv" make_venv
step "installing the packages of requirements.lock (2.4 GB, a few minutes on the first run)" pip_install \
    --use-pep517 --require-hashes --requirement requirements.lock
step "installing Lyra, its models and what measures it" pip_install --no-deps --no-build-isolation \
    --editable ./packages/reader-large --editable ./packages/reader-strong --editable . --editable ./packages/bench

# The strong reader judges where its language model is; all else works without it.
get_strong_or_go_on() {
    get_strong || say "the strong reader is not there; later: $venv/bin/lyra models pull judge --shared --index"
}
# Lyra takes every variable that begins with LYRA_ for a setting of its own.
get_strong() {
    env -u LYRA_SETUP_STRONG "$venv/bin/lyra" models pull judge --shared --index >"$venv/.strong.log" 2>&1 ||
        { tail -n 2 "$venv/.strong.log" >&2; return 1; }
}
[ "$wants_strong" = 0 ] ||
    step "getting the strong reader's language model (1.1 GB, and a minute to prepare it)" get_strong_or_go_on
say "ready: $venv/bin/lyra"
