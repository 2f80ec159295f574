"""Benchmark of many simultaneous logins, and their effect on other requests."""

import asyncio
import json
import statistics
import subprocess
import time

import table

MIB = 1024 * 1024
PASSWORD = "correct horse battery"
# Login throttling counts attempts per account before their passwords are checked, so many at once need many accounts.
ACCOUNTS = 100


class Client:
    """HTTP client with one keep-alive connection, reopened after the server has closed it."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def send(self, method, path, headers=(), body=b""):
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            return await self.exchange(method, path, headers, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            # The server closed the idle connection without reading the request.
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            return await self.exchange(method, path, headers, body)

    async def exchange(self, method, path, headers, body):
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        self.writer.write(head.encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        reply_headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if reply_headers.get("transfer-encoding") == "chunked":
            while (size := int((await self.reader.readline()).strip(), 16)) > 0:
                await self.reader.readexactly(size + 2)
            await self.reader.readline()
        else:
            await self.reader.readexactly(int(reply_headers.get("content-length", 0)))
        if reply_headers.get("connection") == "close":
            self.writer.close()
        return int(lines[0].split(" ")[1]), reply_headers


def login_request(email, password=PASSWORD):
    return [("content-type", "application/json")], json.dumps(dict(email=email, password=password)).encode()


async def read_pages(port, session, until):
    """Reads a page of the log twenty times per second; returns the milliseconds of each request."""
    client, took = Client(port), []
    while time.monotonic() < until:
        started = time.perf_counter()
        status, _ = await client.send("GET", "/trades/client?limit=100", session.items())
        assert status == 200, status
        took.append((time.perf_counter() - started) * 1e3)
        await asyncio.sleep(0.05)
    return took


async def offer_logins(port, rate, seconds):
    """Sends `rate` logins per second of many accounts, without waiting for responses. Returns the responses by status,
    the number of 503 without Retry-After, and the seconds."""
    idle, statuses, without_retry_after = [], {}, 0

    async def log_in(email):
        nonlocal without_retry_after
        client = idle.pop() if idle else Client(port)
        status, headers = await client.send("POST", "/auth/login", *login_request(email))
        idle.append(client)
        statuses[status] = statuses.get(status, 0) + 1
        without_retry_after += status == 503 and "retry-after" not in headers

    tasks, begun = [], time.monotonic()
    for number in range(rate * seconds):
        await asyncio.sleep(max(0, begun + number / rate - time.monotonic()))
        tasks.append(asyncio.create_task(log_in(account_email(number % ACCOUNTS))))
    await asyncio.gather(*tasks)
    return statuses, without_retry_after, time.monotonic() - begun


def p99(took):
    return statistics.quantiles(took, n=100)[98]


def under_load(server, peak, rate=300, seconds=30):
    session = server.create_account()
    quiet = asyncio.run(read_pages(server.port, session, time.monotonic() + 5))

    async def log_in_and_read():
        reading = asyncio.create_task(read_pages(server.port, session, time.monotonic() + seconds))
        offered = await offer_logins(server.port, rate, seconds)
        return await reading, offered

    with peak as watched:
        busy, (statuses, without_retry_after, took) = asyncio.run(log_in_and_read())
    assert set(statuses) <= {200, 503} and without_retry_after == 0, (statuses, without_retry_after)
    print(f"\n### {rate} logins per second offered for {seconds} s, while another account reads\n")
    print("| | |\n|---|---|")
    print(f"| succeeded | {statuses.get(200, 0) / took:.0f} per second |")
    print(f"| rejected with a wait time (503 with Retry-After) | {statuses.get(503, 0)} |")
    print(f"| memory of the server above idle | {watched.server / MIB:.0f} MiB |")
    print(f"| a page of the log, p99 | {p99(busy):.1f} ms; without logins {p99(quiet):.1f} ms |")
    table.record("a page of the log (p99) while logins fill the hash permits", "ms", [p99(busy)], "without logins", [p99(quiet)], "≤ 3")


def account_email(number):
    return f"person{number}@example.in"


def register_accounts(server):
    for number in range(ACCOUNTS):
        form = dict(name="Somebody", email=account_email(number), phone=f"97{number:08}")
        form |= dict(password=PASSWORD, confirmPassword=PASSWORD)
        status, reply = server.call("POST", "/auth/register", json.dumps(form), {"content-type": "application/json"})
        assert status == 201, reply


def compare_wrong_password_and_unknown_account(server):
    """Compares the time of a failed login for an existing account with that for an unknown one; they must be equal."""

    async def measure():
        client, took = Client(server.port), {True: [], False: []}
        for number in range(ACCOUNTS * 2):
            exists = number % 2 == 0
            # Another account each time, because some failures of one account throttle its logins.
            email = account_email(number // 2) if exists else f"nobody{number // 2}@example.in"
            started = time.perf_counter()
            status, _ = await client.send("POST", "/auth/login", *login_request(email, "wrong password"))
            took[exists].append((time.perf_counter() - started) * 1e3)
            assert status == 401, status
        return took

    took = asyncio.run(measure())
    wrong_password, unknown_account = statistics.median(took[True]), statistics.median(took[False])
    print(f"\nA wrong password takes {wrong_password:.1f} ms, an unknown account {unknown_account:.1f} ms (medians of {ACCOUNTS}).")


def print_hash_cost():
    print("\n### Passwords\n")
    print(subprocess.run(["target/release/examples/hash_cost"], check=True, capture_output=True, text=True).stdout.strip())
