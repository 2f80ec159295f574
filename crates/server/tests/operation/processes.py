"""Processes of the tests of operation, their certificates, and requests to them."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

TRADEBAHI = os.path.abspath("target/debug/tradebahi")
# Seconds in which a process must start or stop.
PROCESS_TIMEOUT = 120
# Timeout of a request in seconds.
REQUEST_TIMEOUT = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=REQUEST_TIMEOUT)
    connection.request(method, path, body=body, headers=headers or {})
    reply = connection.getresponse()
    result = reply.status, reply.read()
    connection.close()
    return result


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Authority:
    """A certificate authority."""

    def __init__(self, folder):
        self.folder = folder
        os.mkdir(folder)
        self.certificate, self.key = os.path.join(folder, "ca.pem"), os.path.join(folder, "ca-key.pem")
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tests",
                "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, trusted):
        """Creates a folder with the key and the certificate of a name, and the certificate of the trusted authority."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        key, request, extensions = (os.path.join(folder, file) for file in ["key.pem", "request.pem", "extensions"])
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        with open(extensions, "w") as file:
            file.write(f"subjectAltName=DNS:{name}\n")
        openssl("x509", "-req", "-in", request, "-days", "2", "-CA", self.certificate, "-CAkey", self.key,
                "-CAcreateserial", "-extfile", extensions, "-out", os.path.join(folder, "cert.pem"))
        shutil.copy(trusted.certificate, os.path.join(folder, "ca.pem"))
        return folder


class Process:
    """A process that can be stopped and started again at the same address."""

    all = []

    def __init__(self, name, home, port, arguments, is_ready):
        self.all.append(self)
        self.name, self.port, self.arguments, self.is_ready = name, port, arguments, is_ready
        self.log = open(os.path.join(home, f"{name}.log"), "a")
        self.start()

    def start(self):
        self.child = subprocess.Popen(self.arguments, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + PROCESS_TIMEOUT
        while not self.is_ready(self.port):
            if self.child.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"{self.name} did not start; its log is {self.log.name}")
            time.sleep(0.05)

    def restart(self):
        self.stop()
        self.start()

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(PROCESS_TIMEOUT)
        if code != 0:
            sys.exit(f"{self.name} exited with {code}; its log is {self.log.name}")


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_ready(port):
    try:
        return call(port, "GET", "/readyz")[0] == 200
    except OSError:
        return False
