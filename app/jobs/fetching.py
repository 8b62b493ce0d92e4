"""Fetch images from the hosts that the operator has allowed, and from nowhere else.

An address comes from a file that anybody may have written. So its host must be on the list; it is resolved
once, every address that it has must be a public one, and the connection goes to the address that was checked.
Nothing is redirected; ports, size and time have limits. The request says nothing of who looks at what.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from app.database import Database
from app.services.collection.pictures import (
    LARGEST,
    host_of,
    keep_picture,
    note_failed,
    waiting_pictures,
)
from app.services.errors import InvalidError
from config import read_image_hosts

PORTS = {"http": 80, "https": 443}
# For a whole image; and for each step of the network.
SECONDS = 20.0
STEP_SECONDS = 8.0
PIECE = 64 * 1024


class RefusedError(Exception):
    """An image is not fetched; the message says why."""


def fetch_pictures(database: Database, project_id: int) -> None:
    """Fetch the images of a project that wait, one after the other."""
    hosts = read_image_hosts()
    while True:
        with database.read() as session:
            waiting = waiting_pictures(session, project_id)
        if not waiting:
            return
        for source in waiting:
            _fetch_one(database, project_id, source, hosts)


def _fetch_one(database: Database, project_id: int, source: str, hosts: Collection[str]) -> None:
    try:
        content = fetch(source, hosts)
        with database.write() as session:
            keep_picture(session, project_id, source, content)
    except (RefusedError, InvalidError) as error:
        with database.write() as session:
            note_failed(session, project_id, str(error), source)


def fetch(source: str, hosts: Collection[str]) -> bytes:
    """Return what an address on an allowed host holds.

    :raise RefusedError: It may not be fetched, or could not be.
    """
    host = host_of(source)
    if host not in hosts:
        raise RefusedError("its host is not allowed")
    parts = urlsplit(source)
    try:
        port = parts.port
    except ValueError:
        port = -1
    usual = PORTS[parts.scheme]
    if parts.username or parts.password or port not in {None, usual}:
        raise RefusedError("its address names a port or a password")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not target.isascii() or not target.isprintable() or " " in target:
        raise RefusedError("its address holds signs that must be written as %XX")
    connection = connection_to(parts.scheme, host, usual, address_of(host, usual, is_public))
    try:
        connection.request("GET", target, headers={"User-Agent": "Touchstone", "Accept": "image/*"})
        return _body(connection.getresponse())
    except (OSError, http.client.HTTPException) as error:
        raise RefusedError(f"the host did not answer properly ({type(error).__name__})") from error
    finally:
        connection.close()


def address_of(host: str, port: int, is_allowed: Callable[[str], bool]) -> str:
    """Return an address of a host, all of whose addresses are allowed.

    :raise RefusedError: It has none, or one that is not.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedError("its host is not known") from error
    addresses = [str(each[4][0]) for each in found]
    if not addresses or not all(map(is_allowed, addresses)):
        kind = "public" if is_allowed is is_public else "allowed"
        raise RefusedError(f"its host has an address that is not {kind}")
    return addresses[0]


def is_public(address: str) -> bool:
    """Return whether an address is of the public net: no network of ours, no translator."""
    ip = _plain_address(address)
    return ip is not None and ip.is_global


def is_local(address: str) -> bool:
    """Return whether an address is of the public net, of a private network, or this machine's own."""
    ip = _plain_address(address)
    # At such addresses clouds tell a machine its own passwords.
    return ip is not None and not ip.is_link_local


def _plain_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    # An address of the old kind inside one of the new kind leads to wherever that one does.
    if ip.version == 6 and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in TRANSLATED):
        return None
    # Python counts this machine among what is reserved.
    is_reserved = ip.is_reserved and not ip.is_loopback
    return None if ip.is_multicast or is_reserved or ip.is_unspecified else ip


TRANSLATED = ipaddress.ip_network("64:ff9b::/32")


class CheckedConnection(http.client.HTTPConnection):
    """A connection to an address that was checked, in the name of its host."""

    def __init__(self, host: str, port: int, address: str, context: ssl.SSLContext | None) -> None:
        super().__init__(host, port, timeout=STEP_SECONDS)
        self._address, self._context = address, context

    def connect(self) -> None:
        """Connect to the address; the name is not asked for again."""
        self.sock = socket.create_connection((self._address, self.port), STEP_SECONDS)
        if self._context is not None:
            self.sock = self._context.wrap_socket(self.sock, server_hostname=self.host)


def connection_to(scheme: str, host: str, port: int, address: str) -> CheckedConnection:
    """Return a connection to a checked address, not opened yet."""
    context = ssl.create_default_context() if scheme == "https" else None
    return CheckedConnection(host, port, address, context)


def _body(reply: http.client.HTTPResponse) -> bytes:
    if reply.status != http.client.OK:
        raise RefusedError(f"the host answered {reply.status}")
    until, parts, size = time.monotonic() + SECONDS, [], 0
    while part := reply.read1(PIECE):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise RefusedError(f"it is larger than {LARGEST // 1024**2} MB")
        if time.monotonic() > until:
            raise RefusedError("it took too long")
    return b"".join(parts)
