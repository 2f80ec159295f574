"""Summary table of all benchmarks. Run as a program, it prints the comparisons that the benchmarks recorded."""

import json
import os
import statistics

FILE = os.path.abspath("target/bench/figures.jsonl")
UNITS = {"s": "{:.2f} s", "ms": "{:.1f} ms", "µs": "{:.1f} µs", "/s": "{:,.0f} per second", "MiB": "{:.0f} MiB"}


def clear():
    open(FILE, "w").close()


def record(work, unit, ours, compared_with, theirs, aim):
    """Records a comparison. `ours` and `theirs` are values of the same rounds, in order. `aim` is the aim of
    ours / theirs, such as "≤ 0.35", or empty."""
    ratio = statistics.median(o / t for o, t in zip(ours, theirs))
    row = dict(work=work, unit=unit, ours=statistics.median(ours), compared_with=compared_with, theirs=statistics.median(theirs))
    with open(FILE, "a") as file:
        file.write(json.dumps(row | dict(ratio=ratio, aim=aim)) + "\n")


def is_reached(ratio, aim):
    bound = float(aim.split()[1])
    return ratio <= bound if aim.startswith("≤") else ratio >= bound


def print_table():
    with open(FILE) as file:
        rows = [json.loads(line) for line in file]
    print("\n### Summary\n")
    print("A floor is the least that the work can cost: decompression, the database, the hash or the disk alone.\n")
    print("| work | ours | compared with | theirs | ours / theirs | aim | |\n|---|---|---|---|---|---|---|")
    for row in rows:
        ours, theirs = (UNITS[row["unit"]].format(row[side]) for side in ("ours", "theirs"))
        ratio = f"{row['ratio']:.2f}" if row["ratio"] >= 0.01 else f"{row['ratio']:.4f}"
        mark = row["aim"] and ("reached" if is_reached(row["ratio"], row["aim"]) else "missed")
        print(f"| {row['work']} | {ours} | {row['compared_with']} | {theirs} | {ratio} | {row['aim']} | {mark} |")


if __name__ == "__main__":
    print_table()
