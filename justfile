# TradeBahi: `just --list` shows the recipes. Needs Rust (rustup) and Node 20 or newer.

set shell := ["bash", "-euo", "pipefail", "-c"]

# Browser tests that run in both deployment shapes each time; `e2e-apart` without arguments runs all.
MAIN_JOURNEYS := "main-journey.spec.ts login.spec.ts /import.spec.ts /apply.spec.ts analytics.spec.ts"

# Faults that a debug build cannot show on two busy cores; `faults` runs them on the release build.
HEAVY_REQUESTS := "s2_one_account_that_repeats"

# True if rsyslog has the module of RELP, which needs a package of its own.
HAS_RSYSLOG := "{ compgen -G '/usr/lib*/rsyslog/imrelp.so' || compgen -G '/usr/lib/*/rsyslog/imrelp.so'; } >/dev/null && command -v openssl >/dev/null"

export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := "1"

_default:
    @just --list --unsorted

# Build what is stale, create the database, serve http://127.0.0.1:8080. `up --demo` adds an account with trades.
up *ARGS: _tools _site
    @echo "· server: the first build takes some minutes on two cores, later ones seconds"
    cargo build --profile quick --locked --bin tradebahi
    exec target/quick/tradebahi serve --reflection {{ARGS}}

# Run every check and test, and print where the time went. Longer rounds: `faults`, `contract 300`, `e2e-apart`, `rolling`.
test:
    #!/usr/bin/env bash
    set -euo pipefail
    times=""
    summary() { printf '\n%s\n%s  %5d s  total\n' "time:" "$times" "$SECONDS"; }
    trap summary EXIT
    run() {
        local start=$SECONDS
        "{{just_executable()}}" --justfile "{{justfile()}}" "$@"
        times+=$(printf '  %5d s  %s' "$((SECONDS - start))" "$1")$'\n'
    }
    run check
    run build-tests
    run test-rust
    run test-faults
    run test-web
    run test-clients
    run contract
    run e2e
    run e2e-apart {{MAIN_JOURNEYS}}
    run _rolling-where-nginx
    run _log-shipping-where-rsyslog

# Serve with hot reload of the pages on http://127.0.0.1:5173; run again after a change in Rust.
dev *ARGS: _tools _modules _binaries
    trap 'kill 0' EXIT; target/debug/tradebahi serve --reflection {{ARGS}} & npm --prefix web run dev

# Format Rust and the web app.
fmt: _modules
    cargo fmt --all
    npm --prefix web run fmt

# Check formatting, clippy, Biome, names, unused code and packages of the web app, TypeScript, and both API descriptions.
lint: _tools _modules
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
    npm --prefix web run --silent lint
    npm --prefix web run --silent lint:names
    npm --prefix web run --silent lint:unused
    npm --prefix web run --silent typecheck
    npm --prefix web run --silent lint:api
    npm --prefix web run --silent lint:proto

# Lint, and fail if a generated file is stale.
check: lint
    {{just_executable()}} gen
    git diff --exit-code --stat -- .sqlx web/app/lib/api-schema.d.ts
    test -z "$(git ls-files --others --exclude-standard .sqlx)"

# Regenerate the checked queries and the types of the REST client.
gen: _tools _modules
    npm --prefix web run --silent gen:api
    cargo build --quiet --locked --workspace --example gen_queries
    target/debug/examples/gen_queries

# Accept the current proto/ as the released one; breaking changes are checked against it.
release-proto: _modules
    npm --prefix web exec -- buf build proto --exclude-source-info -o proto/released.binpb

# Run the Rust tests on their own Postgres, except the fault tests.
test-rust *ARGS: _tools _site _binaries
    target/debug/with-postgres cargo test --locked --workspace --lib --bins --tests {{ARGS}} -- --skip faults::

# Run each fault once or a few times, separately because they load the machine.
test-faults: _tools _site _binaries
    target/debug/with-postgres cargo test --locked --workspace --test it faults:: -- --skip faults::fairness
    target/debug/with-postgres cargo test --locked -p server --test it faults::fairness -- --test-threads 1 --skip {{HEAVY_REQUESTS}}
    @[ "$(uname)" = Linux ] || echo "· faults: not tried, as they need Linux"

# Run the unit tests of the web app, check its byte budgets, and that each statement of the spec has a test.
test-web: _tools _site
    npm --prefix web run --silent test
    npm --prefix web run --silent budgets
    npm --prefix web run --silent ledger

# Test both APIs with Python clients: gRPC by reflection, REST by a generated client.
test-clients: _tools _site _binaries
    bash crates/server/tests/foreign/run.sh grpc_client.py -v
    bash crates/server/tests/foreign/run.sh rest_client.py -v

