"""Single requests, many of them: reads, entries, sign-ins, pages and applications, beside peers on the same rows of the
same Postgres, and beside what the database alone would take."""

import contextlib
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import psutil

import applying
import imports
import logins
import table
from server import HERE, HOME, MIB, Peak, free_port, upload_form

CLIENTS = 16
SECONDS = 3
PAGE = """
select trade_id, broker, segment, side, symbol, quantity, price, value, executed_at, time_precision, exchange, order_id,
       stock_name, notes, psychology, market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike
from trades.trade where account_id = '{account}' order by executed_at desc, trade_id desc limit 101;
"""
# What an entry must at least write: the account's row, the trade, the change, the book, all or nothing.
ENTRY = """
begin;
update trades.account set next_trade_id = next_trade_id + 1, next_change_id = next_change_id + 1,
    version = version + 1, trade_count = trade_count + 1 where account_id = '{account}'
    returning next_trade_id - 1 as trade, next_change_id - 1 as change \\gset
insert into trades.trade (account_id, trade_id, broker, segment, side, symbol, quantity, price, value, executed_at,
    time_precision, exchange) values ('{account}', :trade, 'zerodha', 'equity', 'buy', 'INFY', 10, 1500, 15000, now(),
    'minute', 'NSE');
insert into trades.change (account_id, change_id, broker, segment, kind, added, added_count, symbol)
    values ('{account}', :change, 'zerodha', 'equity', 'entry', int8multirange(int8range(:trade, :trade, '[]')), 1, 'INFY');
update trades.book set trade_count = trade_count + 1
    where account_id = '{account}' and broker = 'zerodha' and segment = 'equity';
commit;
"""


def sub(session):
    """The account that a token speaks for."""
    import jwt

    return jwt.decode(session["authorization"].removeprefix("Bearer "), options={"verify_signature": False})["sub"]


