"""Benchmarks of imports: compared with peers that only read, growth with the file size, and concurrent imports."""

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

# Maximum number of rows per file.
MAX_FILE_ROWS = 500_000
WHOLE = "**TradeBahi, the whole import**"
READING = "**TradeBahi, reading**"


def peer_commands(path):
    """Returns the commands that read the file and print its sums and their time."""
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


def make_tradebook(rows, kind="xlsx", skip=0):
    """Creates a tradebook of `rows` rows without the first `skip`; returns its path."""
    path = os.path.join(HOME, f"tradebook-{rows}{f'-{skip}' if skip else ''}.{kind}")
    if not os.path.exists(path):
        command = ["target/release/examples/make_tradebook", "zerodha", str(rows), path, str(skip)]
        subprocess.run(command, check=True)
    return path


def create_log(server, rows):
    """Creates an account with `rows` trades from one or more files; returns the seconds of all imports and the session."""
    session, seconds = server.create_account(), 0
    for start in range(0, rows, MAX_FILE_ROWS):
        took, added, _ = server.upload(make_tradebook(min(start + MAX_FILE_ROWS, rows), skip=start), session)
        assert added == min(MAX_FILE_ROWS, rows - start), added
        seconds += took
    return seconds, session


def run_rounds(rounds, contenders):
    """Runs every contender once per round, each round in another order; returns their results."""
    results = {name: [] for name in contenders}
    for round_number in range(rounds):
        for name in rotate(list(contenders), round_number):
            results[name].append(contenders[name]())
    return results


def rotate(names, count):
    start = count % len(names)
    return names[start:] + names[:start]


def read_only(path):
    """Runs `tradebahi import`, which parses and validates a file and stores nothing. Returns the seconds of the whole
    process, the number of trades, and the peak memory with the parser process."""
    started = time.perf_counter()
    process = subprocess.Popen([SERVER, "import", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with Peak(psutil.Process(process.pid)) as peak:
        reply, _ = process.communicate()
    seconds = time.perf_counter() - started
    assert process.returncode == 0, process.returncode
    return seconds, json.loads(reply)["trades"], peak.idle + peak.server + peak.child


def inflate_only(path):
    """Returns the seconds that zlib takes to decompress a workbook."""
    started = time.perf_counter()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as part:
                while part.read(1 << 20):
                    pass
    return time.perf_counter() - started


def compare_file_with_peers(server, rows, rounds, kind):
    path = make_tradebook(rows, kind)
    contenders = peer_commands(path)
    figures = {name: [] for name in [WHOLE, READING, *contenders]}
    peaks, sums = {}, {}
    for round_number in range(rounds):
        for name in rotate(list(figures), round_number):
            if name == WHOLE:
                session = server.create_account()
                seconds, added, peak = server.upload(path, session)
                assert added == rows, added
                peaks[name] = peak.server + peak.child
                if round_number == 0:
                    trades = server.read_all(session)[2]
                    sums[name] = (len(trades), sum(t["quantity"] for t in trades), sum(t["value"] for t in trades))
            elif name == READING:
                seconds, trades, peaks[name] = read_only(path)
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
        table.record("reading 100,000 rows of XLSX", "s", figures[READING], "polars (fastexcel)", figures["polars (fastexcel)"], "≤ 0.95")
        table.record("memory", "MiB", [peaks[READING] / MIB], "the same", [peaks["polars (fastexcel)"] / MIB], "≤ 0.40")

    print(f"\n### {rows:,} rows, {os.path.getsize(path) / MIB:.1f} MiB of {kind.upper()}; rounds: {rounds}\n")
    print("| | time | range | rows per second | ours / theirs | peak memory |\n|---|---|---|---|---|---|")
    for name in sorted(figures, key=lambda name: statistics.median(figures[name])):
        seconds = figures[name]
        middle = statistics.median(seconds)
        ratio = "" if "TradeBahi" in name else f"{statistics.median(o / f for o, f in zip(figures[WHOLE], seconds)):.2f}"
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        print(f"| {name} | {middle:.2f} s | {spread} | {rows / middle:,.0f} | {ratio} | {peaks[name] / MIB:.0f} MiB |")


def measure_growth(server, sizes, rounds):
    few, many = sizes[1], sizes[-1]

    def measure(rows):
        seconds, session = create_log(server, rows)
        first, last, log = server.read_all(session)
        assert len(log) == rows, len(log)
        return seconds, first, last

    figures = run_rounds(rounds, {rows: lambda rows=rows: measure(rows) for rows in sizes})
    print(f"\n### Growth; rounds: {rounds}\n")
    print(f"A file holds at most {MAX_FILE_ROWS:,} rows. More rows are several files, imported one after the other; their times are added.\n")
    print("| rows | import | per row | whole log: first byte | last byte |\n|---|---|---|---|---|")
    row_count = lambda rows: f"{rows:,} rows" + (f" in {-(-rows // MAX_FILE_ROWS)} files" if rows > MAX_FILE_ROWS else "")
    for rows, took in figures.items():
        seconds, first, last = map(statistics.median, zip(*took))
        print(f"| {row_count(rows)} | {seconds:.3f} s | {seconds / rows * 1e6:.1f} µs | {first * 1e3:.0f} ms | {last * 1e3:.0f} ms |")
    per_row = lambda rows: [seconds / rows * 1e6 for seconds, *_ in figures[rows]]
    table.record(f"import of {row_count(many)}, time per row", "µs", per_row(many), f"import of {row_count(few)}", per_row(few), "≤ 1.5")


def measure_concurrent_imports(server, rows, imports=12):
    """Imports for several accounts at the same time, while another account reads pages of a log of that size."""
    path = make_tradebook(rows)
    reader = server.create_account()
    server.upload(path, reader)
    sessions = [server.create_account() for _ in range(imports)]
    reads, rejections, done = [], [], threading.Event()

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
        with concurrent.futures.ThreadPoolExecutor(imports) as executor:
            added = [result[1] for result in executor.map(lambda session: server.upload(path, session, rejections), sessions)]
        seconds = time.perf_counter() - started
    finally:
        done.set()
        thread.join()
    assert added == [rows] * imports, added
    reads.sort()
    percentile = lambda share: reads[min(len(reads) - 1, int(len(reads) * share))] * 1e3
    print(f"\n### {imports} simultaneous imports of {rows:,} rows\n")
    print(f"All stored after {seconds:.1f} s; rejected with 503 and retried: {len(rejections)}. Meanwhile {len(reads):,} pages of 100 trades of a log of {rows:,}: ", end="")
    print(f"median {percentile(0.5):.0f} ms, p99 {percentile(0.99):.0f} ms.")


def compare_with_peers(server, rows, rounds):
    print("\nThe whole import is sent over HTTP, parsed, validated, stored durably (fsync on) and answered; its memory is the")
    print("growth of the server plus its parser process. The peers only read the file into memory, without process start;")
    print("our reading includes it.")
    # A CSV file with more rows would exceed the upload limit.
    for kind, factor in [("xlsx", 5), ("csv", 2)]:
        for size in (1_000, 10_000, rows):
            compare_file_with_peers(server, size, rounds, kind)
        compare_file_with_peers(server, factor * rows, 1, kind)