# Test a running server against openapi.yaml with schemathesis; `contract 300` sends some 20,000 requests.
contract ROUNDS="5" *ARGS: _tools _site _binaries
    bash crates/server/tests/foreign/run.sh contract.py --max-examples {{ROUNDS}} --seed 1 {{ARGS}}

# Run the browser tests.
e2e *ARGS: _tools _site _browser _binaries
    npm --prefix web run --silent e2e -- {{ARGS}}

# Run the browser tests with edge and core as two processes.
e2e-apart *ARGS: _tools _site _browser _binaries
    E2E_SHAPE=apart npm --prefix web run --silent e2e -- {{ARGS}}

# Restart two edges and two cores behind nginx one by one under load; no request may fail. `--rounds N` for longer.
rolling *ARGS: _tools _site _nginx _binaries
    target/debug/with-postgres python3 -B crates/server/tests/operation/rolling.py {{ARGS}}

# Send the log to another machine with rsyslog and the files of crates/server/log-shipping, through outages and past intruders.
log-shipping: _tools _site _rsyslog _binaries
    target/debug/with-postgres python3 -B crates/server/tests/operation/log_shipping.py

# Run each fault ROUNDS times on the release build; ends with a table of lost, duplicated and partial writes.
faults ROUNDS="20": _tools _site _binaries
    cargo build --release --locked --bin tradebahi
    bash crates/server/tests/faults.sh {{ROUNDS}}

# Check licences, sources, duplicate crates and advisories. The first run builds cargo-deny for some minutes.
deny *ARGS="check": _tools
    @test -x target/tools/bin/cargo-deny || { echo "· cargo-deny: building it, some minutes"; cargo install --quiet --locked --root target/tools cargo-deny@0.20.2; }
    target/tools/bin/cargo-deny {{ARGS}}

# Build a release from scratch and show where the time goes: seconds, and a chart in target/timed/cargo-timings.
build-times: _tools
    time cargo build --release --locked --bin tradebahi --timings --target-dir target/timed

# Run the benchmarks next to peers, which are installed into target/bench.
bench *ARGS: _tools _site _browser
    bash crates/server/benches/run.sh {{ARGS}}

# Build the tests without running them.
build-tests: _tools _binaries
    cargo test --no-run --quiet --locked --workspace --lib --bins --tests

# Examples need the dev-dependencies, so these programs share their dependencies with the tests and nothing is built twice.
_binaries: _tools
    cargo build --quiet --locked --workspace --bins --examples

_tools:
    @command -v cargo >/dev/null || { echo "Rust is missing: install it from https://rustup.rs"; exit 1; }
    @command -v npm >/dev/null || { echo "Node is missing: install Node 20 or newer from https://nodejs.org"; exit 1; }
    @node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || { echo "Node $(node --version) is too old: install Node 20 or newer from https://nodejs.org"; exit 1; }

_modules:
    @if ! cmp -s web/package-lock.json web/node_modules/.installed; then echo "· pages: installing what they are built with (a minute)"; npm --prefix web ci --no-audit --no-fund --loglevel=error && cp web/package-lock.json web/node_modules/.installed; fi

_site: _modules
    @if [ ! -e web/build/client/.built ] || [ -n "$(find web/app web/public web/scripts web/*.ts web/package.json web/api-reference openapi.yaml crates/careers/openings crates/analytics/rates -newer web/build/client/.built -print -quit)" ]; then echo "· pages: building (half a minute)"; npm --prefix web run --silent build && touch web/build/client/.built; fi

_browser:
    @if [ -z "${CHROMIUM_PATH:-}" ] && ! command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null; then if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "· browser: installing Chromium"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium $(apt-cache search --names-only "^chromium-headless-shell$" | cut -d" " -f1) >/dev/null; else env -u PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD npm --prefix web exec playwright install chromium; fi; fi

_nginx:
    @if ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null; then if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "· nginx: installing it"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light >/dev/null; else echo "nginx is missing: install it from https://nginx.org"; exit 1; fi; fi

_rolling-where-nginx:
    @if PATH="$PATH:/usr/sbin" command -v nginx >/dev/null || { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }; then {{just_executable()}} rolling; else echo "· rolling restart: not tried, as there is no nginx"; fi

_rsyslog:
    @if ! {{HAS_RSYSLOG}}; then if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "· rsyslog: installing it"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq rsyslog rsyslog-relp rsyslog-gnutls openssl >/dev/null; else echo "rsyslog is missing: install it with its modules relp and gnutls, and openssl"; exit 1; fi; fi

_log-shipping-where-rsyslog:
    @if {{HAS_RSYSLOG}} || { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }; then {{just_executable()}} log-shipping; else echo "· log shipping: not tried, as there is no rsyslog with relp"; fi
