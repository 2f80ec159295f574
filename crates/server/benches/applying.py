"""What it is to apply while many others do."""

import asyncio
import statistics
import time

from logins import Client, p99

MIB = 1024 * 1024


def form(number, resume):
    fields = dict(name="Bench", email=f"applicant{number}@example.in", mobile="9876543210", college="A college")
    fields |= dict(degree="btech", passingYear=str(time.gmtime().tm_year + 1), experience="0", motivation="To measure.")
    parts = "".join(
        f'--x\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    )
    parts += '--x\r\ncontent-disposition: form-data; name="resume"; filename="resume.pdf"\r\n\r\n'
    return parts.encode() + resume + b"\r\n--x--\r\n"


def pdf(size):
    head, end = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%", b"\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"
    return head + b"x" * (size - len(head) - len(end)) + end


def under_load(server, peak, rate=200, seconds=60):
    """Offers so many applications a minute, whether or not earlier ones were answered."""
    resume, took, statuses = pdf(1_000_000), [], {}

    async def one(number):
        headers = [("content-type", "multipart/form-data; boundary=x")]
        started = time.perf_counter()
        status, _ = await Client(server.port).send("POST", "/api/apply/FE101", headers, form(number, resume))
        took.append((time.perf_counter() - started) * 1e3)
        statuses[status] = statuses.get(status, 0) + 1

    async def all_of_them():
        tasks, begun = [], time.monotonic()
        for number in range(rate * seconds // 60):
            await asyncio.sleep(max(0, begun + number * 60 / rate - time.monotonic()))
            tasks.append(asyncio.create_task(one(number)))
        await asyncio.gather(*tasks)

    with peak as watched:
        asyncio.run(all_of_them())
    assert set(statuses) == {201}, statuses
    print(f"\n### {rate} applications a minute for {seconds} s, each with a resume of 1 MB\n")
    print("From the first byte sent to the receipt: received, looked at by a child, stored durably.\n")
    print("| | |\n|---|---|")
    print(f"| applications taken | {statuses[201]} |")
    print(f"| median, p99, longest | {statistics.median(took):.0f} ms, {p99(took):.0f} ms, {max(took):.0f} ms |")
    print(f"| memory of the server above idle | {watched.server / MIB:.0f} MiB |")
    print(f"| memory of a child that looks at a resume | {watched.child / MIB:.0f} MiB |")
