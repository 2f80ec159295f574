"""Server under test, and the memory of its processes."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import psutil
import psycopg

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.abspath("target/bench")
SERVER = os.path.abspath("target/release/tradebahi")
MIB = 1024 * 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """TradeBahi as users run it: with its private Postgres, fsync on."""

    def __init__(self, *flags):
        self.flags = flags

    def __enter__(self):
        self.data = tempfile.TemporaryDirectory()
        # Gives the user of Postgres access. Otherwise, if root starts the server, the database is created elsewhere
        # and not deleted.
        os.chmod(self.data.name, 0o711)
        # Responses do not contain the reasons of server errors; the log does.
        self.log = open(os.path.join(HOME, "server.log"), "a")
        self.port = free_port()
        self.process = subprocess.Popen(
            [SERVER, "serve", "--data-dir", self.data.name, "--listen", f"127.0.0.1:{self.port}"]
            + ["--grpc-listen", f"127.0.0.1:{free_port()}", *self.flags],
            stdout=self.log,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    break
            except OSError:
                pass
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit("the server did not start")
            time.sleep(0.05)
        self.watched = psutil.Process(self.process.pid)
        # Postgres gets its socket directory by -k, and its data directory by -D.
        line = next(line for line in (child.cmdline() for child in self.watched.children()) if "-k" in line)
        self.socket_dir = line[line.index("-k") + 1]
        # Clients of Postgres read the password from this variable.
        with open(os.path.join(os.path.dirname(line[line.index("-D") + 1]), "password")) as file:
            os.environ["PGPASSWORD"] = file.read()
        self.account_count = 0
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()
        self.data.cleanup()

    def database_dsn(self):
        """Returns the connection string of the private Postgres."""
        return f"host={self.socket_dir} user=postgres dbname=tradebahi"

    def call(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body=body, headers=headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()

    def create_account(self):
        """Creates an account with a confirmed email address, which may have the most trades; returns its Authorization header."""
        self.account_count += 1
        json_type = {"content-type": "application/json"}
        email, password = f"bench{self.account_count}@example.in", "correct horse battery"
        form = dict(name="Bench", email=email, phone=f"98{self.account_count:08}", password=password, confirmPassword=password)
        status, reply = self.call("POST", "/auth/register", json.dumps(form), json_type)
        assert status == 201, reply
        with psycopg.connect(self.database_dsn()) as connection:
            connection.execute("update auth.account set email_confirmed_at = now() where email = %s", [email])
        status, reply = self.call("POST", "/auth/login", json.dumps(dict(email=email, password=password)), json_type)
        return {"authorization": "Bearer " + json.loads(reply)["data"]["token"]}

    def upload(self, path, session, rejections=None):
        """Imports a file in one request. Returns the seconds from the first byte sent to the response, the number of
        added trades, and the peak memory. With `rejections`, retries after a 503, as the web app does, and appends
        the session for each."""
        body, content_type = upload_form(path)
        headers = {**session, "content-type": content_type, "prefer": "return=minimal"}
        with Peak(self.watched) as peak:
            started = time.perf_counter()
            status, reply = self.call("POST", "/uploadexcel", body, headers)
            while status == 503 and rejections is not None and time.perf_counter() < started + 300:
                rejections.append(session)
                time.sleep(1)
                status, reply = self.call("POST", "/uploadexcel", body, headers)
            seconds = time.perf_counter() - started
        assert status == 200, reply
        return seconds, json.loads(reply)["import"]["added"], peak

    def read_all(self, session):
        """Reads the whole log. Returns the seconds to the first and to the last byte of the body, and the trades."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        started = time.perf_counter()
        connection.request("GET", "/trades/client", headers=session)
        reply = connection.getresponse()
        body = reply.read(1)
        first = time.perf_counter() - started
        body += reply.read()
        return first, time.perf_counter() - started, json.loads(body)["trades"]


def upload_form(path):
    with open(path, "rb") as file:
        content = file.read()
    head = "".join(
        f'--x\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in [("broker", "zerodha"), ("tradetype", "equity")]
    )
    head += '--x\r\ncontent-disposition: form-data; name="file"; filename="t"\r\n\r\n'
    return head.encode() + content + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


class Peak:
    """Peak memory of a process above its idle memory, and of its parser processes; sampled."""

    def __init__(self, process):
        self.process, self.server, self.child = process, 0, 0

    def __enter__(self):
        self.idle = self.process.memory_info().rss
        self.is_stopping = False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.is_stopping:
            try:
                self.server = max(self.server, self.process.memory_info().rss - self.idle)
                for child in self.process.children():
                    if {"parse-file", "check-resume"} & set(child.cmdline()):
                        self.child = max(self.child, child.memory_info().rss)
            except psutil.Error:
                pass
            time.sleep(0.005)

    def __exit__(self, *_):
        self.is_stopping = True
        self.thread.join()
