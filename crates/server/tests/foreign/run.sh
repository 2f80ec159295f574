#!/usr/bin/env bash
# Runs a Python test with its own Postgres: `run.sh FILE [ARGUMENT]…`. Packages are installed in target/python.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
venv=target/python

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Python 3.11 or newer is missing; the client tests need it. Install it from https://www.python.org"
    exit 1
fi
requirements=("$here/requirements.txt" "$here/constraints.txt")
if ! cat "${requirements[@]}" | cmp -s - "$venv/installed"; then
    echo "· Python: installing packages of the client tests (one minute)"
    # On Debian venv is a separate package.
    python3 -m venv "$venv" 2>/dev/null || { apt-get install -y -qq python3-venv >/dev/null && python3 -m venv "$venv"; }
    "$venv/bin/pip" install --quiet --requirement "${requirements[0]}" --constraint "${requirements[1]}"
    cat "${requirements[@]}" > "$venv/installed"
fi
target/debug/with-postgres "$venv/bin/python" -B "$here/$1" "${@:2}"
