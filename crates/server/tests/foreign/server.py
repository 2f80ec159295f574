"""A server for one test run, and the data of a test account."""

import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

EMAIL, PHONE, PASSWORD = "asha.rao@example.in", "9820041537", "correct horse battery"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Server process with REST at `url`, gRPC at `grpc` and its data directory in `data`."""

    def __init__(self, *flags):
        self._data = tempfile.TemporaryDirectory()
        # Gives the user of Postgres access. Otherwise, if root starts the server, the database is created elsewhere
        # and not deleted.
        os.chmod(self._data.name, 0o711)
        self.data = self._data.name
        listen, self.grpc = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self.url = f"http://{listen}"
        program = os.path.abspath("target/debug/tradebahi")
        flags = ["--listen", listen, "--grpc-listen", self.grpc, "--data-dir", self.data, *flags]
        self._process = subprocess.Popen([program, "serve", *flags], stdout=subprocess.DEVNULL)

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return urllib.request.urlopen(f"{self.url}/readyz", timeout=5).close()
            except OSError:
                assert time.monotonic() < deadline, "the server is not ready"
                time.sleep(0.1)

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(timeout=40)
        self._data.cleanup()
        assert code == 0, f"the server exited with {code}"
