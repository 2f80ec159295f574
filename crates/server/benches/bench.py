"""Figures beside peers on the same work, in the same run: `bench.py [--rounds N] [--rows N]`.

What is compared does the same work: count, quantity and value of every contender must agree. Contenders take turns
within a round, and the turn rotates from round to round.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import psutil

import analytics
import applying
import logins

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.abspath("target/bench")
SERVER = os.path.abspath("target/release/tradebahi")
MIB = 1024 * 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The product as a user runs it: its own Postgres, fsync on."""

    def __enter__(self):
        self.data = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.process = subprocess.Popen(
            [SERVER, "serve", "--data-dir", self.data.name, "--listen", f"127.0.0.1:{self.port}"]
            + ["--grpc-listen", f"127.0.0.1:{free_port()}"],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    break
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit("the server does not start")
            time.sleep(0.05)
        self.watched = psutil.Process(self.process.pid)
        self.traders = 0
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.data.cleanup()

    def call(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body=body, headers=headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def database(self):
        """How psycopg reaches the server's own Postgres."""
        # Of root it lies elsewhere than in the data directory, so its own process is asked.
        commands = [child.cmdline() for child in self.watched.children(recursive=True)]
        [home] = [command[command.index("-D") + 1] for command in commands if "-D" in command]
        with open(os.path.join(home, "postmaster.pid")) as lines:
            lines = lines.read().splitlines()
        return f"host={lines[4]} port={lines[3]} user=postgres dbname=tradebahi"

    def trader(self):
        """A new account; its Authorization header."""
        self.traders += 1
        json_type = {"content-type": "application/json"}
        email, password = f"bench{self.traders}@example.in", "correct horse battery"
        form = dict(name="Bench", email=email, phone=f"98{self.traders:08}", password=password, confirmPassword=password)
        status, reply = self.call("POST", "/auth/register", json.dumps(form), json_type)
        assert status == 201, reply
        status, reply = self.call("POST", "/auth/login", json.dumps(dict(email=email, password=password)), json_type)
        return {"authorization": "Bearer " + json.loads(reply)["data"]["token"]}

    def upload(self, path, session):
        """Imports a workbook in one request: from its first byte sent to the answer that it is stored."""
        with open(path, "rb") as file:
            content = file.read()
        head = "".join(
            f'--x\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in [("broker", "zerodha"), ("tradetype", "equity")]
        )
        head += '--x\r\ncontent-disposition: form-data; name="file"; filename="t"\r\n\r\n'
        body = head.encode() + content + b"\r\n--x--\r\n"
        headers = {**session, "content-type": "multipart/form-data; boundary=x", "prefer": "return=minimal"}
        with Peak(self.watched) as peak:
            started = time.perf_counter()
            status, reply = self.call("POST", "/uploadexcel", body, headers)
            seconds = time.perf_counter() - started
        assert status == 200, reply
        return seconds, json.loads(reply)["import"]["added"], peak

    def read_all(self, session):
        """Reads the whole log; seconds to the first byte of the body, to the last, and the log."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        started = time.perf_counter()
        connection.request("GET", "/trades/client", headers=session)
        reply = connection.getresponse()
        body = reply.read(1)
        first = time.perf_counter() - started
        body += reply.read()
        return first, time.perf_counter() - started, json.loads(body)["trades"]


class Peak:
    """Samples what a process and the children that read files hold."""

    def __init__(self, process):
        self.process, self.server, self.child = process, 0, 0

    def __enter__(self):
        self.idle = self.process.memory_info().rss
        self.stopping = False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.stopping:
            try:
                self.server = max(self.server, self.process.memory_info().rss - self.idle)
                for child in self.process.children():
                    if {"parse-file", "check-resume"} & set(child.cmdline()):
                        self.child = max(self.child, child.memory_info().rss)
            except psutil.Error:
                pass
            time.sleep(0.005)

    def __exit__(self, *_):
        self.stopping = True
        self.thread.join()


WHOLE = "**TradeBahi, the whole import**"
ALONE = "**TradeBahi, reading alone**"


def peers(path):
    """Commands that read the file and print what they found and how long that took."""
    python = [os.path.join(HOME, "python/bin/python"), "-B", os.path.join(HERE, "read.py")]
    node = ["node", "--max-old-space-size=8192", os.path.join(HOME, "read.mjs")]
    if path.endswith(".csv"):
        return {"polars": [*python, "polars", path], "pandas": [*python, "pandas", path]}
    return {
        "polars (fastexcel)": [*python, "polars (fastexcel)", path],
        "pandas (calamine)": [*python, "pandas (calamine)", path],
        "pandas (openpyxl)": [*python, "pandas (openpyxl)", path],
        "exceljs (streaming)": [*node, "exceljs", path],
        "SheetJS": [*node, "sheetjs", path],
    }


def make(rows, kind="xlsx", without=0):
    """A tradebook of so many rows, without the first of them."""
    path = os.path.join(HOME, f"tradebook-{rows}{f'-{without}' if without else ''}.{kind}")
    if not os.path.exists(path):
        maker = ["target/release/examples/make_tradebook", "zerodha", str(rows), path, str(without)]
        subprocess.run(maker, check=True)
    return path


def read_alone(path):
    """`tradebahi import`, which reads and checks a file and stores nothing: seconds of the whole process, trades, and
    the most memory that the child held which read it."""
    started = time.perf_counter()
    process = subprocess.Popen([SERVER, "import", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with Peak(psutil.Process(process.pid)) as peak:
        reply, _ = process.communicate()
    seconds = time.perf_counter() - started
    assert process.returncode == 0, process.returncode
    return seconds, json.loads(reply)["trades"], peak.child


def import_beside_peers(server, rows, rounds, kind):
    path = make(rows, kind)
    contenders = peers(path)
    figures = {name: [] for name in [WHOLE, ALONE, *contenders]}
    peaks, sums = {}, {}
    for turn in range(rounds):
        order = list(figures)
        order = order[turn % len(order):] + order[:turn % len(order)]
        for name in order:
            if name == WHOLE:
                session = server.trader()
                seconds, added, peak = server.upload(path, session)
                assert added == rows, added
                peaks[name] = peak.server + peak.child
                if turn == 0:
                    trades = server.read_all(session)[2]
                    sums[name] = (len(trades), sum(t["quantity"] for t in trades), sum(t["value"] for t in trades))
            elif name == ALONE:
                seconds, trades, peaks[name] = read_alone(path)
                assert trades == rows, trades
            else:
                result = json.loads(subprocess.run(contenders[name], check=True, capture_output=True).stdout)
                seconds, peaks[name] = result["seconds"], result["peak"]
                sums[name] = (result["rows"], result["quantity"], result["value"])
            figures[name].append(seconds)
    rows_, quantity, value = sums[WHOLE]
    for name, (r, q, v) in sums.items():
        assert (r, q) == (rows_, quantity) and abs(v - value) < 1 + value * 1e-9, (name, sums)

    print(f"\n### {rows:,} rows, {os.path.getsize(path) / MIB:.1f} MiB of {kind.upper()}; rounds: {rounds}\n")
    print("| | time | range | rows a second | ours / theirs | peak memory |\n|---|---|---|---|---|---|")
    for name in sorted(figures, key=lambda name: statistics.median(figures[name])):
        seconds = figures[name]
        middle = statistics.median(seconds)
        ratio = "" if "TradeBahi" in name else f"{statistics.median(o / f for o, f in zip(figures[WHOLE], seconds)):.2f}"
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        print(f"| {name} | {middle:.2f} s | {spread} | {rows / middle:,.0f} | {ratio} | {peaks[name] / MIB:.0f} MiB |")


def growth(server, sizes, rounds):
    print("\n### Growth\n\n| rows | import | per row | whole log: first byte | last byte |\n|---|---|---|---|---|")
    for rows in sizes:
        path = make(rows)
        imports, firsts, lasts = [], [], []
        for _ in range(rounds):
            session = server.trader()
            imports.append(server.upload(path, session)[0])
            first, last, _ = server.read_all(session)
            firsts.append(first)
            lasts.append(last)
        seconds, first, last = map(statistics.median, (imports, firsts, lasts))
        print(f"| {rows:,} | {seconds:.3f} s | {seconds / rows * 1e6:.1f} µs | {first * 1e3:.0f} ms | {last * 1e3:.0f} ms |")


def at_once(server, rows, imports=12):
    """Imports of as many traders at the same moment, while another reads pages of a log as long as theirs."""
    path = make(rows)
    reader = server.trader()
    server.upload(path, reader)
    sessions = [server.trader() for _ in range(imports)]
    reads, done = [], threading.Event()

    def read():
        while not done.is_set():
            started = time.perf_counter()
            status, reply = server.call("GET", "/trades/client?limit=100", headers=reader)
            assert status == 200, reply
            reads.append(time.perf_counter() - started)

    thread = threading.Thread(target=read)
    thread.start()
    started = time.perf_counter()
    try:
        with concurrent.futures.ThreadPoolExecutor(imports) as traders:
            added = [result[1] for result in traders.map(lambda session: server.upload(path, session), sessions)]
        seconds = time.perf_counter() - started
    finally:
        done.set()
        thread.join()
    assert added == [rows] * imports, added
    reads.sort()
    at = lambda share: reads[min(len(reads) - 1, int(len(reads) * share))] * 1e3
    print(f"\n### {imports} imports of {rows:,} rows at once\n")
    print(f"All stored after {seconds:.1f} s. Pages of 100 of a log of {rows:,} trades meanwhile ({len(reads):,} of them): ", end="")
    print(f"median {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms.")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--rows", type=int, default=100_000)
    options = arguments.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
    with Server() as server:
        print("\nThe whole import is sent over HTTP, read, checked, stored durably and answered; its memory is what the server")
        print("grew by, and its child. Theirs is reading into memory, without the time to start; ours alone with it.")
        # More rows of CSV would be a larger file than is taken.
        for kind, most in [("xlsx", 5), ("csv", 2)]:
            for rows, rounds in [(1_000, options.rounds), (10_000, options.rounds), (options.rows, options.rounds)]:
                import_beside_peers(server, rows, rounds, kind)
            import_beside_peers(server, most * options.rows, 1, kind)
        growth(server, [1_000, 10_000, options.rows, 5 * options.rows], options.rounds)
        sizes = [10_000, options.rows, 5 * options.rows, analytics.MOST if options.rows == 100_000 else 0]
        analytics.figures(server, [rows for rows in sizes if rows], make, options.rounds)
        at_once(server, options.rows)
        logins.hash_cost()
        logins.register_people(server)
        logins.known_and_unknown(server)
        logins.under_load(server, Peak(server.watched))
        applying.under_load(server, Peak(server.watched))
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
