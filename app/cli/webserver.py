"""The web server: waitress, which receives whole requests before a thread works on them.

So a slow sender holds a connection and no thread. What waitress leaves open is added here: a deadline for the
whole of a request, however often a byte of it arrives; room for a newcomer where all connections are taken;
several processes; an end that answers what was asked and takes no longer than a moment.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from werkzeug.exceptions import RequestEntityTooLarge, ServiceUnavailable

from app.cli.logs import say
from app.http.health import load_rest, warm_up
from app.http.lanes import Lane, lane_of
from app.http.limits import MEGABYTE, REFUSAL, largest_upload, sender_of_file
from app.http.proxies import below
from app.http.receiving import KEPT_FREE, SEVERAL, NoRoomError, refuse_full_disk
from app.services.accounts.sign_in import FULL as MANY_SIGN_IN
from app.services.errors import TooManyError

if TYPE_CHECKING:
    from flask import Flask

    from config import Settings

log = logging.getLogger(__name__)

CONNECTIONS = 1000
ACCEPTED_AT_ONCE = 64
# A connection, and what arrives or is answered on it: in a file if it is long.
FILES_OF_CONNECTION = 2
# Besides connections: the database's files, modules, what threads work with.
OTHER_FILES = 300
# On one connection; a browser sends the next request when it has the answer.
REQUESTS_AT_ONCE = 8
HEAD_BYTES = 32 * 1024
# More of a body than this waits in a nameless temporary file, and so does more of an answer.
IN_MEMORY = 64 * 1024
ANSWER_IN_MEMORY = 256 * 1024
# What of one answer, and of all, waits in files for its readers before a thread waits for them.
ANSWER_WAITING, ANSWERS_WAITING = 256 * MEGABYTE, 1024 * MEGABYTE
# A head, or a connection on which nothing was ever asked.
HEAD_SECONDS = 10
# Longer than the pause between two ratings, so that most of them need no new connection.
IDLE_SECONDS = 30
BODY_SECONDS = 30
# Of one person, or of one token.
FILES_AT_ONCE = 3
BODY_BYTES_A_SECOND = 50_000
# Two are checked at a time. All 140 people of an organisation who come at once get in.
PASSWORDS_WAITING = 300
# Somebody who takes nothing of an answer.
STALLED_SECONDS = 60
# Somebody who takes less than this on average, after so many seconds.
TAKING_SECONDS = 30
TAKEN_BYTES_A_SECOND = 20_000
IGNORE_SECONDS = 5
STOP_SECONDS = 2.5
# Then it ends, whoever still waits.
LAST_SECONDS = 2.9
# glibc: how many areas threads have in memory, and how large a piece is given back as soon as it is freed.
ARENA_MAX, AREAS = -8, 2
MMAP_THRESHOLD, LARGE = -3, 4 * 1024 * 1024
# Python's own 5 ms would be waited for again and again by the thread that holds the writer's place; with
# .5 ms fifty people wait nearly twice as long for their slowest pages (see tests/trials/README.md).
SWITCH_SECONDS = 0.002
# Python’s own: how many objects are made before garbage is looked for, and how often among older ones.
USUAL_GARBAGE = (700, 10, 10)


class Incoming(HTTPRequestParser):
    """A request while it arrives."""

    # Set by the server: says why a body of more than a megabyte is not received any further.
    reason_to_refuse: Callable[[Incoming], Exception | None]
    content_length: int
    body_bytes_received: int
    # Who sends the file that this is.
    sender: str | None = None
    # Why its body was not received.
    refusal: Exception | None = None

    def __init__(self, adjustments: Adjustments) -> None:
        super().__init__(adjustments)
        self.began = time.monotonic()

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head."""
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            # A length of thousands of digits, or an address with half a bracket.
            raise ParsingError("the head of the request cannot be read") from error
        # Waitress takes it out of the headers where it follows it.
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("where the body of the request ends is not clear")
        if "," in self.headers.get("HOST", ""):
            raise ParsingError("there is more than one Host")
        if self.content_length > MEGABYTE:
            self._check_long_body()

    def received(self, data: bytes) -> int:
        """Take the next bytes, and say how many of them belong to this request."""
        megabytes = self.body_bytes_received // MEGABYTE
        if not self.headers_finished and not self.header_plus:
            # Empty lines before a request are taken at once: each would be parsed as a request of its own.
            rest = data.lstrip()
            taken = len(data) - len(rest)
            if rest:
                taken += super().received(rest)
        else:
            taken = int(super().received(data))
        if self.error:
            self.expect_continue = False
        if not self.completed and self.body_bytes_received // MEGABYTE > megabytes:
            self._check_long_body()
        # What follows belongs to its body, and is no request.
        return len(data) if self.refusal else taken

    def _check_long_body(self) -> None:
        """Read no more of a body that is refused: the application gets the request without it, to answer."""
        self.refusal = self.reason_to_refuse(self)
        if self.refusal is None:
            return
        self.close()
        self.headers.setdefault("CONTENT_LENGTH", str(self.body_bytes_received))
        self.body_rcv = self.sender = None
        self.content_length = 0
        self.completed = True
        self.expect_continue = False
        self.headers["CONNECTION"] = "close"

    def place(self, base: str) -> tuple[str, str]:
        """Return the method and the path that the application is told, below the path of the site."""
        return self.command, below("/" + self.path.lstrip("/"), base)

    @property
    def is_coming(self) -> int:
        """How many bytes of its body have not arrived."""
        return max(self.content_length - self.body_bytes_received, 0)

    @property
    def deadline(self) -> float:
        """When all of it must have arrived."""
        if not self.headers_finished:
            return self.began + HEAD_SECONDS
        return self.began + BODY_SECONDS + self.content_length / BODY_BYTES_A_SECOND


