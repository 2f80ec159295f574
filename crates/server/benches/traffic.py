"""Benchmarks of single requests: reads, new trades, logins, pages and applications. Compared with peers on the same rows
of the same Postgres, and with floors such as the database alone."""

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

import applications
import imports
import logins
import table
from server import HERE, HOME, MIB, Peak, free_port, upload_form

CLIENTS = 16
SECONDS = 3
# Query of a page of trades.
PAGE = """
select trade_id, broker_account, segment, side, symbol, quantity, price, value, executed_at, time_precision, exchange, order_id,
       stock_name, notes, psychology, market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike
from trades.trade where account_id = '{account}' order by executed_at desc, trade_id desc limit 101;
"""
# Least writes of a new trade, in one transaction: account, trade, change and book.
ADD_TRADE = """
begin;
update trades.account set next_trade_id = next_trade_id + 1, next_change_id = next_change_id + 1,
    version = version + 1, trade_count = trade_count + 1 where account_id = '{account}'
    returning next_trade_id - 1 as trade, next_change_id - 1 as change \\gset
insert into trades.trade (account_id, trade_id, broker_account, segment, side, symbol, quantity, price, value, executed_at,
    time_precision, exchange) values ('{account}', :trade, 'zerodha', 'equity', 'buy', 'INFY', 10, 1500, 15000, now(),
    'minute', 'NSE');
insert into trades.change (account_id, change_id, broker_account, segment, kind, added, added_count, symbol)
    values ('{account}', :change, 'zerodha', 'equity', 'entry', int8multirange(int8range(:trade, :trade, '[]')), 1, 'INFY');
update trades.book set trade_count = trade_count + 1
    where account_id = '{account}' and broker_account = 'zerodha' and segment = 'equity';
commit;
"""


def account_id(session):
    """Returns the account id of a token."""
    import jwt

    return jwt.decode(session["authorization"].removeprefix("Bearer "), options={"verify_signature": False})["sub"]


def public_key(server):
    import jwt
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    (key, *_) = json.loads(server.call("GET", "/.well-known/jwks.json")[1])["keys"]
    loaded = jwt.algorithms.OKPAlgorithm.from_jwk(json.dumps(key))
    return loaded.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class Peer:
    """Another server that does the same work, as a process."""

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
                sys.exit(f"{command} did not start")
            time.sleep(0.002)
        self.start_seconds = time.perf_counter() - started
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


def start_fastapi(server, resumes):
    python = os.path.join(HOME, "python/bin/python")
    command = [python, "-B", "-m", "uvicorn", "--app-dir", os.path.join(HERE, "peers"), "stack:app", "--port", "{port}"]
    dsn = f"postgresql://postgres@/tradebahi?host={server.socket_dir}"
    return Peer([*command, "--log-level", "warning"], DSN=dsn, JWT_KEY=public_key(server), RESUMES=resumes)


def start_express(server):
    site, openings = os.path.abspath("web/build/client"), os.path.abspath("crates/careers/openings")
    database = dict(PGHOST=server.socket_dir, PGUSER="postgres", PGDATABASE="tradebahi")
    command = ["node", os.path.join(HOME, "express.mjs"), "{port}"]
    return Peer(command, JWT_KEY=public_key(server), SITE=site, OPENINGS=openings, **database)


def wrk(port, path, headers):
    """Returns the requests per second of 16 clients; every response must be successful."""
    command = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{SECONDS}s", *(f"-H{name}: {value}" for name, value in headers.items())]
    output = subprocess.run([*command, f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in output and "Socket errors" not in output, output
    return float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])


