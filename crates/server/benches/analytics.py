"""Benchmark of analytics: first overview, filter, one more trade; compared with simple sums in Postgres and pandas."""

import base64
import json
import statistics
import time

import pandas
import psycopg

import imports

# Analytics are limited to a million trades; the rounds add some.
MAX_TRADES = 1_000_000 - 100

# Trade count, buy value and sell value per day and symbol.
SUMS = """
    select (executed_at at time zone 'Asia/Kolkata')::date as day, symbol, count(*) as trades,
           sum(value) filter (where side = 'buy') as bought, sum(value) filter (where side = 'sell') as sold
    from trades.trade where account_id = %s
    group by 1, 2
"""
ROWS = """
    select executed_at at time zone 'Asia/Kolkata' as at, symbol, side, value::float8 as value
    from trades.trade where account_id = %s
"""


def timed_get(server, session, path):
    started = time.perf_counter()
    status, reply = server.call("GET", path, headers=session)
    seconds = time.perf_counter() - started
    assert status == 200, reply
    return seconds, json.loads(reply)


def add_trade(server, session, number):
    trade = dict(symbol="INFY", price=1500.05 + number, quantity=10, timestamp="2026-06-01T09:15", type="buy", exchange="NSE")
    body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade))
    headers = {**session, "content-type": "application/json", "prefer": "return=minimal"}
    status, reply = server.call("POST", "/trades/add", body, headers)
    assert status == 200, reply


def account_id(session):
    claims = session["authorization"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]


def sum_in_postgres(connection, account):
    started = time.perf_counter()
    sums = connection.execute(SUMS, [account]).fetchall()
    seconds = time.perf_counter() - started
    return seconds, sum(row[2] for row in sums), sum(float(row[3] or 0) for row in sums)


def read_frame(connection, account):
    """Reads all trades of an account; returns the seconds and the data frame."""
    started = time.perf_counter()
    cursor = connection.execute(ROWS, [account])
    frame = pandas.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description])
    return time.perf_counter() - started, frame


def sum_in_pandas(frame):
    """Computes the same sums from a data frame."""
    started = time.perf_counter()
    sums = frame.assign(
        bought=frame["value"].where(frame["side"] == "buy", 0), sold=frame["value"].where(frame["side"] == "sell", 0)
    ).groupby([frame["at"].dt.date, "symbol"]).agg(trades=("value", "size"), bought=("bought", "sum"), sold=("sold", "sum"))
    return time.perf_counter() - started, int(sums["trades"].sum()), float(sums["bought"].sum())


def measure_ours(server, session, rows, rounds):
    first, page = timed_get(server, session, "/analytics/overview")
    assert page["scope"]["trades"] == rows, page["scope"]
    again, filtered, after_one_more = [], [], []
    for round_number in range(rounds):
        again.append(timed_get(server, session, "/analytics/overview")[0])
        filtered.append(timed_get(server, session, "/analytics/overview?segment=intraday&result=win")[0])
        add_trade(server, session, round_number)
        seconds, page = timed_get(server, session, "/analytics/overview")
        assert page["scope"]["trades"] == rows + round_number + 1, page["scope"]
        after_one_more.append(seconds)
    return [first, *map(statistics.median, (again, filtered, after_one_more))]


def measure_peers(connection, account, trades, rounds):
    postgres, pandas_sums = [], []
    read, frame = read_frame(connection, account)
    for _ in range(rounds):
        seconds, count, bought = sum_in_postgres(connection, account)
        postgres.append(seconds)
        seconds, pandas_count, pandas_bought = sum_in_pandas(frame)
        pandas_sums.append(seconds)
        assert count == pandas_count == trades and abs(bought - pandas_bought) < 1 + bought * 1e-9, (count, pandas_count, trades)
    return [statistics.median(postgres), read, statistics.median(pandas_sums)]


def measure(server, sizes, rounds):
    print("\n### Analytics\n")
    print("Over HTTP. The first overview reads all trades from the database, matches lots, and computes charges and figures.")
    print("The peers only sum buy value, sell value and count by day and symbol: Postgres from its rows, pandas by reading")
    print("them and then from memory.\n")
    print("| analytics of | first overview | again | another filter | after one more trade | per trade | sums alone: Postgres | pandas, reading | pandas, summing |")
    print("|---|---|---|---|---|---|---|---|---|")
    with psycopg.connect(server.database_dsn(), autocommit=True) as connection:
        for rows in sizes:
            _, session = imports.create_log(server, rows)
            medians = measure_ours(server, session, rows, rounds)
            medians += measure_peers(connection, account_id(session), rows + rounds, rounds)
            cells = [f"{seconds * 1e3:.0f} ms" for seconds in medians]
            # Time per trade of the first overview and after one more trade; must not grow with the number of trades.
            cells.insert(4, " ".join(f"{medians[index] / rows * 1e6:.2f} µs" for index in (0, 3)))
            print(f"| {rows:,} trades | " + " | ".join(cells) + " |")
