#!/usr/bin/env bash
# Installs the peers into target/bench, away from the product's own dependencies, and runs bench.py, then the browser
# and Lighthouse.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=target/bench

mkdir -p "$home"
if ! cmp -s "$here/requirements.txt" "$home/requirements.txt"; then
    echo "· peers: installing pandas, polars and their readers, FastAPI"
    python3 -m venv "$home/python"
    "$home/python/bin/pip" install --quiet --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$home/requirements.txt"
fi
if ! cmp -s "$here/package.json" "$home/package.json"; then
    echo "· peers: installing exceljs, SheetJS, Express and Lighthouse"
    cp "$here/package.json" "$home/package.json"
    npm --prefix "$home" install --no-audit --no-fund --loglevel=error || { rm "$home/package.json"; exit 1; }
fi
cargo build --quiet --release --manifest-path "$here/peers/bare_axum/Cargo.toml" --target-dir "$home/cargo"
cp "$here/read.mjs" "$here/peers/express.mjs" "$home/"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! { command -v wrk && command -v pgbench; } >/dev/null; then
    echo "· peers: installing wrk and pgbench"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq wrk postgresql-contrib >/dev/null
fi
"$home/python/bin/python" -B "$here/bench.py" "$@"
node "$here/browser.mjs"
npm --prefix web run --silent lighthouse
"$home/python/bin/python" -B "$here/table.py"
