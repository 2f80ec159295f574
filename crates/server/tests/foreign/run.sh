#!/usr/bin/env bash
# Runs a test that is written in Python on a Postgres of its own: `run.sh FILE [ARGUMENT]…`. Python and its packages
# live in target/python.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
venv=target/python

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Python 3.11 or newer is missing; the foreign clients are written in it. Install it from https://www.python.org"
    exit 1
fi
wanted=("$here/requirements.txt" "$here/constraints.txt")
if ! cat "${wanted[@]}" | cmp -s - "$venv/installed"; then
    echo "· Python: installing what the foreign clients need (a minute)"
    # Debian keeps venv in a package of its own.
    python3 -m venv "$venv" 2>/dev/null || { apt-get install -y -qq python3-venv >/dev/null && python3 -m venv "$venv"; }
    "$venv/bin/pip" install --quiet --requirement "${wanted[0]}" --constraint "${wanted[1]}"
    cat "${wanted[@]}" > "$venv/installed"
fi
target/debug/with-postgres "$venv/bin/python" -B "$here/$1" "${@:2}"
