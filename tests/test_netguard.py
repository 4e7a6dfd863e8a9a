"""The guard that proves 'no download' must itself refuse, here and in child processes."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

ATTEMPTS = [
    'import socket; socket.create_connection(("192.0.2.1", 80), timeout=1)',
    'import socket; socket.getaddrinfo("example.org", 443)',
    'import urllib.request; urllib.request.urlopen("http://192.0.2.1/", timeout=1)',
]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_connections_that_leave_the_machine_are_refused(attempt: str) -> None:
    with pytest.raises(BaseException, match="refused by the test suite"):
        exec(attempt, {})


def test_child_interpreters_are_guarded_too() -> None:
    child = subprocess.run([sys.executable, "-c", ATTEMPTS[0]], capture_output=True, text=True, timeout=30, check=False)
    assert child.returncode != 0
    assert "refused by the test suite" in child.stderr


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()
