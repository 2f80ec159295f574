# TradeBahi: `just --list` says what there is to run. Needs Rust (rustup) and Node 20 or newer, nothing else.

set shell := ["bash", "-euo", "pipefail", "-c"]

# What has to work in either shape on every run; `e2e-apart` alone runs everything.
MAIN_JOURNEYS := "main-journey.spec.ts sign-in.spec.ts /import.spec.ts /apply.spec.ts analytics.spec.ts"

export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := "1"

_default:
    @just --list --unsorted

# Build what is stale, make the database, serve http://127.0.0.1:8080. `up --demo` adds an account full of trades.
up *ARGS: _tools _site
    @echo "· server: the first build takes five to ten minutes on two cores, later ones seconds"
    cargo build --release --locked --bin tradebahi
    exec target/release/tradebahi serve --reflection {{ARGS}}

# Everything: formatting, lints, generated files, Rust, web, clients in another language, the contract, the browser, a
# rolling restart.
test: check test-rust test-faults test-web test-clients contract e2e (e2e-apart MAIN_JOURNEYS) _rolling-where-nginx

# Serve with hot reload of the pages on http://127.0.0.1:5173; run again after a change in Rust.
dev *ARGS: _tools _modules
    cargo build --bin tradebahi
    trap 'kill 0' EXIT; target/debug/tradebahi serve --reflection {{ARGS}} & npm --prefix web run dev

# Format both sides.
fmt: _modules
    cargo fmt --all
    npm --prefix web run fmt

# Fail on what the formatters, clippy, Biome, TypeScript, and the linters of both contracts have to say.
lint: _tools _modules
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
    npm --prefix web run --silent lint
    npm --prefix web run --silent typecheck
    npm --prefix web run --silent lint:api
    npm --prefix web run --silent lint:proto

# Lint, and fail when a generated file is stale.
check: lint
    {{just_executable()}} gen
    git diff --exit-code --stat -- .sqlx web/app/lib/api-schema.d.ts
    test -z "$(git ls-files --others --exclude-standard .sqlx)"

# Write anew what is generated: checked queries, and the types of the REST client.
gen: _tools _modules
    npm --prefix web run --silent gen:api
    cargo run --quiet --locked -p pg-cluster --example gen_queries

# Take proto/ as it is for what must not break from now on; on purpose only, when it is released.
release-proto: _modules
    npm --prefix web exec -- buf build proto --exclude-source-info -o proto/released.binpb

# Rust tests, on a Postgres of their own. Faults have a recipe of their own.
test-rust *ARGS: _tools _site
    cargo build --quiet --locked --workspace --bins
    cargo run --quiet --locked -p pg-cluster --bin with-postgres -- cargo test --locked --workspace --lib --bins --tests {{ARGS}} -- --skip faults::

# Each fault a few times. Apart from the other tests: they load the machine.
test-faults: _tools _site
    cargo build --quiet --locked --workspace --bins
    cargo run --quiet --locked -p pg-cluster --bin with-postgres -- cargo test --locked --workspace --test it faults::
    @[ "$(uname)" = Linux ] || echo "· faults: not tried, as they need Linux"

# Unit tests of the pages, their byte budgets, and which statements of the spec are proven.
test-web: _tools _site
    npm --prefix web run --silent test
    npm --prefix web run --silent budgets
    npm --prefix web run --silent ledger

# Both contracts as clients in another language see them (Python): gRPC by reflection, REST by a generated client.
test-clients: _tools _site
    cargo build --quiet --locked --bin tradebahi
    bash crates/server/tests/foreign/run.sh grpc_client.py -v
    bash crates/server/tests/foreign/run.sh rest_client.py -v

# A running server against openapi.yaml, by requests that schemathesis thinks of: `contract 300` for some 20,000.
contract ROUNDS="5" *ARGS: _tools _site
    cargo build --quiet --locked --bin tradebahi
    bash crates/server/tests/foreign/run.sh contract.py --max-examples {{ROUNDS}} --seed 1 {{ARGS}}

# The product in a real browser.
e2e *ARGS: _tools _site _browser
    cargo build --quiet --locked --workspace --bin tradebahi --example make_tradebook
    npm --prefix web run --silent e2e -- {{ARGS}}

# The same with edge and core as two processes.
e2e-apart *ARGS: _tools _site _browser
    cargo build --quiet --locked --workspace --bin tradebahi --example make_tradebook
    E2E_SHAPE=apart npm --prefix web run --silent e2e -- {{ARGS}}

# Restart two edges and two cores behind nginx, one by one and under load: no request may fail. `--rounds N` for longer.
rolling *ARGS: _tools _site _nginx
    cargo build --quiet --locked --workspace --bins
    cargo run --quiet --locked -p pg-cluster --bin with-postgres -- python3 -B crates/server/tests/rolling/rolling.py {{ARGS}}

# Faults of every kind, so many rounds each: ends with a table of what was lost, doubled or half.
faults ROUNDS="20": _tools _site
    cargo build --release --locked --bin tradebahi
    bash crates/server/tests/faults.sh {{ROUNDS}}

# What others wrote: licences, sources, doubled crates, advisories. The first time it builds cargo-deny for some minutes.
deny *ARGS="check": _tools
    @test -x target/tools/bin/cargo-deny || { echo "· cargo-deny: building it, some minutes"; cargo install --quiet --locked --root target/tools cargo-deny@0.20.2; }
    target/tools/bin/cargo-deny {{ARGS}}

# Build anew and show where the time goes: prints the seconds, and a chart in target/cargo-timings.
build-times: _tools
    time cargo build --release --locked --bin tradebahi --timings --target-dir target/timed

# Figures beside peers on the same work. Peers are installed into target/bench.
bench *ARGS: _tools _site _browser
    bash crates/server/benches/run.sh {{ARGS}}

_tools:
    @command -v cargo >/dev/null || { echo "Rust is missing: install it from https://rustup.rs"; exit 1; }
    @command -v npm >/dev/null || { echo "Node is missing: install Node 20 or newer from https://nodejs.org"; exit 1; }
    @node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || { echo "Node $(node --version) is too old: install Node 20 or newer from https://nodejs.org"; exit 1; }

_modules:
    @if ! cmp -s web/package-lock.json web/node_modules/.installed; then echo "· pages: installing what they are built with (a minute)"; npm --prefix web ci --no-audit --no-fund --loglevel=error && cp web/package-lock.json web/node_modules/.installed; fi

_site: _modules
    @if [ ! -e web/build/client/.built ] || [ -n "$(find web/app web/public web/scripts web/*.ts web/package.json web/api-reference openapi.yaml crates/careers/openings -newer web/build/client/.built -print -quit)" ]; then echo "· pages: building (half a minute)"; npm --prefix web run --silent build && touch web/build/client/.built; fi

_browser:
    @if [ -z "${CHROMIUM_PATH:-}" ] && ! command -v chromium chromium-browser google-chrome >/dev/null; then if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "· browser: installing Chromium"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; else env -u PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD npm --prefix web exec playwright install chromium; fi; fi

_nginx:
    @if ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null; then if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "· nginx: installing it"; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nginx-light >/dev/null; else echo "nginx is missing: install it from https://nginx.org"; exit 1; fi; fi

_rolling-where-nginx:
    @if PATH="$PATH:/usr/sbin" command -v nginx >/dev/null || { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }; then {{just_executable()}} rolling; else echo "· rolling restart: not tried, as there is no nginx"; fi
