"""No test leaves the machine: a connection to any other host fails where it is opened."""

from __future__ import annotations

import ipaddress
import socket
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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


def connecting(function: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """Return a method of sockets that refuses the address of another host; paths of local sockets are fine."""

    @wraps(function)
    def guarded(itself: socket.socket, *args: Any) -> Any:
        address = args[place]
        if isinstance(address, tuple) and not is_here(address[0]):
            raise LeavesTheMachineError(f"{function.__name__} to {address[0]!r}")
        return function(itself, *args)

    return guarded


def naming(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that asks the network for no name; a number is read where it stands."""

    @wraps(function)
    def guarded(host: Any, *args: Any, **more: Any) -> Any:
        if not is_number(host) and not is_here(host):
            raise LeavesTheMachineError(f"{function.__name__} of {host!r}")
        return function(host, *args, **more)

    return guarded


def pytest_configure() -> None:
    # Here all libraries that are written in Python pass. An audit hook would be called for everything else too.
    socket.socket.connect = connecting(socket.socket.connect)  # type: ignore[method-assign]
    socket.socket.connect_ex = connecting(socket.socket.connect_ex)  # type: ignore[method-assign]
    socket.socket.sendto = connecting(socket.socket.sendto, -1)  # type: ignore[method-assign]
    socket.getaddrinfo = naming(socket.getaddrinfo)
