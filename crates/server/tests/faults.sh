#!/usr/bin/env bash
# Runs each fault for a number of rounds on the release build; ends with the table of lost, duplicated and partial writes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

export FAULT_ROUNDS="$1" FAULT_SERVER="$PWD/target/release/tradebahi" FAULT_TABLE="$PWD/target/faults.md"
rm -f "$FAULT_TABLE"

run() {
    target/debug/with-postgres cargo test --quiet --locked --workspace --test it -- --test-threads "$@"
}

status=0
run 2 faults:: --skip faults::overload --skip faults::fairness || status=$?
# Separately, because they measure goodput and response times.
run 1 faults::overload faults::fairness || status=$?

printf '\n| fault | rounds | acknowledged | lost | duplicated | partial | recovery |\n|---|---|---|---|---|---|---|\n'
sort "$FAULT_TABLE"
exit "$status"
