"""What the analytics cost: the first page of figures, a filter, and one more trade; and simpler sums of the same trades
in Postgres and in pandas."""

import base64
import json
import statistics
import time

import pandas
import psycopg

import imports

# The analytics take a million trades, and some more are entered here.
MOST = 1_000_000 - 100

# Of each day and symbol how many trades, and what was bought and sold for.
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


def timed(server, session, path):
    started = time.perf_counter()
    status, reply = server.call("GET", path, headers=session)
    seconds = time.perf_counter() - started
    assert status == 200, reply
    return seconds, json.loads(reply)


def enter(server, session, turn):
    trade = dict(symbol="INFY", price=1500.05 + turn, quantity=10, timestamp="2026-06-01T09:15", type="buy", exchange="NSE")
    body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade))
    headers = {**session, "content-type": "application/json", "prefer": "return=minimal"}
    status, reply = server.call("POST", "/trades/add", body, headers)
    assert status == 200, reply


def account_of(session):
    claims = session["authorization"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]


def in_postgres(connection, account):
    started = time.perf_counter()
    sums = connection.execute(SUMS, [account]).fetchall()
    seconds = time.perf_counter() - started
    return seconds, sum(row[2] for row in sums), sum(float(row[3] or 0) for row in sums)


def frame_of(connection, account):
    """All trades in memory, and how long reading them took."""
    started = time.perf_counter()
    cursor = connection.execute(ROWS, [account])
    frame = pandas.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description])
    return time.perf_counter() - started, frame


def in_pandas(frame):
    """The same sums of a frame that is there."""
    started = time.perf_counter()
    sums = frame.assign(
        bought=frame["value"].where(frame["side"] == "buy", 0), sold=frame["value"].where(frame["side"] == "sell", 0)
    ).groupby([frame["at"].dt.date, "symbol"]).agg(trades=("value", "size"), bought=("bought", "sum"), sold=("sold", "sum"))
    return time.perf_counter() - started, int(sums["trades"].sum()), float(sums["bought"].sum())


def ours(server, session, rows, rounds):
    cold, page = timed(server, session, "/analytics/overview")
    assert page["scope"]["trades"] == rows, page["scope"]
    warm, filtered, after = [], [], []
    for turn in range(rounds):
        warm.append(timed(server, session, "/analytics/overview")[0])
        filtered.append(timed(server, session, "/analytics/overview?segment=intraday&result=win")[0])
        enter(server, session, turn)
        seconds, page = timed(server, session, "/analytics/overview")
        assert page["scope"]["trades"] == rows + turn + 1, page["scope"]
        after.append(seconds)
    return [cold, *map(statistics.median, (warm, filtered, after))]


def theirs(connection, account, trades, rounds):
    counted, summed = [], []
    read, frame = frame_of(connection, account)
    for _ in range(rounds):
        seconds, count, bought = in_postgres(connection, account)
        counted.append(seconds)
        seconds, count_too, bought_too = in_pandas(frame)
        summed.append(seconds)
        assert count == count_too == trades and abs(bought - bought_too) < 1 + bought * 1e-9, (count, count_too, trades)
    return [statistics.median(counted), read, statistics.median(summed)]


def figures(server, sizes, rounds):
    print("\n### Analytics\n")
    print("Over HTTP. Cold: closed trades, charges and figures of all trades, read from the database. Beside it sums alone,")
    print("bought, sold and counted by day and symbol, without closed trades and charges: of the same rows in Postgres, and")
    print("in pandas, first reading them, then of a frame in memory.\n")
    print("| trades | cold | warm | filter | after one more trade | a trade | Postgres | pandas, reading | pandas, sums |")
    print("|---|---|---|---|---|---|---|---|---|")
    with psycopg.connect(server.database(), autocommit=True) as connection:
        for rows in sizes:
            _, session = imports.fill(server, rows)
            middles = ours(server, session, rows, rounds)
            middles += theirs(connection, account_of(session), rows + rounds, rounds)
            cells = [f"{seconds * 1e3:.0f} ms" for seconds in middles]
            # What each trade costs, cold and after one more: it grows no faster than the trades.
            cells.insert(4, " ".join(f"{middles[place] / rows * 1e6:.2f} µs" for place in (0, 3)))
            print(f"| {rows:,} | " + " | ".join(cells) + " |")
