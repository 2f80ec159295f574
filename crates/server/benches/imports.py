"""Imports beside peers that only read, how cost grows, and many imports at once."""

import concurrent.futures
import json
import os
import statistics
import subprocess
import threading
import time
import zipfile

import psutil

import table
from server import HERE, HOME, MIB, SERVER, Peak

# A file holds half a million rows at most.
FILE = 500_000
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


def fill(server, rows):
    """An account with so many trades, of one file or more: the seconds of all the files, and who owns it."""
    session, seconds = server.trader(), 0
    for start in range(0, rows, FILE):
        took, added, _ = server.upload(make(min(start + FILE, rows), without=start), session)
        assert added == min(FILE, rows - start), added
        seconds += took
    return seconds, session


def turns(rounds, contenders):
    """Every contender once a round, another one first each time."""
    figures = {name: [] for name in contenders}
    for turn in range(rounds):
        names = list(contenders)
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            figures[name].append(contenders[name]())
    return figures


def read_alone(path):
    """`tradebahi import`, which reads and checks a file and stores nothing: seconds of the whole process, trades, and
    the most memory that it and its child held."""
    started = time.perf_counter()
    process = subprocess.Popen([SERVER, "import", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with Peak(psutil.Process(process.pid)) as peak:
        reply, _ = process.communicate()
    seconds = time.perf_counter() - started
    assert process.returncode == 0, process.returncode
    return seconds, json.loads(reply)["trades"], peak.idle + peak.server + peak.child


def inflate_alone(path):
    """Seconds that zlib takes to unpack what is in a workbook."""
    started = time.perf_counter()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as part:
                while part.read(1 << 20):
                    pass
    return time.perf_counter() - started


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

    if rows == 100_000 and kind == "xlsx":
        table.note("reading 100,000 rows of XLSX", "s", figures[ALONE], "polars (fastexcel)", figures["polars (fastexcel)"], "≤ 0.95")
        table.note("its memory", "MiB", [peaks[ALONE] / MIB], "the same", [peaks["polars (fastexcel)"] / MIB], "≤ 0.40")

    print(f"\n### {rows:,} rows, {os.path.getsize(path) / MIB:.1f} MiB of {kind.upper()}; rounds: {rounds}\n")
    print("| | time | range | rows a second | ours / theirs | peak memory |\n|---|---|---|---|---|---|")
    for name in sorted(figures, key=lambda name: statistics.median(figures[name])):
        seconds = figures[name]
        middle = statistics.median(seconds)
        ratio = "" if "TradeBahi" in name else f"{statistics.median(o / f for o, f in zip(figures[WHOLE], seconds)):.2f}"
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        print(f"| {name} | {middle:.2f} s | {spread} | {rows / middle:,.0f} | {ratio} | {peaks[name] / MIB:.0f} MiB |")


def growth(server, sizes, rounds):
    few, many = sizes[1], sizes[-1]

    def measure(rows):
        seconds, session = fill(server, rows)
        first, last, log = server.read_all(session)
        assert len(log) == rows, len(log)
        return seconds, first, last

    figures = turns(rounds, {rows: lambda rows=rows: measure(rows) for rows in sizes})
    print(f"\n### Growth; rounds: {rounds}\n")
    print(f"A file holds {FILE:,} rows at most: more are several files into one log, one after the other, their times added.\n")
    print("| rows | import | per row | whole log: first byte | last byte |\n|---|---|---|---|---|")
    name = lambda rows: f"{rows:,}" + (f" in {-(-rows // FILE)} files" if rows > FILE else "")
    for rows, took in figures.items():
        seconds, first, last = map(statistics.median, zip(*took))
        print(f"| {name(rows)} | {seconds:.3f} s | {seconds / rows * 1e6:.1f} µs | {first * 1e3:.0f} ms | {last * 1e3:.0f} ms |")
    of_a_row = lambda rows: [seconds / rows * 1e6 for seconds, *_ in figures[rows]]
    table.note(f"import, time of a row, of {name(many)}", "µs", of_a_row(many), f"of {name(few)}", of_a_row(few), "≤ 1.5")


def at_once(server, rows, imports=12):
    """Imports of as many traders at the same moment, while another reads pages of a log as long as theirs."""
    path = make(rows)
    reader = server.trader()
    server.upload(path, reader)
    sessions = [server.trader() for _ in range(imports)]
    reads, turned_away, done = [], [], threading.Event()

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
            added = [result[1] for result in traders.map(lambda session: server.upload(path, session, turned_away), sessions)]
        seconds = time.perf_counter() - started
    finally:
        done.set()
        thread.join()
    assert added == [rows] * imports, added
    reads.sort()
    at = lambda share: reads[min(len(reads) - 1, int(len(reads) * share))] * 1e3
    print(f"\n### {imports} imports of {rows:,} rows at once\n")
    print(f"All stored after {seconds:.1f} s; told to come again: {len(turned_away)}. Pages of 100 of a log of {rows:,} trades meanwhile ({len(reads):,} of them): ", end="")
    print(f"median {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms.")


def beside_peers(server, rows, rounds):
    print("\nThe whole import is sent over HTTP, read, checked, stored durably and answered; its memory is what the server")
    print("grew by, and its child. Theirs is reading into memory, without the time to start; ours alone with it.")
    # More rows of CSV would be a larger file than is taken.
    for kind, most in [("xlsx", 5), ("csv", 2)]:
        for size in (1_000, 10_000, rows):
            import_beside_peers(server, size, rounds, kind)
        import_beside_peers(server, most * rows, 1, kind)