class TooManyRequestsError(Exception):
    """A client sends more requests at once than a connection may have."""


class Requests(list[Incoming]):
    """The requests of one connection that have arrived and are not answered yet."""

    def append(self, request: Incoming) -> None:
        """Add a request, where there is room for one."""
        if len(self) >= REQUESTS_AT_ONCE:
            raise TooManyRequestsError
        super().append(request)


class Answer(WSGITask):
    """The answer to a request, which the application gives."""

    def get_environment(self) -> dict[str, Any]:
        """Return what the application is told, and why the server wants the request refused if it does."""
        environ: dict[str, Any] = super().get_environment()
        if self.request.refusal is not None:
            environ[REFUSAL] = self.request.refusal
        return environ


class Connection(HTTPChannel):
    """A connection, which knows until when it may wait."""

    parser_class = Incoming
    task_class = Answer
    has_asked = False
    is_refused = False
    ignored_until = 0.0
    # Its next request waits until the answer before it is taken: answers wait in files, each of them open.
    is_held = False
    # Since when an answer waits to be taken, and how much was taken since.
    offered_at = 0.0
    taken = 0

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.requests = Requests()

    def readable(self) -> bool:
        """Return whether to read on: not while the server ends."""
        return bool(self.server.accepting and super().readable())

    def is_overdue(self, now: float) -> bool:
        """Return whether its client has had time enough."""
        if self.ignored_until:
            return now > self.ignored_until
        quiet = time.time() - self.last_activity
        if self.total_outbufs_len:
            return quiet > STALLED_SECONDS or self._takes_too_slowly(now - self.offered_at)
        if self.requests:
            return False
        if self.request is not None:
            return bool(now > self.request.deadline)
        return bool(quiet > (IDLE_SECONDS if self.has_asked else HEAD_SECONDS))

    def _takes_too_slowly(self, waited: float) -> bool:
        return waited > TAKING_SECONDS and self.taken < waited * TAKEN_BYTES_A_SECOND

    def write_soon(self, data: Any) -> int:
        """Offer a piece of an answer."""
        if not self.total_outbufs_len:
            self.offered_at, self.taken = time.monotonic(), 0
        return int(super().write_soon(data))

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait for a slow reader only where the rest of the answer cannot wait in a file."""
        waiting = self.total_outbufs_len
        if waiting > self.adj.outbuf_high_watermark and (
            waiting >= ANSWER_WAITING or not self.server.has_room_for_answers()
        ):
            super()._flush_outbufs_below_high_watermark()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send what the client takes of a piece."""
        sent = int(super().send(data, do_close=do_close))
        self.taken += sent
        return sent

    def writable(self) -> bool:
        """Return whether there is anything to do as soon as the client takes something."""
        return bool(super().writable() or self.is_held)

    def handle_write(self) -> None:
        """Send on; when all is taken, the next request is answered."""
        super().handle_write()
        if self.is_held and self.connected and not self.total_outbufs_len:
            self.is_held = False
            self.server.add_task(self)

    def service(self) -> None:
        """Answer one request."""
        self.has_asked = True
        self.is_refused = self.requests[0].refusal is not None
        super().service()

    def handle_close(self) -> None:
        """Close the connection; after a refused body in a moment, else its sender would never read why."""
        if self.is_refused and self.connected and not self.ignored_until:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.ignored_until = time.monotonic() + IGNORE_SECONDS
                self.will_close = self.close_when_flushed = False
                return
        super().handle_close()

    def received(self, data: bytes) -> bool:
        """Take what has arrived; the rest of a body that was refused is thrown away."""
        if self.ignored_until:
            return False
        try:
            return bool(super().received(data))
        except TooManyRequestsError:
            self.handle_close()
            return False

    def drop_waiting(self) -> None:
        """Drop the requests behind the one that is answered now."""
        with self.requests_lock:
            del self.requests[0 if self.is_held else 1 :]
            self.is_held = False


