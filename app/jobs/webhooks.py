"""Send what waits for webhooks, and look what their projects' scores say now.

As with images (`app.jobs.fetching`): the host must be one that the operator has allowed, it is resolved once,
and the connection goes to the address that was checked. Nothing is redirected; size and time have limits.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import socket
import threading
import time
from collections.abc import Collection
from contextlib import suppress

from app.database import Database
from app.jobs.fetching import CheckedConnection, RefusedError, address_of, connection_to, is_local, is_public
from app.jobs.steps import project_of
from app.models import WebhookWatch, now_utc
from app.services.deliveries import LONGEST_ANSWER
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.store import evidence_of
from app.services.scores.watching import facts_of, tell_changes
from app.services.webhooks import Outgoing, Target, claim_delivery, note_answer, target_of
from config import WebhookHost, read_public_url, read_webhook_hosts

SECONDS = 10.0
# Of an answer no more is read: enough for what is kept, however its signs are written.
MOST_BYTES = 4 * LONGEST_ANSWER


def send_webhooks(database: Database, project_id: int) -> None:
    """Send the messages of a project that are due, one after the other."""
    hosts, site = read_webhook_hosts(), read_public_url()
    while True:
        with database.write() as session:
            sent = claim_delivery(session, project_id)
        if sent is None:
            return
        try:
            status, answer = post(sent, hosts, site)
        except (RefusedError, InvalidError) as error:
            status, answer = 0, str(error)
        with database.write() as session:
            note_answer(session, sent, status, answer)


def post(sent: Outgoing, hosts: Collection[WebhookHost], site: str = "") -> tuple[int, str]:
    """Send a message, and return the status and the beginning of the answer.

    :raise InvalidError: Its address is not allowed, or not any more.
    :raise RefusedError: Nothing was sent, or no answer came.
    """
    target, body = target_of(sent.address, hosts), sent.body(site)
    connection = connection_to(target.scheme, target.host, target.port, _checked_address(target))
    watchdog = threading.Timer(SECONDS, _cut, [connection])
    watchdog.daemon = True
    try:
        connection.connect()
        # Each step of the network has a time of its own; all that follow have this one together.
        watchdog.start()
        connection.request("POST", target.path, body=body, headers=headers_of(sent, body, int(time.time())))
        reply = connection.getresponse()
        answer = b""
        # The message has arrived, however the answer goes on.
        with suppress(OSError, http.client.HTTPException):
            answer = reply.read(MOST_BYTES)
        return reply.status, answer.decode("utf-8", "replace")
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise RefusedError(f"No proper answer came ({type(error).__name__}).") from error
    finally:
        watchdog.cancel()
        connection.close()


def headers_of(sent: Outgoing, body: bytes, timestamp: int) -> dict[str, str]:
    """Return the headers of a message, signed as Standard Webhooks says."""
    signed = f"{sent.message_id}.{timestamp}.".encode() + body
    signature = base64.b64encode(hmac.digest(sent.secret, signed, "sha256")).decode("ascii")
    return {
        "Content-Type": "application/json",
        "User-Agent": "Touchstone",
        "webhook-id": sent.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{signature}",
    }


def _checked_address(target: Target) -> str:
    """Return the address to connect to: public, unless the operator said more; over http this machine's."""
    if target.scheme == "http":
        return address_of(
            target.host, target.port, lambda address: address == "::1" or address.startswith("127.")
        )
    return address_of(target.host, target.port, is_local if target.is_private else is_public)


def _cut(connection: CheckedConnection) -> None:
    """End a connection on which something still comes, too slowly."""
    with suppress(OSError, AttributeError):
        connection.sock.shutdown(socket.SHUT_RDWR)


def look_at_scores(database: Database, project_id: int) -> None:
    """Write messages about what has changed in the scores of a project since the last look."""
    with database.write() as session:
        watch = session.get(WebhookWatch, project_id)
        if watch is None:
            watch = WebhookWatch(project_id=project_id, revision=0)
            session.add(watch)
        # First of all: what fails is tried again later, not at once.
        watch.looked_at, before = now_utc(), watch.revision
    try:
        facts = facts_of(evidence_of(database, project_id))
    except NotFoundError:
        return
    with database.write() as session:
        watch = session.get(WebhookWatch, project_id, with_for_update=True)
        # Another process may have been quicker, or the last webhook gone.
        if watch is not None and watch.revision == before:
            tell_changes(session, project_of(session, project_id), watch, facts)
