#!/usr/bin/env bash
# Faults of every kind, so many rounds each, on the program as it is released. Ends with the table of what was lost,
# doubled or half.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

export FAULT_ROUNDS="$1" FAULT_SERVER="$PWD/target/release/tradebahi" FAULT_TABLE="$PWD/target/faults.md"
rm -f "$FAULT_TABLE"

run() {
    cargo run --quiet --locked -p pg-cluster --bin with-postgres -- \
        cargo test --quiet --locked -p server --test it -- --test-threads "$@"
}

status=0
run 2 faults:: --skip faults::overload || status=$?
# Alone, because it measures.
run 1 faults::overload || status=$?

printf '\n| fault | rounds | acknowledged | lost | doubled | half | |\n|---|---|---|---|---|---|---|\n'
sort "$FAULT_TABLE"
exit "$status"
