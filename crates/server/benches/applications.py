"""Benchmark of many applications per minute."""

import asyncio
import statistics
import time

from logins import Client, p99

MIB = 1024 * 1024


def application_form(number, resume):
    fields = dict(name="Bench", email=f"applicant{number}@example.in", mobile="9876543210", college="A college")
    fields |= dict(degree="btech", passingYear=str(time.gmtime().tm_year + 1), experience="0", motivation="To measure.")
    parts = "".join(
        f'--x\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    )
    parts += '--x\r\ncontent-disposition: form-data; name="resume"; filename="resume.pdf"\r\n\r\n'
    return parts.encode() + resume + b"\r\n--x--\r\n"


def pdf_with_size(size):
    head, end = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%", b"\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"
    return head + b"x" * (size - len(head) - len(end)) + end


def under_load(server, peak, rate=200, seconds=60):
    """Sends `rate` applications per minute, without waiting for responses."""
    resume, took, statuses = pdf_with_size(1_000_000), [], {}

    async def apply(number):
        headers = [("content-type", "multipart/form-data; boundary=x")]
        started = time.perf_counter()
        status, _ = await Client(server.port).send("POST", "/api/apply/FE101", headers, application_form(number, resume))
        took.append((time.perf_counter() - started) * 1e3)
        statuses[status] = statuses.get(status, 0) + 1

    async def send_all():
        tasks, begun = [], time.monotonic()
        for number in range(rate * seconds // 60):
            await asyncio.sleep(max(0, begun + number * 60 / rate - time.monotonic()))
            tasks.append(asyncio.create_task(apply(number)))
        await asyncio.gather(*tasks)

    with peak as watched:
        asyncio.run(send_all())
    assert set(statuses) == {201}, statuses
    print(f"\n### {rate} applications per minute for {seconds} s, each with a resume of 1 MB\n")
    print("From the first byte sent to the receipt: received, checked by the resume check process, stored durably.\n")
    print("| | |\n|---|---|")
    print(f"| applications accepted | {statuses[201]} |")
    print(f"| median, p99, longest | {statistics.median(took):.0f} ms, {p99(took):.0f} ms, {max(took):.0f} ms |")
    print(f"| memory of the server above idle | {watched.server / MIB:.0f} MiB |")
    print(f"| memory of a resume check process | {watched.child / MIB:.0f} MiB |")
