#!/usr/bin/env bash
# Builds the release, installs the peers into target/bench, separate from the product's dependencies, and runs bench.py,
# the browser benchmark and Lighthouse.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=target/bench

# Tools of the benchmark of single requests; needed unless --parts names other benchmarks only.
has_tools() { command -v wrk && command -v pgbench && command -v psql; } >/dev/null
if [[ " $* " != *" --parts "* || " $* " == *" traffic "* ]] && ! has_tools; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "· peers: installing wrk, pgbench and psql"
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq wrk postgresql-contrib >/dev/null
    fi
    has_tools || { echo "wrk, pgbench or psql is missing: install them (Debian: wrk, postgresql-contrib)" >&2; exit 1; }
fi

cargo build --release --locked --bin tradebahi
cargo build --release --locked -p import --example make_tradebook -p auth --example hash_cost
mkdir -p "$home"
rm -f "$home/server.log"
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
cargo build --quiet --release --locked --manifest-path "$here/peers/bare_axum/Cargo.toml" --target-dir "$home/cargo"
cp "$here/read.mjs" "$here/peers/express.mjs" "$home/"
"$home/python/bin/python" -B "$here/bench.py" "$@"
node "$here/browser.mjs"
npm --prefix web run --silent lighthouse
"$home/python/bin/python" -B "$here/table.py"
