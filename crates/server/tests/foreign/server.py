"""A server of one's own, and an account on it."""

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
    """Serves REST at `url` and gRPC at `grpc`, once it is ready. `data` is where it keeps its files."""

    def __init__(self, *flags):
        self._data = tempfile.TemporaryDirectory()
        # Who runs Postgres may enter: where root starts the server, the database would else be kept elsewhere and stay.
        os.chmod(self._data.name, 0o711)
        self.data = self._data.name
        listen, self.grpc = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self.url = f"http://{listen}"
        program = os.path.abspath("target/debug/tradebahi")
        places = ["--listen", listen, "--grpc-listen", self.grpc, "--data-dir", self.data]
        self._process = subprocess.Popen([program, "serve", *places, *flags], stdout=subprocess.DEVNULL)

    def wait(self):
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
        assert code == 0, f"the server ended with {code}"
