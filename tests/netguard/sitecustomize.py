"""Refuses every connection that leaves the machine, in pytest and in each Python process that a test starts.

conftest.py puts this folder on PYTHONPATH, so that child interpreters load it too.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any


class NonLoopbackConnection(BaseException):
    """Not an Exception: no handler in the code under test may swallow it."""


_LOCAL_NAMES = {"localhost", "localhost.localdomain", "", None}


def _local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in _LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(str(host).split("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple) and not _local(args[1][0]):
        raise NonLoopbackConnection(f"connection to {args[1]!r} refused by the test suite")
    if event == "socket.getaddrinfo" and not _local(args[0]):
        raise NonLoopbackConnection(f"look-up of {args[0]!r} refused by the test suite")


def install() -> None:
    socket.setdefaulttimeout(None)
    sys.addaudithook(_audit)


install()
