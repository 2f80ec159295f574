"""Reads a file with a peer library: `read.py PEER FILE`. Prints rows, quantity, value, seconds and peak memory.

The time includes reading only, not the start of Python and the loading of the library.
"""

import json
import sys
import time

HEADER_ROW = 14


def pandas(engine):
    import pandas

    def read(path):
        frame = pandas.read_excel(path, engine=engine, header=HEADER_ROW, dtype={"Trade ID": str, "Order ID": str})
        return len(frame), frame["Quantity"].sum(), (frame["Quantity"] * frame["Price"]).sum()

    return read


def pandas_csv():
    import pandas

    def read(path):
        frame = pandas.read_csv(path, dtype={"trade_id": str, "order_id": str})
        return len(frame), frame["quantity"].sum(), (frame["quantity"] * frame["price"]).sum()

    return read


def polars_csv():
    import polars

    def read(path):
        frame = polars.read_csv(path)
        return len(frame), frame["quantity"].sum(), (frame["quantity"] * frame["price"]).sum()

    return read


def polars():
    import polars

    def read(path):
        frame = polars.read_excel(path, engine="calamine", read_options={"header_row": HEADER_ROW})
        return len(frame), frame["Quantity"].sum(), (frame["Quantity"] * frame["Price"]).sum()

    return read


PEERS = {
    "pandas (calamine)": lambda: pandas("calamine"),
    "pandas (openpyxl)": lambda: pandas("openpyxl"),
    "polars (fastexcel)": polars,
    "pandas": pandas_csv,
    "polars": polars_csv,
}

if __name__ == "__main__":
    peer, path = sys.argv[1:]
    read = PEERS[peer]()
    started = time.perf_counter()
    rows, quantity, value = read(path)
    seconds = time.perf_counter() - started
    # From /proc, because the value of getrusage includes the parent process before exec.
    peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) * 1024
    print(json.dumps(dict(rows=int(rows), quantity=float(quantity), value=float(value), seconds=seconds, peak=peak)))
