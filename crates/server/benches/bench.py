"""Benchmarks of TradeBahi and of peers in the same run: `bench.py [--rounds N] [--rows N] [--parts …]`.

All contenders do the same work: their row count, quantity and value must be equal. Contenders alternate within a round,
and each round starts with another contender.
"""

import argparse
import os
import platform
import time

import analytics
import applications
import imports
import logins
import table
import traffic
from server import Peak, Server

PARTS = ["imports", "growth", "analytics", "at-once", "traffic", "load"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    options = arguments.parse_args()
    rows, rounds, parts = options.rows, options.rounds, options.parts
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
    table.clear()
    with Server() as server:
        if "imports" in parts:
            imports.compare_with_peers(server, rows, rounds)
        if "growth" in parts:
            imports.measure_growth(server, [1_000, 10_000, rows, 5 * rows, 10 * rows], rounds)
        if "analytics" in parts:
            sizes = [10_000, rows, 5 * rows, *([analytics.MAX_TRADES] if rows == 100_000 else [])]
            analytics.measure(server, sizes, rounds)
        if "at-once" in parts:
            imports.measure_concurrent_imports(server, rows)
        if "load" in parts:
            logins.print_hash_cost()
            logins.register_accounts(server)
            logins.compare_wrong_password_and_unknown_account(server)
            logins.under_load(server, Peak(server.watched))
            applications.under_load(server, Peak(server.watched))
    if "traffic" in parts:
        # Otherwise the rate limits would be measured.
        with Server("--rate-limits", "off") as server:
            logins.register_accounts(server)
            traffic.measure(server, rows, rounds)
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
