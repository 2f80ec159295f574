#!/usr/bin/env bash
# Installs the peers into target/bench, away from the product's own dependencies, and runs bench.py, then the browser
# and Lighthouse.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=target/bench

mkdir -p "$home"
if ! cmp -s "$here/requirements.txt" "$home/requirements.txt"; then
    echo "· peers: installing pandas, polars and their readers"
    python3 -m venv "$home/python"
    "$home/python/bin/pip" install --quiet --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$home/requirements.txt"
fi
if ! cmp -s "$here/package.json" "$home/package.json"; then
    echo "· peers: installing exceljs, SheetJS and Lighthouse"
    cp "$here/package.json" "$home/package.json"
    npm --prefix "$home" install --no-audit --no-fund --loglevel=error || { rm "$home/package.json"; exit 1; }
fi
cp "$here/read.mjs" "$home/read.mjs"
"$home/python/bin/python" -B "$here/bench.py" "$@"
node "$here/browser.mjs"
npm --prefix web run --silent lighthouse
