"""Tests a running server against openapi.yaml with schemathesis: `contract.py [SCHEMATHESIS FLAG]…`"""

import glob
import os
import quopri
import re
import subprocess
import sys
import time
import tomllib

import requests

from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = os.path.join(HERE, "schemathesis.toml")
RESUME = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
APPLICATION = {
    "name": "Asha Rao",
    "email": "asha.rao@example.in",
    "mobile": "9820041537",
    "college": "COEP, Pune",
    "degree": "btech",
    "passingYear": str(time.gmtime().tm_year),
    "experience": "0",
    "motivation": "I like it when books tally.",
    "consentApplication": "true",
    "noticeVersion": "2026-11-20",
}


def register(server):
    with open(CONFIG, "rb") as file:
        login = tomllib.load(file)["auth"]["dynamic"]["openapi"]["session"]["payload"]
    account = {"name": "Contract", "phone": "9820041538", "confirmPassword": login["password"], **login}
    requests.post(f"{server.url}/auth/register", json=account, timeout=20).raise_for_status()


def apply(server):
    """Submits an application; returns the application key from the email."""
    resume = {"resume": ("asha-rao.pdf", RESUME, "application/pdf")}
    requests.post(f"{server.url}/api/apply/FE101", data=APPLICATION, files=resume, timeout=20).raise_for_status()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for path in glob.glob(os.path.join(server.data, "mail", "*.eml")):
            with open(path, "rb") as file:
                link = re.search(rb"/application#([\w-]+)", quopri.decodestring(file.read()))
            if link:
                return link.group(1).decode()
        time.sleep(0.1)
    sys.exit("the email with the application key did not arrive")


def main(flags):
    server = Server("--rate-limits", "off")
    try:
        server.wait_until_ready()
        register(server)
        storage = os.path.abspath("target/hypothesis")
        environment = {**os.environ, "APPLICATION_KEY": apply(server), "HYPOTHESIS_STORAGE_DIRECTORY": storage}
        schemathesis = os.path.join(os.path.dirname(sys.executable), "schemathesis")
        command = [schemathesis, "--config-file", CONFIG, "run", os.path.abspath("openapi.yaml"), "--url", f"{server.url}/"]
        return subprocess.run([*command, *flags], env=environment, check=False).returncode
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
