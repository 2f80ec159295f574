"""A rolling restart under load loses nothing: `rolling.py [--rounds N]`, with DATABASE_URL set and nginx there.

Two cores, two edges that know both, nginx in front. While readers read and writers write, each process in turn is told
to stop (SIGTERM) and started anew. No request may fail, and what is stored must be what was acknowledged, each once.
"""

import argparse
import collections
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TRADEBAHI = os.path.abspath("target/debug/tradebahi")
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
READERS, WRITERS = 3, 3
# Between the requests of one of them, in seconds: the machine has other things to do.
PAUSE = 0.01
PASSWORD = "correct horse battery"
PATIENCE = 120
# Both ends of a request that hangs must give up some time.
TIMEOUT = 30

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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.request(method, path, body=body, headers=headers or {})
    reply = connection.getresponse()
    answer = reply.status, reply.read()
    connection.close()
    return answer


class Process:
    """A process that can be told to stop and started anew at the same address."""

    all = []

    def __init__(self, name, home, port, arguments, is_ready):
        self.all.append(self)
        self.name, self.port, self.arguments, self.is_ready = name, port, arguments, is_ready
        self.log = open(os.path.join(home, f"{name}.log"), "a")
        self.start()

    def start(self):
        self.child = subprocess.Popen(self.arguments, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + PATIENCE
        while not self.is_ready(self.port):
            if self.child.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{self.name} does not start; its log is {self.log.name}")
            time.sleep(0.05)

    def restart(self):
        self.stop()
        self.start()

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(PATIENCE)
        if code != 0:
            sys.exit(f"{self.name} ended with {code}; its log is {self.log.name}")


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers(port):
    try:
        return call(port, "GET", "/readyz")[0] == 200
    except OSError:
        return False


def shape(home):
    """The cores, the edges, nginx; and where nginx listens."""
    cores, edges, port = [free_port(), free_port()], [free_port(), free_port()], free_port()
    serve = [TRADEBAHI, "serve", "--data-dir", home, "--log-format", "json", "--rate-limits", "off", "--role"]
    addresses = ",".join(f"http://127.0.0.1:{core}" for core in cores)
    site = ["--public-url", f"http://127.0.0.1:{port}", "--trusted-proxies", "127.0.0.1"]
    processes = []
    for number, core in enumerate(cores, 1):
        arguments = [*serve, "core", "--grpc-listen", f"127.0.0.1:{core}", *site]
        processes.append(Process(f"core {number}", home, core, arguments, listens))
    for number, edge in enumerate(edges, 1):
        arguments = [*serve, "edge", "--core", addresses, "--listen", f"127.0.0.1:{edge}", *site]
        processes.append(Process(f"edge {number}", home, edge, arguments, answers))
    conf = os.path.join(home, "nginx.conf")
    with open(conf, "w") as file:
        file.write(NGINX_CONF.format(home=home, edges=edges, port=port))
    nginx = Process("nginx", home, port, [NGINX, "-e", os.path.join(home, "error.log"), "-c", conf], answers)
    return processes, nginx, port


class Load:
    """Readers and writers until it is told to stop."""

    def __init__(self, port):
        self.port = port
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.done, self.failed = collections.Counter(), []
        self.traders = [self.trader(number) for number in range(WRITERS)]
        self.acknowledged = [[] for _ in self.traders]
        self.threads = [threading.Thread(target=self.read, args=(number,)) for number in range(READERS)]
        self.threads += [threading.Thread(target=self.write, args=(number,)) for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def trader(self, number):
        """A new account; its Authorization header."""
        content = {"content-type": "application/json"}
        email = f"rolling{number}@example.in"
        form = dict(name="Rolling", email=email, phone=f"98{number:08}", password=PASSWORD, confirmPassword=PASSWORD)
        status, reply = call(self.port, "POST", "/auth/register", json.dumps(form), content)
        assert status == 201, reply
        login = json.dumps(dict(email=email, password=PASSWORD))
        status, reply = call(self.port, "POST", "/auth/login", login, content)
        assert status == 200, reply
        return {"authorization": "Bearer " + json.loads(reply)["data"]["token"]}

    def ask(self, kind, method, path, body=None, headers=None):
        """Sends one request, once; whether it was answered as it should be."""
        try:
            status, reply = call(self.port, method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            status, reply = 0, repr(error).encode()
        with self.lock:
            self.done[kind] += 1
            if status != 200:
                said = reply[:300].decode(errors="replace")
                self.failed.append(f"{time.strftime('%X')} {method} {path}: {status} {said}")
        return status == 200

    def read(self, number):
        session = self.traders[number % WRITERS]
        while not self.stopping.wait(PAUSE):
            self.ask("reads", "GET", "/trades/client?limit=50", headers=session)
            self.ask("reads", "GET", "/trades/books", headers=session)
            self.ask("reads", "GET", "/careers")

    def write(self, number):
        headers = {**self.traders[number], "content-type": "application/json", "prefer": "return=minimal"}
        for count in range(10**6):
            if self.stopping.wait(PAUSE):
                return
            mark = f"W{number}-{count}"
            trade = dict(symbol=mark, price=82.1, quantity=10, timestamp="2026-03-02T09:15:00+05:30", type="buy")
            body = json.dumps(dict(broker="zerodha", tradetype="equity", trade=trade))
            # Every fourth is sent once more, as by a client that did not hear the answer.
            for _ in range(2 if count % 4 == 0 else 1):
                answered = self.ask("writes", "POST", "/trades/add", body, {**headers, "idempotency-key": mark})
            if answered:
                self.acknowledged[number].append(mark)

    def so_far(self):
        with self.lock:
            return sum(self.done.values()), len(self.failed)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def stored(self, number):
        status, reply = call(self.port, "GET", "/trades/client", headers=self.traders[number])
        assert status == 200, reply
        return [trade["symbol"] for trade in json.loads(reply)["trades"]]


def run(rounds, home):
    """What went wrong, one line each."""
    processes, nginx, port = shape(home)
    load = Load(port)
    try:
        for process in processes * rounds:
            before, _ = load.so_far()
            process.restart()
            # Until the load has gone through the new process, too.
            deadline = time.monotonic() + 60
            while load.so_far()[0] < before + 50:
                assert time.monotonic() < deadline, "the load has stopped"
                time.sleep(0.05)
            requests, failed = load.so_far()
            meanwhile = f"{requests - before} requests meanwhile, {failed} failed so far"
            print(f"· {process.name} restarted: {meanwhile}", flush=True)
    finally:
        load.stop()
    wrong = []
    for number, acknowledged in enumerate(load.acknowledged):
        stored = load.stored(number)
        if sorted(stored) != sorted(acknowledged):
            wrong.append(f"trader {number}: {len(acknowledged)} trades acknowledged, {len(stored)} stored")
    for process in [nginx, *reversed(processes)]:
        process.stop()
    acknowledged = sum(map(len, load.acknowledged))
    print(f"{load.done['reads']} reads, {load.done['writes']} writes, {len(load.failed)} failed.")
    print(f"{acknowledged} trades acknowledged; what is stored differs for {len(wrong)} of {WRITERS} traders.")
    return load.failed[:20] + wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--rounds", type=int, default=1, help="how often every process is restarted")
    rounds = parser.parse_args().rounds
    if NGINX is None:
        sys.exit("nginx is missing: apt-get install nginx-light")
    home = tempfile.mkdtemp(prefix="tradebahi-rolling-")
    try:
        wrong = run(rounds, home)
    finally:
        for process in Process.all:
            process.child.kill()
    if wrong:
        sys.exit("\n".join([*wrong, f"The logs are in {home}"]))
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