class Lanes:
    """Groups of threads, so that ratings (PUT) never wait for pages, nor pages for forms.

    A form (POST) may wait long for a project's turn to assign. What takes long for each request has threads
    beside these: passwords are checked by two, exports are written by two, and two compute pages of results.
    """

    def __init__(self, application: Flask, base: str) -> None:
        self.application = application
        self.base = base
        self._threads = {lane: ThreadedTaskDispatcher() for lane in Lane}
        # Says that too many wait already.
        self._refusing = ThreadedTaskDispatcher()

    def set_thread_count(self, count: int) -> None:
        """Give most of the threads to ratings, a seventh to pages, a quarter to forms; none of them ends all.

        Pages take as much of the processor as ratings do: with as many threads they held up ratings, and each
        other. A form that asks for the next page waits for the database (see tests/trials/README.md).
        """
        pages, forms = -(-count // 7), -(-count // 4)
        shares = {Lane.RATINGS: max(count - pages - forms, pages), Lane.PAGES: pages, Lane.FORMS: forms}
        for lane, threads in self._threads.items():
            threads.set_thread_count(shares.get(lane, min(count, 2)))
        self._refusing.set_thread_count(min(count, 1))

    def add_task(self, connection: Connection) -> None:
        """Let the first request of a connection be answered."""
        request = connection.requests[0]
        # A head that could not be read names nothing.
        lane = Lane.PAGES if request.error else lane_of(self.application, *request.place(self.base))
        threads = self._threads[lane]
        if lane is Lane.PASSWORDS and len(threads.queue) >= PASSWORDS_WAITING:
            request.refusal = ServiceUnavailable(MANY_SIGN_IN, retry_after=5)
            threads = self._refusing
        threads.add_task(connection)


class Listener(TcpWSGIServer):
    """Accepts connections and closes those that are overdue."""

    channel_class = Connection
    most_connections = CONNECTIONS
    accepted_at_once = ACCEPTED_AT_ONCE

    def add_task(self, connection: Connection) -> None:
        """Let the next request of a connection be answered, when the answer before it is taken."""
        if connection.total_outbufs_len:
            connection.is_held = True
        else:
            super().add_task(connection)

    def has_room_for_answers(self) -> bool:
        """Return whether more of answers may wait in files."""
        waiting = sum(one.total_outbufs_len for one in list(self.active_channels.values()))
        disk = shutil.disk_usage(tempfile.gettempdir())
        return waiting < ANSWERS_WAITING and disk.free > disk.total * KEPT_FREE

    def maintenance(self, _now: float) -> None:
        """Close what is overdue; waitress calls it every second."""
        now = time.monotonic()
        for connection in list(self.active_channels.values()):
            if connection.is_overdue(now):
                connection.handle_close()

    def handle_accept(self) -> None:
        """Accept who waits; where all connections are taken, the one that was quiet for longest is closed."""
        for _ in range(self.accepted_at_once):
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == before:
                return
            if before >= self.most_connections:
                waiting = [one for one in self.active_channels.values() if not one.requests]
                # There is one at least: the newcomer.
                min(waiting, key=lambda one: one.last_activity).handle_close()


class LongBodies:
    """Says which bodies of more than a megabyte are received: files, while there is room for them.

    The application is asked only after the whole body: until then everybody may send who was ever signed in.
    """

    def __init__(self, application: Flask, settings: Settings, connections: dict[int, Connection]) -> None:
        self.application = application
        self.settings = settings
        self.connections = connections

    def reason_to_refuse(self, asked: Incoming) -> Exception | None:
        """Return why a body is not received any further, if it is not."""
        asked.sender = sender_of_file(
            self.application,
            *asked.place(self.settings.path),
            asked.headers.get("COOKIE", ""),
            asked.headers.get("AUTHORIZATION", ""),
        )
        length = max(asked.content_length, asked.body_bytes_received)
        if asked.sender is None or length > largest_upload(self.settings):
            return RequestEntityTooLarge()
        others = [one for one in self._requests() if one.sender is not None and one is not asked]
        if sum(one.sender == asked.sender for one in others) >= FILES_AT_ONCE:
            return TooManyError(SEVERAL, retry_after=30)
        try:
            refuse_full_disk(
                self.settings.uploads_path, asked.is_coming + sum(one.is_coming for one in others)
            )
        except NoRoomError as error:
            return error
        return None

    def _requests(self) -> Iterator[Incoming]:
        """Yield the requests that arrive or are not answered yet."""
        for connection in list(self.connections.values()):
            for request in (connection.request, *connection.requests):
                if request is not None:
                    yield request


class WebServer:
    """Serves an application, from this process or from several that are forked from it.

    Each process that has served calls `close` at its end.
    """

    def __init__(
        self,
        application: Flask,
        settings: Settings,
        greeting: str,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.application = application
        self.settings = settings
        self.greeting = greeting
        self._close = close
        self._is_stopping = False
        self._wake: Callable[[], None] = lambda: None

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        listening = _listen(self.settings.host, self.settings.port)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_stop)
        if self.settings.web_workers == 1:
            self._serve(listening, lambda: say(self.settings, self.greeting), os.getpid())
            self._close()
        else:
            self._serve_from_several(listening)

    def _told_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        # Whatever a thread waits for then: what was acknowledged is in the database.
        last = threading.Timer(LAST_SECONDS, os._exit, (0,))
        last.daemon = True
        last.start()
        self._stop()

    def _stop(self) -> None:
        self._is_stopping = True
        # It may have noticed by itself, and closed what wakes it.
        with suppress(OSError):
            self._wake()

    def _serve(
        self, listening: socket.socket, greet: Callable[[], None], number: int, parent: int | None = None
    ) -> None:
        """Serve from this process, as long as its parent lives, on the core that its number chooses."""
        self._prepare()
        _stay_on_one_core(number)
        application = self.application
        connections: dict[int, Any] = {}
        dispatcher = Lanes(application, self.settings.path)
        dispatcher.set_thread_count(self.settings.web_threads)
        listener = Listener(
            application,
            connections,
            True,
            listening,
            dispatcher=dispatcher,
            adj=_adjustments(listening),
            bind_socket=False,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
        )
        if self.settings.web_workers > 1:
            # The others wake up too: else one process takes all who wait.
            listener.accepted_at_once = 1
        long_bodies = LongBodies(application, self.settings, listener.active_channels)
        Incoming.reason_to_refuse = long_bodies.reason_to_refuse
        self._wake = listener.pull_trigger
        greet()
        while not self._is_stopping and (parent is None or os.getppid() == parent):
            wasyncore.poll2(1.0, connections)
        self._finish(listener, connections)

    def _prepare(self) -> None:
        """Make this process ready: its memory, its threads, and its background worker soon after."""
        sys.setswitchinterval(SWITCH_SECONDS)
        # How many requests wait for a thread is nobody's concern.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        uploads = self.settings.uploads_path
        uploads.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Large bodies wait where they will be kept: a system's own folder is often in memory.
        tempfile.tempdir = str(uploads)
        _keep_little()
        Listener.most_connections = _most_connections()
        warm_up(self.application)
        _keep_what_is_loaded()
        gc.set_threshold(*USUAL_GARBAGE)
        # The first pages do not wait for it.
        threading.Thread(target=load_rest, args=(self.application,), name="load-rest", daemon=True).start()

    def _finish(self, listener: Listener, connections: dict[int, Any]) -> None:
        """Answer what was asked, for a moment, and nothing new."""
        listener.accepting = False
        listener.del_channel()
        listener.socket.close()
        for connection in list(listener.active_channels.values()):
            connection.drop_waiting()
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            at_work = [
                one for one in listener.active_channels.values() if one.requests or one.total_outbufs_len
            ]
            if not at_work:
                break
            wasyncore.poll2(0.1, connections)
        listener.task_dispatcher.set_thread_count(0)
        self._wake = lambda: None
        wasyncore.close_all(connections)

    def _serve_from_several(self, listening: socket.socket) -> None:
        """Fork processes, replace those that end, and end them all with this one."""
        import app.jobs.worker  # noqa: F401 - loaded once, not in each process

        # Once: each process would look through it again, and so copy the memory that they share.
        _keep_what_is_loaded()
        parent = os.getpid()
        children: dict[int, int] = {}
        while not self._is_stopping:
            for place in set(range(self.settings.web_workers)) - {*children.values()}:
                child = os.fork()
                if child == 0:
                    if counts := self.application.extensions.get("counts"):
                        counts.count_for(place)
                    self._serve(listening, lambda: None, parent + place, parent)
                    self._close()
                    os._exit(0)
                children[child] = place
            if self.greeting:
                say(self.settings, self.greeting)
                self.greeting = ""
            for child in _ended({*children}):
                log.error("a web process ended and is replaced")
                del children[child]
            time.sleep(0.5)
        listening.close()
        _end({*children})


def _listen(host: str, port: int) -> socket.socket:
    family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(place)
    # The system keeps as many waiting as it allows.
    listening.listen(1024)
    return listening


def _stay_on_one_core(number: int) -> None:
    """Keep this thread, and those that it starts from now on, on the core that a number chooses.

    Only one of them runs Python at a time. Where they hand that from core to core, a request takes twice the
    processor time (see tests/trials/README.md). What has been started before stays free: the worker, and the
    processes that it starts. Numbers in a row lead to different cores, as long as there are so many.
    """
    # Not on macOS; refused in some containers.
    with suppress(AttributeError, OSError):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _keep_what_is_loaded() -> None:
    """Never look for garbage in what is loaded by now: it stays, and that would hold up requests."""
    gc.freeze()


def _keep_little() -> None:
    """Let the C library give back what was freed: checking a password takes tens of megabytes."""
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(ARENA_MAX, AREAS)
        mallopt(MMAP_THRESHOLD, LARGE)


def _adjustments(listening: socket.socket) -> Adjustments:
    """Return waitress's settings."""
    return Adjustments(
        sockets=[listening],
        # Connections are limited and closed by the listener.
        connection_limit=2**31,
        cleanup_interval=1,
        recv_bytes=IN_MEMORY,
        inbuf_overflow=IN_MEMORY,
        outbuf_overflow=ANSWER_IN_MEMORY,
        max_request_header_size=HEAD_BYTES,
        # The application's own limits are lower.
        max_request_body_size=sys.maxsize,
        log_socket_errors=False,
        # Proxies are trusted by TRUSTED_PROXIES, in the application, and by nothing else.
        clear_untrusted_proxy_headers=False,
        ident=None,
        server_name="localhost",
    )


def _most_connections() -> int:
    """Return how many connections can be open; the system's limit on open files is raised for them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * FILES_OF_CONNECTION + OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max((allowed - OTHER_FILES) // FILES_OF_CONNECTION, 50)


def _ended(children: set[int]) -> set[int]:
    """Return which of these processes have ended."""
    return {child for child in children if os.waitpid(child, os.WNOHANG)[0] == child}


def _end(children: set[int]) -> None:
    """End processes: at first with the time to answer, then at once."""
    for child in children:
        os.kill(child, signal.SIGTERM)
    until = time.monotonic() + STOP_SECONDS + 0.3
    while children and time.monotonic() < until:
        children -= _ended(children)
        time.sleep(0.05)
    for child in children:
        os.kill(child, signal.SIGKILL)