def public_key(server):
    import jwt
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    (key, *_) = json.loads(server.call("GET", "/.well-known/jwks.json")[1])["keys"]
    loaded = jwt.algorithms.OKPAlgorithm.from_jwk(json.dumps(key))
    return loaded.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class Peer:
    """Another server that does the same work."""

    def __init__(self, command, **settings):
        self.command, self.settings = command, settings

    def __enter__(self):
        self.port = free_port()
        command = [part.format(port=self.port) for part in self.command]
        started = time.perf_counter()
        self.process = subprocess.Popen(command, cwd=HOME, env={**os.environ, **self.settings})
        while True:
            with contextlib.suppress(OSError):
                if self.call("GET", "/livez")[0] == 200:
                    break
            if self.process.poll() is not None:
                sys.exit(f"{command} does not start")
            time.sleep(0.002)
        self.start = time.perf_counter() - started
        self.watched = psutil.Process(self.process.pid)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def call(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body=body, headers=headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()


def fastapi(server, resumes):
    python = os.path.join(HOME, "python/bin/python")
    command = [python, "-B", "-m", "uvicorn", "--app-dir", os.path.join(HERE, "peers"), "stack:app", "--port", "{port}"]
    dsn = f"postgresql://postgres@/tradebahi?host={server.socket_dir}"
    return Peer([*command, "--log-level", "warning"], DSN=dsn, JWT_KEY=public_key(server), RESUMES=resumes)


def express(server):
    site, openings = os.path.abspath("web/build/client"), os.path.abspath("crates/careers/openings")
    database = dict(PGHOST=server.socket_dir, PGUSER="postgres", PGDATABASE="tradebahi")
    command = ["node", os.path.join(HOME, "express.mjs"), "{port}"]
    return Peer(command, JWT_KEY=public_key(server), SITE=site, OPENINGS=openings, **database)


def wrk(port, path, headers):
    """Requests a second of 16 clients; all must be answered with what the first is."""
    command = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{SECONDS}s", *(f"-H{name}: {value}" for name, value in headers.items())]
    output = subprocess.run([*command, f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in output and "Socket errors" not in output, output
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def pgbench(server, script, clients, *limits):
    """Transactions a second, and milliseconds of one."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        command = ["pgbench", "--no-vacuum", "-M", "prepared", "-c", str(clients), "-j1", "-f", file.name, *limits]
        command += ["-h", server.socket_dir, "-U", "postgres", "tradebahi"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"tps = ([\d.]+)", output)[1]), float(re.search(r"latency average = ([\d.]+)", output)[1])


def psql(server, command, **pipes):
    subprocess.run(["psql", "-qX", "-h", server.socket_dir, "-U", "postgres", "-d", "tradebahi", "-c", command], check=True, **pipes)


def settle(server):
    """After many new rows: autovacuum would else do it while we measure, and plans be guesses until then."""
    psql(server, "vacuum analyze")


def compare(rounds, work, unit, ours, *others):
    """`others` are (name, measure, aim)."""
    figures = imports.turns(rounds, {"": ours, **{name: measure for name, measure, _ in others}})
    for name, _, aim in others:
        table.note(work, unit, figures[""], name, figures[name], aim)
    print(f"| {work} | " + ", ".join(f"{name or 'ours'} {statistics.median(took):,.2f}" for name, took in figures.items()) + " |")


def importing(server, peer, session, rows, rounds):
    path = imports.make(rows)
    body, content_type = upload_form(path)
    held = {"ours": [], "peer": []}

    def ours():
        seconds, added, peak = server.upload(path, server.trader())
        assert added == rows, added
        held["ours"].append((peak.server + peak.idle + peak.child) / MIB)
        return seconds

    def theirs():
        headers = {**server.trader(), "content-type": content_type}
        with Peak(peer.watched) as peak:
            started = time.perf_counter()
            status, reply = peer.call("POST", "/uploadexcel", body, headers)
            seconds = time.perf_counter() - started
        assert status == 200 and json.loads(reply)["added"] == rows, reply
        held["peer"].append((peak.server + peak.idle) / MIB)
        return seconds

    server.upload(path, session)
    copied = os.path.join(HOME, "rows.copy")
    with open(copied, "wb") as file:
        psql(server, f"copy (select * from trades.trade where account_id = '{sub(session)}') to stdout binary", stdout=file)
    psql(server, "create table peer.copied (like trades.trade including all)")

    def copy():
        psql(server, "truncate peer.copied")
        with open(copied, "rb") as file:
            started = time.perf_counter()
            psql(server, "copy peer.copied from stdin binary", stdin=file)
            return time.perf_counter() - started

    work = f"import of {rows:,} rows of XLSX, sent to stored"
    floor = lambda: max(imports.read_alone(path)[0], copy())
    least = lambda: max(imports.inflate_alone(path), copy())
    compare(rounds, work, "s", ours, ("FastAPI, pandas (calamine), asyncpg COPY", theirs, "≤ 0.35"),
            ("our reading alone or COPY alone, whichever takes longer", floor, "≤ 1.5"),
            ("floor: inflate alone or COPY alone, whichever takes longer", least, ""))
    table.note("memory in it, of the server and of its child that reads", "MiB", held["ours"], "the same", held["peer"], "≤ 0.30")


def reading(server, stack, node, session, rows, rounds):
    path, page = "/trades/client", "/trades/client?limit=100"
    tag = json.loads(server.call("GET", page, headers=session)[1]) and etag(server, path, session)
    theirs = etag(node, path, session)
    script = PAGE.format(account=sub(session))
    compare(rounds, f"a page of 100 trades, {CLIENTS} clients", "/s",
            lambda: wrk(server.port, page, session),
            ("FastAPI, asyncpg, orjson", lambda: wrk(stack.port, page, session), "≥ 1"),
            ("Express, node-postgres", lambda: wrk(node.port, page, session), "≥ 1"),
            ("floor: pgbench of the query", lambda: pgbench(server, script, CLIENTS, f"-T{SECONDS}")[0], "≥ 0.6"))
    compare(rounds, "the log has not changed (304)", "/s",
            lambda: wrk(server.port, path, {**session, "if-none-match": tag}),
            ("Express, node-postgres", lambda: wrk(node.port, path, {**session, "if-none-match": theirs}), "≥ 3"))
    copy = f"copy (select * from trades.trade where account_id = '{sub(session)}' order by executed_at, trade_id) to stdout binary"
    compare(rounds, f"the whole log of {rows:,} trades", "s",
            lambda: server.read_all(session)[1],
            ("FastAPI, asyncpg, orjson", lambda: seconds(lambda: stack.call("GET", path, headers=session)), "≤ 1"),
            ("floor: reading the rows alone", lambda: seconds(lambda: psql(server, copy, stdout=subprocess.DEVNULL)), "≤ 2.5"))


def unchanged(server, session, rows, rounds):
    """The whole log after a change, again, and by the tag that one holds. The second would be cheap if what was written
    for the first were kept."""
    path, figures = "/trades/client", {"changed": [], "again": [], "tagged": []}
    for _ in range(rounds):
        keep_alive(server, "POST", "/trades/add", entries(session, True, 1))
        for name in ("changed", "again"):
            figures[name].append(server.read_all(session)[1] * 1e3)
        held = {**session, "if-none-match": etag(server, path, session)}
        started = time.perf_counter()
        status, _ = server.call("GET", path, headers=held)
        figures["tagged"].append((time.perf_counter() - started) * 1e3)
        assert status == 304, status
    beside, changed = "the first time after a change", figures["changed"]
    work = f"the whole log of {rows:,} trades again, unchanged"
    table.note(f"{work}, sent whole", "ms", figures["again"], beside, changed, "≤ 0.10")
    table.note(f"{work}, asked for with its ETag (304)", "ms", figures["tagged"], beside, changed, "")
    print(f"| {work} | " + ", ".join(f"{name} {statistics.median(took):,.2f}" for name, took in figures.items()) + " |")


def etag(peer, path, session):
    connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=120)
    connection.request("GET", path, headers=session)
    reply = connection.getresponse()
    reply.read()
    return reply.headers["etag"]


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def keep_alive(peer, method, path, requests):
    """Median milliseconds of a request, one after the other on one connection; `requests` are (headers, body)."""
    connection, took = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=120), []
    for headers, body in requests:
        started = time.perf_counter()
        connection.request(method, path, body=body, headers=headers)
        reply = connection.getresponse()
        content = reply.read()
        took.append((time.perf_counter() - started) * 1e3)
        assert 200 <= reply.status < 300, content
    return statistics.median(took)


def entries(session, enveloped, count=200):
    trade = dict(symbol="INFY", price=1500.05, quantity=10, timestamp="2026-06-01T09:15", type="buy", exchange="NSE")
    body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade) if enveloped else trade)
    headers = {**session, "content-type": "application/json", "prefer": "return=minimal"}
    return [(headers, body)] * count


def adding(server, stack, session, rows, rounds):
    """`session` is of an account with so many trades."""
    script = ENTRY.format(account=sub(session))
    add = lambda who: keep_alive(server, "POST", "/trades/add", entries(who, True))
    compare(rounds, f"one more trade in a log of {rows:,}, stored", "ms", lambda: add(session),
            ("FastAPI, asyncpg", lambda: keep_alive(stack, "POST", "/trades/add", entries(session, False)), "≤ 1"),
            ("floor: pgbench of the same writes", lambda: pgbench(server, script, 1, "-t200")[1], "≤ 2"))
    (_, large), (_, small) = (imports.fill(server, trades) for trades in (10 * rows, 1_000))
    settle(server)
    compare(rounds, f"one more trade in a log of {10 * rows:,}, stored", "ms", lambda: add(large),
            ("in one that began with 1,000", lambda: add(small), "≤ 1.2"))


def signing_in(server, stack, rounds):
    for number in range(logins.PEOPLE):
        form = json.dumps(dict(email=logins.person(number), password=logins.PASSWORD))
        status, _ = stack.call("POST", "/auth/register", form, {"content-type": "application/json"})
        assert status == 201, status
    people = [({"content-type": "application/json"}, logins.login(logins.person(number))[1]) for number in range(40)]
    alone = lambda: float(re.search(r": ([\d.]+) ms", subprocess.run(
        ["target/release/examples/hash_cost"], check=True, capture_output=True, text=True).stdout)[1])
    compare(rounds, "a login", "ms", lambda: keep_alive(server, "POST", "/auth/login", people),
            ("FastAPI, argon2-cffi", lambda: keep_alive(stack, "POST", "/auth/login", people), "≤ 1"),
            ("floor: the password's hash alone", alone, "≤ 1.1"))


def public(server, node, rounds):
    page, text = "/job-description/FE101/", "/api/job-description/FE101"
    compare(rounds, "a job as JSON", "/s", lambda: wrk(server.port, text, {}),
            ("Express", lambda: wrk(node.port, text, {}), "≥ 1"))
    with Peer([os.path.join(HOME, "cargo/release/bare_axum"), "{port}"]) as bare:
        compare(rounds, "a job page", "/s", lambda: wrk(server.port, page.rstrip("/"), {}),
                ("Express, express.static", lambda: wrk(node.port, page, {}), "≥ 1"),
                ("floor: axum alone, two letters", lambda: wrk(bare.port, "/livez", {}), ""))
        compare(rounds, "`/livez`, through all layers", "/s", lambda: wrk(server.port, "/livez", {}),
                ("floor: axum alone", lambda: wrk(bare.port, "/livez", {}), "≥ 0.8"))


def applications(server, stack, resumes, rounds, count=40):
    resume, number = applying.pdf(1_000_000), iter(range(10_000, 10_000_000))
    headers = {"content-type": "multipart/form-data; boundary=x"}
    send = lambda peer: keep_alive(peer, "POST", "/api/apply/FE101", ((headers, applying.form(next(number), resume)) for _ in range(count)))
    insert = "insert into peer.application (id, email, resume) values (gen_random_uuid(), 'a', 'b');"

    def floor():
        took = []
        for _ in range(count):
            started = time.perf_counter()
            with open(os.path.join(resumes, "floor"), "wb") as file:
                file.write(resume)
                file.flush()
                os.fsync(file.fileno())
            took.append((time.perf_counter() - started) * 1e3)
        return statistics.median(took) + pgbench(server, insert, 1, f"-t{count}")[1]

    compare(rounds, "an application with a resume of 1 MB", "ms", lambda: send(server),
            ("FastAPI, which looks at its first and last bytes", lambda: send(stack), "≤ 1.5"),
            ("floor: the file and a row, on disk", floor, "≤ 3"))


def starting(server, rounds):
    """From the start of the process to its first answer, with a database that runs; then what it holds at rest."""
    held = {"ours": [], "express": []}
    url = f"postgres://postgres@localhost/tradebahi?host={server.socket_dir.replace('/', '%2F')}"

    def start(peer, whose):
        with peer as started:
            time.sleep(1)
            held[whose].append(started.watched.memory_info().rss / MIB)
        return started.start * 1e3

    with tempfile.TemporaryDirectory() as data:
        command = [os.path.abspath("target/release/tradebahi"), "serve", "--database-url", url, "--data-dir", data]
        command += ["--listen", "127.0.0.1:{port}", "--grpc-listen", f"127.0.0.1:{free_port()}", "--log-format", "json"]
        ours = lambda: start(Peer([*command, "--web-dir", os.path.abspath("web/build/client")], TRADEBAHI_LOG="error"), "ours")
        compare(rounds, "from start to the first answer", "ms", ours, ("Express", lambda: start(express(server), "express"), "≤ 0.25"))
    table.note("memory at rest", "MiB", held["ours"], "Express", held["express"], "≤ 0.35")


def figures(server, rows, rounds):
    print("\n### Single requests beside peers\n\n| work | medians |\n|---|---|")
    with tempfile.TemporaryDirectory() as resumes, fastapi(server, resumes) as stack, express(server) as node:
        session = server.trader()
        importing(server, stack, session, rows, rounds)
        # The same log for the peer that has tables of its own.
        body, content_type = upload_form(imports.make(rows))
        stack.call("POST", "/uploadexcel", body, {**session, "content-type": content_type})
        settle(server)
        reading(server, stack, node, session, rows, rounds)
        unchanged(server, session, rows, rounds)
        adding(server, stack, session, rows, rounds)
        signing_in(server, stack, rounds)
        public(server, node, rounds)
        applications(server, stack, resumes, rounds)
        starting(server, rounds)
