"""What many sign-ins at once do to everybody else."""

import asyncio
import json
import statistics
import subprocess
import time

import table

MIB = 1024 * 1024
PASSWORD = "correct horse battery"
# Attempts on one account are counted before they are checked, so that many at once of one account hold each other.
PEOPLE = 100


class Client:
    """One keep-alive connection at a time, opened anew when the server closed it."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def send(self, method, path, headers=(), body=b""):
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            return await self.exchange(method, path, headers, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            # A connection that rested too long was closed; nothing of the request was read.
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            return await self.exchange(method, path, headers, body)

    async def exchange(self, method, path, headers, body):
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        self.writer.write(head.encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        found = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if found.get("transfer-encoding") == "chunked":
            while (size := int((await self.reader.readline()).strip(), 16)) > 0:
                await self.reader.readexactly(size + 2)
            await self.reader.readline()
        else:
            await self.reader.readexactly(int(found.get("content-length", 0)))
        if found.get("connection") == "close":
            self.writer.close()
        return int(lines[0].split(" ")[1]), found


def login(email, password=PASSWORD):
    return [("content-type", "application/json")], json.dumps(dict(email=email, password=password)).encode()


async def browse(port, session, until):
    """Turns the pages of the log, twenty a second; milliseconds of each."""
    client, took = Client(port), []
    while time.monotonic() < until:
        started = time.perf_counter()
        status, _ = await client.send("GET", "/trades/client?limit=100", session.items())
        assert status == 200, status
        took.append((time.perf_counter() - started) * 1e3)
        await asyncio.sleep(0.05)
    return took


async def offer(port, rate, seconds):
    """Offers so many sign-ins a second, of many people, whether or not earlier ones were answered."""
    idle, statuses, unsaid = [], {}, 0

    async def one(email):
        nonlocal unsaid
        client = idle.pop() if idle else Client(port)
        status, headers = await client.send("POST", "/auth/login", *login(email))
        idle.append(client)
        statuses[status] = statuses.get(status, 0) + 1
        unsaid += status == 503 and "retry-after" not in headers

    tasks, begun = [], time.monotonic()
    for number in range(rate * seconds):
        await asyncio.sleep(max(0, begun + number / rate - time.monotonic()))
        tasks.append(asyncio.create_task(one(person(number % PEOPLE))))
    await asyncio.gather(*tasks)
    return statuses, unsaid, time.monotonic() - begun


def p99(took):
    return statistics.quantiles(took, n=100)[98]


def under_load(server, peak, rate=300, seconds=30):
    session = server.trader()
    quiet = asyncio.run(browse(server.port, session, time.monotonic() + 5))

    async def both():
        browsing = asyncio.create_task(browse(server.port, session, time.monotonic() + seconds))
        offered = await offer(server.port, rate, seconds)
        return await browsing, offered

    with peak as watched:
        busy, (statuses, unsaid, took) = asyncio.run(both())
    assert set(statuses) <= {200, 503} and unsaid == 0, (statuses, unsaid)
    print(f"\n### {rate} sign-ins offered a second for {seconds} s, while somebody reads\n")
    print("| | |\n|---|---|")
    print(f"| signed in | {statuses.get(200, 0) / took:.0f} a second |")
    print(f"| told to come back (503 with Retry-After) | {statuses.get(503, 0)} |")
    print(f"| memory of the server above idle | {watched.server / MIB:.0f} MiB |")
    print(f"| a page of the log, p99 | {p99(busy):.1f} ms; without sign-ins {p99(quiet):.1f} ms |")
    table.note("a page of the log (p99) while sign-ins fill the hash permits", "ms", [p99(busy)], "without sign-ins", [p99(quiet)], "≤ 3")


def person(number):
    return f"person{number}@example.in"


def register_people(server):
    for number in range(PEOPLE):
        form = dict(name="Somebody", email=person(number), phone=f"97{number:08}")
        form |= dict(password=PASSWORD, confirmPassword=PASSWORD)
        status, reply = server.call("POST", "/auth/register", json.dumps(form), {"content-type": "application/json"})
        assert status == 201, reply


def known_and_unknown(server):
    """How long a refusal takes, of an account that exists and of one that does not."""

    async def measure():
        client, took = Client(server.port), {True: [], False: []}
        for number in range(PEOPLE * 2):
            known = number % 2 == 0
            # Another account each time: after some failures of one the next is held.
            email = person(number // 2) if known else f"nobody{number // 2}@example.in"
            started = time.perf_counter()
            status, _ = await client.send("POST", "/auth/login", *login(email, "wrong password"))
            took[known].append((time.perf_counter() - started) * 1e3)
            assert status == 401, status
        return took

    took = asyncio.run(measure())
    known, unknown = statistics.median(took[True]), statistics.median(took[False])
    print(f"\nA wrong password takes {known:.1f} ms, an unknown account {unknown:.1f} ms (medians of {PEOPLE}).")


def hash_cost():
    print("\n### Passwords\n")
    print(subprocess.run(["target/release/examples/hash_cost"], check=True, capture_output=True, text=True).stdout.strip())
