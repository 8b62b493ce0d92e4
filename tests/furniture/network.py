"""No test leaves the machine: a connection to any other host fails where it is opened."""

from __future__ import annotations

import ipaddress
import sys

HERE = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "", None}


class LeavesTheMachineError(AssertionError):
    """A test, or the code under test, asked for another host."""


def is_number(host: object) -> bool:
    """Tell whether a host is given as an address, which needs no name server."""
    try:
        ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host))
    except ValueError:
        return False
    return True


def is_here(host: object) -> bool:
    """Tell whether a host is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    return name in HERE or (is_number(name) and ipaddress.ip_address(str(name)).is_loopback)


def refuse_other_hosts(event: str, args: tuple[object, ...]) -> None:
    """Raise when a socket is about to reach another host; paths of local sockets are fine."""
    if event == "socket.getaddrinfo":
        # Only a name is asked of the network; a number is read where it stands.
        host = None if is_number(args[0]) else args[0]
    elif event in {"socket.connect", "socket.sendto"} and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if not is_here(host):
        raise LeavesTheMachineError(f"{event} to {host!r}")


def pytest_configure() -> None:
    # An audit hook sees every socket of the process, whatever library opens it.
    sys.addaudithook(refuse_other_hosts)
