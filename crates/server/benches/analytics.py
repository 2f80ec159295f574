"""What the analytics cost: the first page of figures, a filter, and one more trade."""

import json
import statistics
import time

import pandas


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


def in_pandas(server, session):
    """Gross by symbol and month as what was sold less what was bought, which needs no round trips; in memory."""
    frame = pandas.DataFrame(server.read_all(session)[2])
    started = time.perf_counter()
    month = pandas.to_datetime(frame["timestamp"]).dt.tz_convert("Asia/Kolkata").dt.strftime("%Y-%m")
    signed = frame["value"].where(frame["type"] == "sell", -frame["value"])
    sums = signed.groupby([frame["symbol"], month]).sum()
    assert len(sums) > 0
    return time.perf_counter() - started


def figures(server, sizes, make, rounds):
    print("\n### Analytics\n")
    print("Over HTTP. Cold: round trips, charges and figures of all trades, read from the database. pandas: sums by")
    print("symbol and month alone, of trades in memory.\n")
    print("| trades | cold | warm | filter | after one more trade | pandas |\n|---|---|---|---|---|---|")
    for rows in sizes:
        session = server.trader()
        server.upload(make(rows), session)
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
        middles = [cold, *map(statistics.median, (warm, filtered, after)), in_pandas(server, session)]
        print(f"| {rows:,} | " + " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in middles) + " |")
