"""What everything came to, in one table. Run by itself it prints what the parts of the bench noted."""

import json
import os
import statistics

FILE = os.path.abspath("target/bench/figures.jsonl")
UNITS = {"s": "{:.2f} s", "ms": "{:.1f} ms", "µs": "{:.1f} µs", "/s": "{:,.0f} a second", "MiB": "{:.0f} MiB"}


def begin():
    open(FILE, "w").close()


def note(work, unit, ours, beside, theirs, aim):
    """One comparison. `ours` and `theirs` are figures of the same rounds, in turn; `aim` is what ours / theirs should
    be, such as "≤ 0.35"; empty where there is none."""
    ratio = statistics.median(o / t for o, t in zip(ours, theirs))
    row = dict(work=work, unit=unit, ours=statistics.median(ours), beside=beside, theirs=statistics.median(theirs))
    with open(FILE, "a") as file:
        file.write(json.dumps(row | dict(ratio=ratio, aim=aim)) + "\n")


def reached(ratio, aim):
    bound = float(aim.split()[1])
    return ratio <= bound if aim.startswith("≤") else ratio >= bound


def show():
    with open(FILE) as file:
        rows = [json.loads(line) for line in file]
    print("\n### All of it\n")
    print("A floor is the least that the work can cost: what the database, the hash or the disk alone take.\n")
    print("| work | ours | beside | theirs | ours / theirs | aim | |\n|---|---|---|---|---|---|---|")
    for row in rows:
        ours, theirs = (UNITS[row["unit"]].format(row[whose]) for whose in ("ours", "theirs"))
        ratio = f"{row['ratio']:.2f}" if row["ratio"] >= 0.01 else f"{row['ratio']:.4f}"
        mark = row["aim"] and ("reached" if reached(row["ratio"], row["aim"]) else "missed")
        print(f"| {row['work']} | {ours} | {row['beside']} | {theirs} | {ratio} | {row['aim']} | {mark} |")


if __name__ == "__main__":
    show()
