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
        head += '--x\r\ncontent-disposition: form-data; name="file"; filename="t.xlsx"\r\n\r\n'
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
            self.server = max(self.server, self.process.memory_info().rss - self.idle)
            for child in self.process.children():
                try:
                    if {"parse-file", "check-resume"} & set(child.cmdline()):
                        self.child = max(self.child, child.memory_info().rss)
                except psutil.Error:
                    pass
            time.sleep(0.005)

    def __exit__(self, *_):
        self.stopping = True
        self.thread.join()


def peers(path):
    python = [os.path.join(HOME, "python/bin/python"), "-B", os.path.join(HERE, "read.py")]
    node = ["node", "--max-old-space-size=4096", os.path.join(HOME, "read.mjs")]
    return {
        "polars (fastexcel), reading alone": [*python, "polars (fastexcel)", path],
        "pandas (calamine), reading alone": [*python, "pandas (calamine)", path],
        "pandas (openpyxl), reading alone": [*python, "pandas (openpyxl)", path],
        "exceljs (streaming), reading alone": [*node, "exceljs", path],
        "SheetJS, reading alone": [*node, "sheetjs", path],
    }


def make(rows):
    path = os.path.join(HOME, f"tradebook-{rows}.xlsx")
    if not os.path.exists(path):
        subprocess.run(["target/release/examples/make_tradebook", "zerodha", str(rows), path], check=True)
    return path


def row(name, figures, ours):
    middle = statistics.median(figures)
    ratio = "" if name.startswith("TradeBahi") else f"{statistics.median(o / f for o, f in zip(ours, figures)):.2f}"
    return f"| {name} | {middle:.2f} s | {min(figures):.2f}–{max(figures):.2f} | {ratio} |"


def import_beside_peers(server, rows, rounds):
    path = make(rows)
    contenders = peers(path)
    ours = f"TradeBahi, the whole import"
    figures = {name: [] for name in [ours, *contenders]}
    peaks, sums = {}, {}
    for turn in range(rounds):
        order = list(figures)
        order = order[turn % len(order):] + order[:turn % len(order)]
        for name in order:
            if name == ours:
                session = server.trader()
                seconds, added, peak = server.upload(path, session)
                assert added == rows, added
                peaks[name] = peak
                if turn == 0:
                    trades = server.read_all(session)[2]
                    sums[name] = (len(trades), sum(t["quantity"] for t in trades), sum(t["value"] for t in trades))
            else:
                result = json.loads(subprocess.run(contenders[name], check=True, capture_output=True).stdout)
                seconds, peaks[name] = result["seconds"], result["peak"]
                sums[name] = (result["rows"], result["quantity"], result["value"])
            figures[name].append(seconds)
    rows_, quantity, value = sums[ours]
    for name, (r, q, v) in sums.items():
        assert (r, q) == (rows_, quantity) and abs(v - value) < 1 + value * 1e-9, (name, sums)

    print(f"\n### Import of {rows:,} rows, {os.path.getsize(path) / MIB:.1f} MiB of XLSX\n")
    print("The whole import is: sent over HTTP, read, checked, stored durably, answered.\n")
    print("| | median | range | ours / theirs |\n|---|---|---|---|")
    for name in sorted(figures, key=lambda name: statistics.median(figures[name])):
        print(row(name, figures[name], figures[ours]))
    peak = peaks.pop(ours)
    print(f"\nMemory: server +{peak.server / MIB:.0f} MiB above idle, reading child {peak.child / MIB:.0f} MiB; ", end="")
    print(", ".join(f"{name.split(',')[0]} {peak / MIB:.0f} MiB" for name, peak in peaks.items()) + ".")


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
        import_beside_peers(server, options.rows, options.rounds)
        growth(server, [1_000, 10_000, options.rows], options.rounds)
        analytics.figures(server, [10_000, options.rows], make, options.rounds)
        at_once(server, options.rows)
        logins.hash_cost()
        logins.register_people(server)
        logins.known_and_unknown(server)
        logins.under_load(server, Peak(server.watched))
        applying.under_load(server, Peak(server.watched))
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
