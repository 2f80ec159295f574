"""Tests a rolling restart under load: `rolling.py [--rounds N]`, with DATABASE_URL set and nginx installed.

Runs two cores, two edges that use both over TLS, and nginx in front. While readers read and writers write, each process
in turn gets SIGTERM and is started again. No request may fail, and each acknowledged trade must be stored exactly once.
"""

import argparse
import collections
import http.client
import json
import os
import shutil
import sys
import tempfile
import threading
import time

from processes import TRADEBAHI, Authority, Process, call, free_port, is_listening, is_ready

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
READERS, WRITERS = 3, 3
# Seconds between requests of a client, so that the load leaves processor time for the restarts.
REQUEST_INTERVAL = 0.01
PASSWORD = "correct horse battery"

NGINX_CONF = """
daemon off;
pid {home}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    upstream edges {{
        server 127.0.0.1:{edges[0]} max_fails=0;
        server 127.0.0.1:{edges[1]} max_fails=0;
    }}
    server {{
        listen 127.0.0.1:{port};
        client_max_body_size 40m;
        location / {{
            proxy_pass http://edges;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
"""


def start_processes(home):
    """Starts cores, edges and nginx; returns the cores and edges, nginx, and its port."""
    cores, edges, port = [free_port(), free_port()], [free_port(), free_port()], free_port()
    serve = [TRADEBAHI, "serve", "--data-dir", home, "--log-format", "json", "--rate-limits", "off", "--role"]
    addresses = ",".join(f"https://localhost:{core}" for core in cores)
    authority = Authority(os.path.join(home, "authority"))
    core_tls, edge_tls = (["--grpc-tls-dir", authority.issue(name, authority)] for name in ["localhost", "edge.example.in"])
    site = ["--public-url", f"http://127.0.0.1:{port}", "--trusted-proxies", "127.0.0.1"]
    processes = []
    for number, core in enumerate(cores, 1):
        arguments = [*serve, "core", "--grpc-listen", f"127.0.0.1:{core}", *core_tls, *site]
        processes.append(Process(f"core {number}", home, core, arguments, is_listening))
    for number, edge in enumerate(edges, 1):
        arguments = [*serve, "edge", "--core", addresses, "--listen", f"127.0.0.1:{edge}", *edge_tls, *site]
        processes.append(Process(f"edge {number}", home, edge, arguments, is_ready))
    conf = os.path.join(home, "nginx.conf")
    with open(conf, "w") as file:
        file.write(NGINX_CONF.format(home=home, edges=edges, port=port))
    nginx = Process("nginx", home, port, [NGINX, "-e", os.path.join(home, "error.log"), "-c", conf], is_ready)
    return processes, nginx, port


class Load:
    """Readers and writers, running until stopped."""

    def __init__(self, port):
        self.port = port
        self.lock, self.stop_event = threading.Lock(), threading.Event()
        self.request_counts, self.failures = collections.Counter(), []
        self.sessions = [self.create_account(number) for number in range(WRITERS)]
        self.acknowledged = [[] for _ in self.sessions]
        self.threads = [threading.Thread(target=self.read, args=(number,)) for number in range(READERS)]
        self.threads += [threading.Thread(target=self.write, args=(number,)) for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def create_account(self, number):
        """Creates an account; returns its Authorization header."""
        json_type = {"content-type": "application/json"}
        email = f"rolling{number}@example.in"
        form = dict(name="Rolling", email=email, phone=f"98{number:08}", password=PASSWORD, confirmPassword=PASSWORD)
        status, reply = call(self.port, "POST", "/auth/register", json.dumps(form), json_type)
        assert status == 201, reply
        login = json.dumps(dict(email=email, password=PASSWORD))
        status, reply = call(self.port, "POST", "/auth/login", login, json_type)
        assert status == 200, reply
        return {"authorization": "Bearer " + json.loads(reply)["data"]["token"]}

    def send(self, kind, method, path, body=None, headers=None):
        """Sends a request without retries; returns whether its status was 200."""
        try:
            status, reply = call(self.port, method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            status, reply = 0, repr(error).encode()
        with self.lock:
            self.request_counts[kind] += 1
            if status != 200:
                text = reply[:300].decode(errors="replace")
                self.failures.append(f"{time.strftime('%X')} {method} {path}: {status} {text}")
        return status == 200

    def read(self, number):
        session = self.sessions[number % WRITERS]
        while not self.stop_event.wait(REQUEST_INTERVAL):
            self.send("reads", "GET", "/trades/client?limit=50", headers=session)
            self.send("reads", "GET", "/trades/books", headers=session)
            self.send("reads", "GET", "/careers")

    def write(self, number):
        headers = {**self.sessions[number], "content-type": "application/json", "prefer": "return=minimal"}
        for count in range(10**6):
            if self.stop_event.wait(REQUEST_INTERVAL):
                return
            symbol = f"W{number}-{count}"
            trade = dict(symbol=symbol, price=82.1, quantity=10, timestamp="2026-03-02T09:15:00+05:30", type="buy")
            body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade))
            # Repeats every fourth request with the same key, as a client does that got no response.
            for _ in range(2 if count % 4 == 0 else 1):
                succeeded = self.send("writes", "POST", "/trades/add", body, {**headers, "idempotency-key": symbol})
            if succeeded:
                self.acknowledged[number].append(symbol)

    def totals(self):
        with self.lock:
            return sum(self.request_counts.values()), len(self.failures)

    def stop(self):
        self.stop_event.set()
        for thread in self.threads:
            thread.join()

    def stored_symbols(self, number):
        status, reply = call(self.port, "GET", "/trades/client", headers=self.sessions[number])
        assert status == 200, reply
        return [trade["symbol"] for trade in json.loads(reply)["trades"]]


def run(rounds, home):
    """Runs the test; returns the failures as lines of text."""
    processes, nginx, port = start_processes(home)
    load = Load(port)
    try:
        for process in processes * rounds:
            before, _ = load.totals()
            process.restart()
            # Waits until requests have used the new process too.
            deadline = time.monotonic() + 60
            while load.totals()[0] < before + 50:
                assert time.monotonic() < deadline, "no more requests complete"
                time.sleep(0.05)
            requests, failed = load.totals()
            meanwhile = f"{requests - before} requests meanwhile, {failed} failed so far"
            print(f"· {process.name} restarted: {meanwhile}", flush=True)
    finally:
        load.stop()
    differences = []
    for number, acknowledged in enumerate(load.acknowledged):
        stored = load.stored_symbols(number)
        if sorted(stored) != sorted(acknowledged):
            differences.append(f"account {number}: {len(acknowledged)} trades acknowledged, {len(stored)} stored")
    for process in [nginx, *reversed(processes)]:
        process.stop()
    acknowledged = sum(map(len, load.acknowledged))
    print(f"{load.request_counts['reads']} reads, {load.request_counts['writes']} writes, {len(load.failures)} failed.")
    print(f"{acknowledged} trades acknowledged; stored trades differ for {len(differences)} of {WRITERS} accounts.")
    return load.failures[:20] + differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--rounds", type=int, default=1, help="number of restarts of each process")
    rounds = parser.parse_args().rounds
    if NGINX is None:
        sys.exit("nginx is missing: apt-get install nginx-light")
    if shutil.which("openssl") is None:
        sys.exit("openssl is missing: apt-get install openssl")
    home = tempfile.mkdtemp(prefix="tradebahi-rolling-")
    try:
        failures = run(rounds, home)
    finally:
        for process in Process.all:
            process.child.kill()
    if failures:
        sys.exit("\n".join([*failures, f"The logs are in {home}"]))
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