def pgbench(server, script, clients, *limits):
    """Returns the transactions per second, and the milliseconds of one."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        command = ["pgbench", "--no-vacuum", "-M", "prepared", "-c", str(clients), "-j1", "-f", file.name, *limits]
        command += ["-h", server.socket_dir, "-U", "postgres", "tradebahi"]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"tps = ([\d.]+)", output)[1]), float(re.search(r"latency average = ([\d.]+)", output)[1])


def psql(server, command, **pipes):
    subprocess.run(["psql", "-qX", "-h", server.socket_dir, "-U", "postgres", "-d", "tradebahi", "-c", command], check=True, **pipes)


def vacuum_analyze(server):
    """Updates statistics after many new rows; otherwise autovacuum would run during the measurement."""
    psql(server, "vacuum analyze")


def compare(rounds, work, unit, ours, *others):
    """Measures and records a comparison. `others` are (name, measure, aim)."""
    figures = imports.run_rounds(rounds, {"": ours, **{name: measure for name, measure, _ in others}})
    for name, _, aim in others:
        table.record(work, unit, figures[""], name, figures[name], aim)
    print(f"| {work} | " + ", ".join(f"{name or 'ours'} {statistics.median(took):,.2f}" for name, took in figures.items()) + " |")


def measure_import(server, peer, session, rows, rounds):
    path = imports.make_tradebook(rows)
    body, content_type = upload_form(path)
    memory = {"ours": [], "peer": []}

    def ours():
        seconds, added, peak = server.upload(path, server.create_account())
        assert added == rows, added
        memory["ours"].append((peak.server + peak.idle + peak.child) / MIB)
        return seconds

    def theirs():
        headers = {**server.create_account(), "content-type": content_type}
        with Peak(peer.watched) as peak:
            started = time.perf_counter()
            status, reply = peer.call("POST", "/uploadexcel", body, headers)
            seconds = time.perf_counter() - started
        assert status == 200 and json.loads(reply)["added"] == rows, reply
        memory["peer"].append((peak.server + peak.idle) / MIB)
        return seconds

    server.upload(path, session)
    copy_file = os.path.join(HOME, "rows.copy")
    with open(copy_file, "wb") as file:
        psql(server, f"copy (select * from trades.trade where account_id = '{account_id(session)}') to stdout binary", stdout=file)
    psql(server, "create table peer.copied (like trades.trade including all)")

    def copy():
        psql(server, "truncate peer.copied")
        with open(copy_file, "rb") as file:
            started = time.perf_counter()
            psql(server, "copy peer.copied from stdin binary", stdin=file)
            return time.perf_counter() - started

    work = f"import of {rows:,} rows of XLSX, sent to stored"
    parse_or_copy = lambda: max(imports.read_only(path)[0], copy())
    inflate_or_copy = lambda: max(imports.inflate_only(path), copy())
    compare(rounds, work, "s", ours, ("FastAPI, pandas (calamine), asyncpg COPY", theirs, "≤ 0.35"),
            ("our parsing alone or COPY alone, whichever takes longer", parse_or_copy, "≤ 1.5"),
            ("floor: inflate alone or COPY alone, whichever takes longer", inflate_or_copy, ""))
    table.record("memory of the server and its parser process", "MiB", memory["ours"], "the same", memory["peer"], "≤ 0.30")


def measure_reads(server, stack, node, session, rows, rounds):
    path, page = "/trades/client", "/trades/client?limit=100"
    tag = json.loads(server.call("GET", page, headers=session)[1]) and etag(server, path, session)
    theirs = etag(node, path, session)
    script = PAGE.format(account=account_id(session))
    compare(rounds, f"a page of 100 trades, {CLIENTS} clients", "/s",
            lambda: wrk(server.port, page, session),
            ("FastAPI, asyncpg, orjson", lambda: wrk(stack.port, page, session), "≥ 1"),
            ("Express, node-postgres", lambda: wrk(node.port, page, session), "≥ 1"),
            ("floor: pgbench of the query", lambda: pgbench(server, script, CLIENTS, f"-T{SECONDS}")[0], "≥ 0.6"))
    compare(rounds, "unchanged log (304)", "/s",
            lambda: wrk(server.port, path, {**session, "if-none-match": tag}),
            ("Express, node-postgres", lambda: wrk(node.port, path, {**session, "if-none-match": theirs}), "≥ 3"))
    copy = f"copy (select * from trades.trade where account_id = '{account_id(session)}' order by executed_at, trade_id) to stdout binary"
    compare(rounds, f"the whole log of {rows:,} trades", "s",
            lambda: server.read_all(session)[1],
            ("FastAPI, asyncpg, orjson", lambda: seconds(lambda: stack.call("GET", path, headers=session)), "≤ 1"),
            ("floor: reading the rows alone", lambda: seconds(lambda: psql(server, copy, stdout=subprocess.DEVNULL)), "≤ 2.5"))


def measure_repeated_reads(server, session, rows, rounds):
    """Measures reads of the whole log: after a change, again, and with its ETag. The second would be fast if the encoded
    log were cached."""
    path, figures = "/trades/client", {"changed": [], "again": [], "with ETag": []}
    for _ in range(rounds):
        median_request_time(server, "POST", "/trades/add", add_trade_requests(session, True, 1))
        for name in ("changed", "again"):
            figures[name].append(server.read_all(session)[1] * 1e3)
        headers = {**session, "if-none-match": etag(server, path, session)}
        started = time.perf_counter()
        status, _ = server.call("GET", path, headers=headers)
        figures["with ETag"].append((time.perf_counter() - started) * 1e3)
        assert status == 304, status
    compared_with, changed = "the first time after a change", figures["changed"]
    work = f"the whole log of {rows:,} trades again, unchanged"
    table.record(f"{work}, sent whole", "ms", figures["again"], compared_with, changed, "≤ 0.10")
    table.record(f"{work}, conditional request with its ETag (304)", "ms", figures["with ETag"], compared_with, changed, "")
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


def median_request_time(peer, method, path, requests):
    """Returns the median milliseconds of sequential requests on one connection; `requests` are (headers, body)."""
    connection, took = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=120), []
    for headers, body in requests:
        started = time.perf_counter()
        connection.request(method, path, body=body, headers=headers)
        reply = connection.getresponse()
        content = reply.read()
        took.append((time.perf_counter() - started) * 1e3)
        assert 200 <= reply.status < 300, content
    return statistics.median(took)


def add_trade_requests(session, has_envelope, count=200):
    trade = dict(symbol="INFY", price=1500.05, quantity=10, timestamp="2026-06-01T09:15", type="buy", exchange="NSE")
    body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade) if has_envelope else trade)
    headers = {**session, "content-type": "application/json", "prefer": "return=minimal"}
    return [(headers, body)] * count


def measure_new_trades(server, stack, session, rows, rounds):
    """Measures new trades; the account of `session` has `rows` trades."""
    script = ADD_TRADE.format(account=account_id(session))
    add = lambda session: median_request_time(server, "POST", "/trades/add", add_trade_requests(session, True))
    compare(rounds, f"one more trade in a log of {rows:,}, stored", "ms", lambda: add(session),
            ("FastAPI, asyncpg", lambda: median_request_time(stack, "POST", "/trades/add", add_trade_requests(session, False)), "≤ 1"),
            ("floor: pgbench of the same writes", lambda: pgbench(server, script, 1, "-t200")[1], "≤ 2"))
    (_, large), (_, small) = (imports.create_log(server, trades) for trades in (10 * rows, 1_000))
    vacuum_analyze(server)
    compare(rounds, f"one more trade in a log of {10 * rows:,}, stored", "ms", lambda: add(large),
            ("in one that began with 1,000", lambda: add(small), "≤ 1.2"))


def measure_logins(server, stack, rounds):
    for number in range(logins.ACCOUNTS):
        form = json.dumps(dict(email=logins.account_email(number), password=logins.PASSWORD))
        status, _ = stack.call("POST", "/auth/register", form, {"content-type": "application/json"})
        assert status == 201, status
    requests = [({"content-type": "application/json"}, logins.login_request(logins.account_email(number))[1]) for number in range(40)]
    hash_only = lambda: float(re.search(r": ([\d.]+) ms", subprocess.run(
        ["target/release/examples/hash_cost"], check=True, capture_output=True, text=True).stdout)[1])
    compare(rounds, "a login", "ms", lambda: median_request_time(server, "POST", "/auth/login", requests),
            ("FastAPI, argon2-cffi", lambda: median_request_time(stack, "POST", "/auth/login", requests), "≤ 1"),
            ("floor: the password's hash alone", hash_only, "≤ 1.1"))


def measure_public_pages(server, node, rounds):
    page, json_path = "/job-description/FE101/", "/api/job-description/FE101"
    compare(rounds, "a job as JSON", "/s", lambda: wrk(server.port, json_path, {}),
            ("Express", lambda: wrk(node.port, json_path, {}), "≥ 1"))
    with Peer([os.path.join(HOME, "cargo/release/bare_axum"), "{port}"]) as bare:
        compare(rounds, "a job page", "/s", lambda: wrk(server.port, page.rstrip("/"), {}),
                ("Express, express.static", lambda: wrk(node.port, page, {}), "≥ 1"),
                ("floor: axum alone, two bytes", lambda: wrk(bare.port, "/livez", {}), ""))
        compare(rounds, "`/livez` through all layers", "/s", lambda: wrk(server.port, "/livez", {}),
                ("floor: axum alone", lambda: wrk(bare.port, "/livez", {}), "≥ 0.8"))


def measure_applications(server, stack, resumes, rounds, count=40):
    resume, number = applications.pdf_with_size(1_000_000), iter(range(10_000, 10_000_000))
    headers = {"content-type": "multipart/form-data; boundary=x"}
    send = lambda peer: median_request_time(peer, "POST", "/api/apply/FE101", ((headers, applications.application_form(next(number), resume)) for _ in range(count)))
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
            ("FastAPI, which checks the first and last bytes only", lambda: send(stack), "≤ 1.5"),
            ("floor: the file and a row, on disk", floor, "≤ 3"))


def measure_start(server, rounds):
    """Measures the time from process start to the first response, with a running database, and the idle memory."""
    memory = {"ours": [], "express": []}
    url = f"postgres://postgres@localhost/tradebahi?host={server.socket_dir.replace('/', '%2F')}"

    def start(peer, name):
        with peer as running:
            time.sleep(1)
            memory[name].append(running.watched.memory_info().rss / MIB)
        return running.start_seconds * 1e3

    with tempfile.TemporaryDirectory() as data:
        command = [os.path.abspath("target/release/tradebahi"), "serve", "--database-url", url, "--data-dir", data]
        command += ["--listen", "127.0.0.1:{port}", "--grpc-listen", f"127.0.0.1:{free_port()}", "--log-format", "json"]
        ours = lambda: start(Peer([*command, "--web-dir", os.path.abspath("web/build/client")], TRADEBAHI_LOG="error"), "ours")
        compare(rounds, "from start to the first response", "ms", ours, ("Express", lambda: start(start_express(server), "express"), "≤ 0.25"))
    table.record("idle memory", "MiB", memory["ours"], "Express", memory["express"], "≤ 0.35")


def measure(server, rows, rounds):
    print("\n### Single requests compared with peers\n\n| work | medians |\n|---|---|")
    with tempfile.TemporaryDirectory() as resumes, start_fastapi(server, resumes) as stack, start_express(server) as node:
        session = server.create_account()
        measure_import(server, stack, session, rows, rounds)
        # FastAPI has its own tables and needs the same log.
        body, content_type = upload_form(imports.make_tradebook(rows))
        stack.call("POST", "/uploadexcel", body, {**session, "content-type": content_type})
        vacuum_analyze(server)
        measure_reads(server, stack, node, session, rows, rounds)
        measure_repeated_reads(server, session, rows, rounds)
        measure_new_trades(server, stack, session, rows, rounds)
        measure_logins(server, stack, rounds)
        measure_public_pages(server, node, rounds)
        measure_applications(server, stack, resumes, rounds)
        measure_start(server, rounds)
