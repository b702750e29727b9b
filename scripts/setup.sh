#!/bin/sh
# Make the virtual environment and install Lyra with its development tools into it.
set -eu
venv=$1
python=${PYTHON:-python3}

say() { printf 'setup: %s\n' "$*" >&2; }

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

if [ ! -x "$venv/bin/python" ]; then
    say "creating $venv"
    "$python" -m venv "$venv"
fi
say "installing Lyra (a few minutes on the first run)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable . --group dev
say "ready: $venv/bin/lyra"
