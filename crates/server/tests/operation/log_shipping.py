"""Tests the configuration that sends the log to another machine: `log_shipping.py`, with DATABASE_URL set and rsyslog installed.

Runs a server, and two rsyslog with the files of `crates/server/log-shipping`: one sends what the server logs, the other
receives it. Each line must arrive, also those of an outage of either, and nothing must be readable on the way. Lines of senders with another certificate, or without TLS, must not be stored.
"""

import glob
import os
import shutil
import socket
import sys
import tempfile
import threading
import time

from processes import TRADEBAHI, Authority, Process, call, free_port, is_listening, is_ready

RSYSLOG = shutil.which("rsyslogd", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
CONFIGURATION = "crates/server/log-shipping"
# Seconds in which all lines must arrive.
DELIVERY_TIMEOUT = 90
# Seconds in which a refused line would have arrived.
REFUSAL_SECONDS = 5
REQUESTS = 20


class Recorder:
    """Forwards connections and records what clients send."""

    def __init__(self, target):
        self.target, self.port, self.bytes = target, free_port(), b""
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.copy, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, False), daemon=True).start()

    def copy(self, source, target, is_recorded):
        try:
            while data := source.recv(65536):
                if is_recorded:
                    self.bytes += data
                target.sendall(data)
        except OSError:
            pass
        for end in [source, target]:
            end.close()


class Rsyslog(Process):
    """An rsyslog with a file of the configuration, with the addresses and folders of this test."""

    def __init__(self, name, home, file, port, certificates, head=""):
        self.folder = os.path.join(home, name)
        os.mkdir(self.folder)
        with open(os.path.join(CONFIGURATION, file)) as lines:
            text = lines.read()
        replacements = {
            'target="logs.example.in"': 'target="127.0.0.1"',
            'port="6514"': f'port="{port}"',
            "/etc/rsyslog.d/tradebahi": certificates,
            "/var/spool/rsyslog": self.folder,
            "/var/log/tradebahi": self.folder,
        }
        for old, new in replacements.items():
            text = text.replace(old, new)
        conf = os.path.join(self.folder, "rsyslog.conf")
        with open(conf, "w") as out:
            out.write(f'global(workDirectory="{self.folder}")\n{text}\n{head}')
        is_sender = file == "forward.conf"
        arguments = [RSYSLOG, "-n", "-f", conf, "-i", os.path.join(self.folder, "pid")]
        super().__init__(name, home, port, arguments, (lambda _: True) if is_sender else is_listening)

    def received(self):
        """Returns the received lines."""
        lines = []
        for path in glob.glob(os.path.join(self.folder, "*.jsonl")):
            with open(path) as file:
                lines += file.read().splitlines()
        return lines


def sender(name, home, port, certificates, log):
    """Starts an rsyslog that sends the lines of a file, which takes the place of the journal."""
    source = f'module(load="imfile")\ninput(type="imfile" file="{log}" tag="tradebahi" ruleset="tradebahi_forward")\n'
    return Rsyslog(name, home, "forward.conf", port, certificates, source)


def read_lines(path):
    with open(path) as file:
        return file.read().splitlines()


def wait_for_lines(log, receiver, step):
    """Waits until each line of the server is received."""
    deadline = time.monotonic() + DELIVERY_TIMEOUT
    while missing := set(read_lines(log)) - set(receiver.received()):
        if time.monotonic() > deadline:
            sys.exit(f"{step}: {len(missing)} lines were not received, such as {sorted(missing)[0]}")
        time.sleep(0.1)
    print(f"· {step}: all {len(read_lines(log))} lines received", flush=True)


def request_pages(port):
    for _ in range(REQUESTS):
        call(port, "GET", "/trades/client")


def main():
    if RSYSLOG is None:
        sys.exit("rsyslog is missing: apt-get install rsyslog rsyslog-relp rsyslog-gnutls")
    home = tempfile.mkdtemp(prefix="log-shipping-")
    ours, others = Authority(os.path.join(home, "ours")), Authority(os.path.join(home, "others"))
    receiver_certificates = ours.issue("logs.example.in", ours)
    receiver = Rsyslog("receiver", home, "receive.conf", free_port(), receiver_certificates)
    recorder = Recorder(receiver.port)
    port = free_port()
    serve = [TRADEBAHI, "serve", "--data-dir", home, "--listen", f"127.0.0.1:{port}", "--log-format", "json"]
    server = Process("server", home, port, [*serve, "--grpc-listen", f"127.0.0.1:{free_port()}"], is_ready)
    log = server.log.name
    shipper = sender("sender", home, recorder.port, ours.issue("app.example.in", ours), log)

    request_pages(port)
    wait_for_lines(log, receiver, "running")
    receiver.stop()
    request_pages(port)
    receiver.start()
    wait_for_lines(log, receiver, "after an outage of the receiver")
    shipper.stop()
    request_pages(port)
    shipper.start()
    wait_for_lines(log, receiver, "after a restart of the sender")

    intruders = os.path.join(home, "intruder.log")
    with open(intruders, "w") as file:
        file.write("intruder\n" * 3)
    strangers = {"another name": ours.issue("other.example.in", ours), "another authority": others.issue("app.example.in", ours)}
    processes = [sender(name, home, receiver.port, folder, intruders) for name, folder in strangers.items()]
    with socket.create_connection(("127.0.0.1", receiver.port)) as plain:
        plain.sendall(b"1 open 50 relp_version=0\nrelp_software=test\ncommands=syslog\n2 syslog 8 intruder\nintruder\n")
        time.sleep(REFUSAL_SECONDS)
    failures = []
    if any("intruder" in line for line in receiver.received()):
        failures.append("A line of a client without our certificate was stored.")
    if len(recorder.bytes) < 1000 or b"answered" in recorder.bytes or b"tradebahi" in recorder.bytes:
        failures.append("The lines are readable on the way.")
    request_pages(port)
    wait_for_lines(log, receiver, "after the intruders")
    for process in [*processes, shipper, server, receiver]:
        process.stop()
    if failures:
        sys.exit("\n".join([*failures, f"The logs are in {home}"]))
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
