"""Figures beside peers on the same work, in the same run: `bench.py [--rounds N] [--rows N] [--parts …]`.

What is compared does the same work: count, quantity and value of every contender must agree. Contenders take turns
within a round, and the turn rotates from round to round.
"""

import argparse
import os
import platform
import time

import analytics
import applying
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
    table.begin()
    with Server() as server:
        if "imports" in parts:
            imports.beside_peers(server, rows, rounds)
        if "growth" in parts:
            imports.growth(server, [1_000, 10_000, rows, 5 * rows, 10 * rows], rounds)
        if "analytics" in parts:
            sizes = [10_000, rows, 5 * rows, *([analytics.MOST] if rows == 100_000 else [])]
            analytics.figures(server, sizes, rounds)
        if "at-once" in parts:
            imports.at_once(server, rows)
        if "load" in parts:
            logins.hash_cost()
            logins.register_people(server)
            logins.known_and_unknown(server)
            logins.under_load(server, Peak(server.watched))
            applying.under_load(server, Peak(server.watched))
    if "traffic" in parts:
        # Limits would be what is measured.
        with Server("--rate-limits", "off") as server:
            logins.register_people(server)
            traffic.figures(server, rows, rounds)
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
