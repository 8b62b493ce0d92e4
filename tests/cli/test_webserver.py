"""The web server: slow and silent clients take no thread, and nothing is read that will be refused."""

import json
import os
import signal
import socket
import threading
import time
from contextlib import closing, suppress
from dataclasses import replace
from http.client import HTTPConnection

import pytest

from app.cli import webserver
from app.cli.webserver import REQUESTS_AT_ONCE, Connection, Incoming, Listener, WebServer
from app.http import receiving
from app.http.limits import MEGABYTE

HEAD = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
UPLOAD = b"POST /p/load/import/queries HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
ASK = b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Client:
    """A connection on which anything can be sent."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)

    def send(self, *parts):
        for part in parts:
            self.socket.sendall(part)
        return self

    def read(self):
        """Return everything until the server closes the connection."""
        parts = []
        with suppress(ConnectionResetError):
            while part := self.socket.recv(65536):
                parts.append(part)
        return b"".join(parts)

    def status(self):
        """Return the status of the next answer."""
        return int(self.socket.recv(65536).split(None, 2)[1])


@pytest.fixture
def workers():
    return 1


@pytest.fixture
def server(app, settings, monkeypatch, workers):
    # What concerns the process as a whole: it is the tests' own here.
    monkeypatch.setattr(WebServer, "_prepare", lambda _self: None)
    server, ready = WebServer(app, replace(settings, web_workers=workers), ""), threading.Event()
    listening = webserver._listen("127.0.0.1", 0)
    serving = threading.Thread(target=server._serve, args=(listening, ready.set, 0))
    serving.start()
    ready.wait(10)
    server.port = listening.getsockname()[1]

    def stop():
        server._stop()
        serving.join(10)
        assert not serving.is_alive()

    server.stop = stop
    yield server
    stop()


@pytest.fixture
def port(server):
    return server.port


@pytest.fixture
def client(port):
    opened = []

    def open_one():
        opened.append(Client(port))
        return opened[-1]

    yield open_one
    for one in opened:
        one.socket.close()


@pytest.mark.parametrize(
    ("start", "drop"),
    [(ASK[:20], b"a"), (HEAD + b"Content-Length: 900\r\n\r\n", b"a"), (b"", b""), (ASK, b"")],
    ids=["head", "body", "nothing", "kept open"],
)
@pytest.mark.thorough
def test_who_is_too_slow_in_total_is_closed_however_often_a_byte_arrives(client, monkeypatch, start, drop):
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "IDLE_SECONDS"):
        monkeypatch.setattr(webserver, name, 0.5)
    one = client().send(start)
    one.socket.settimeout(0.1)
    began = time.monotonic()
    while time.monotonic() < began + 8:
        try:
            one.send(drop)
            if not one.socket.recv(65536):
                break
        except TimeoutError:
            continue
        except OSError:
            break

    assert time.monotonic() - began < 5


FORM = HEAD.replace(b"/sign-in", b"/theme") + b"Content-Length: 1\r\n\r\na"
SIGN_IN = HEAD + b"Content-Length: 1\r\n\r\na"
EXPORT = ASK.replace(b"/sign-in", b"/api/v1/projects/load/exports/qrels")


@pytest.fixture
def hold(monkeypatch):
    """Let the requests for a path wait in their threads; `begun` counts them, `let_go` ends it."""

    class Hold:
        begun, let_go = threading.Semaphore(0), threading.Event()

        def __call__(self, path):
            service = Connection.service

            def wait(connection):
                if connection.requests[0].path == path and connection.requests[0].refusal is None:
                    self.begun.release()
                    self.let_go.wait(10)
                service(connection)

            monkeypatch.setattr(Connection, "service", wait)

    hold = Hold()
    yield hold
    hold.let_go.set()


@pytest.mark.parametrize(
    ("path", "request_of", "status"),
    [
        ("/theme", FORM, 400),
        ("/sign-in", ASK, 200),
        ("/sign-in", SIGN_IN, 400),
        ("/sign-in", SIGN_IN.replace(b"/sign-in", b"//sign-in"), 400),
        ("/api/v1/projects/load/exports/qrels", EXPORT, 401),
    ],
    ids=["forms", "pages", "passwords", "passwords by another spelling", "exports"],
)
def test_everything_else_is_served_while_every_thread_for_one_thing_waits(
    client, settings, hold, path, request_of, status
):
    hold("/" + path if b"//sign-in" in request_of else path)
    is_split = request_of in {FORM, ASK}
    waiting = [client().send(request_of) for _ in range(settings.web_threads * 2)]
    for _ in range(-(-settings.web_threads // 7) if is_split else 2):
        assert hold.begun.acquire(timeout=10)

    others = {
        "rating": client().send(FORM.replace(b"POST /theme", b"PUT /rating")),
        **({} if request_of == ASK else {"page": client().send(ASK.replace(b"/sign-in", b"/healthz"))}),
        **({} if request_of == FORM else {"form": client().send(FORM.replace(b"/theme", b"/language"))}),
    }
    statuses = {name: one.status() for name, one in others.items()}
    hold.let_go.set()

    assert statuses == {name: {"rating": 302, "page": 200, "form": 400}[name] for name in others}
    assert {one.status() for one in waiting} == {status}


@pytest.mark.thorough
def test_who_signs_in_behind_too_many_others_is_told_at_once_to_come_back(client, hold, monkeypatch):
    monkeypatch.setattr(webserver, "PASSWORDS_WAITING", 3)
    hold("/sign-in")
    first = [client().send(SIGN_IN) for _ in range(2)]
    for _ in first:
        assert hold.begun.acquire(timeout=10)
    first += [client().send(SIGN_IN) for _ in range(3)]
    time.sleep(0.5)

    answer = client().send(SIGN_IN).socket.recv(65536)
    hold.let_go.set()

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 5\r\n" in answer
    assert [one.status() for one in first] == [400] * 5


@pytest.fixture
def large(app, monkeypatch):
    """An answer that no system takes from the server before it is read."""
    length, others = 3_000_000, app.wsgi_app

    def answer(environ, start_response):
        if environ["PATH_INFO"] != "/large":
            return others(environ, start_response)
        start_response("200 OK", [("Content-Length", str(length))])
        return [b"a" * length]

    monkeypatch.setattr(app, "wsgi_app", answer)
    return ASK.replace(b"/sign-in", b"/large"), length


@pytest.mark.thorough
def test_no_request_is_answered_before_the_answer_before_it_is_taken(large, client, monkeypatch):
    answered, service = [], Connection.service

    def count(connection):
        answered.append(connection)
        service(connection)

    monkeypatch.setattr(Connection, "service", count)
    asked, length = large
    one = client().send(
        asked * (REQUESTS_AT_ONCE - 1) + asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    )
    time.sleep(2)

    # The system may have taken some.
    assert len(answered) < REQUESTS_AT_ONCE / 2
    answers = one.read()
    assert answers.count(b"HTTP/1.1 200 ") == REQUESTS_AT_ONCE
    assert answers.count(b"a" * length) == REQUESTS_AT_ONCE


@pytest.mark.thorough
@pytest.mark.parametrize(("speed", "is_cut"), [(10**9, True), (1000, False)])
def test_who_takes_an_answer_too_slowly_on_average_is_cut_off(large, client, monkeypatch, speed, is_cut):
    monkeypatch.setattr(webserver, "TAKING_SECONDS", 1)
    monkeypatch.setattr(webserver, "TAKEN_BYTES_A_SECOND", speed)
    asked, length = large
    one = client().send(
        asked * (REQUESTS_AT_ONCE - 1) + asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    )
    began, taken = time.monotonic(), 0
    while time.monotonic() < began + 4:
        taken += len(one.socket.recv(1000))
        time.sleep(0.05)

    assert (taken + len(one.read()) < length * REQUESTS_AT_ONCE) is is_cut


@pytest.mark.thorough
@pytest.mark.parametrize(("kept", "is_answered"), [(webserver.ANSWERS_WAITING, True), (0, False)])
def test_an_export_waits_for_no_slow_reader_of_another_while_there_is_room(
    app, client, monkeypatch, kept, is_answered
):
    monkeypatch.setattr(webserver, "ANSWERS_WAITING", kept)
    written = threading.Semaphore(0)

    def answer(_environ, start_response):
        start_response("200 OK", [])
        yield from [b"a" * MEGABYTE] * 30
        written.release()

    monkeypatch.setattr(app, "wsgi_app", answer)
    readers = [client().send(EXPORT) for _ in range(2)]

    assert written.acquire(timeout=3) is is_answered
    assert written.acquire(timeout=3) is is_answered
    another = client().send(EXPORT)
    assert written.acquire(timeout=3) is is_answered
    for one in (*readers, another):
        one.socket.close()


@pytest.mark.parametrize(("hard", "most"), [(1024, 362), (100_000, 1000), (200, 50)])
def test_files_are_reckoned_for_each_connection(monkeypatch, hard, most):
    monkeypatch.setattr(webserver.resource, "getrlimit", lambda _which: (1024, hard))
    monkeypatch.setattr(webserver.resource, "setrlimit", lambda *_: None)

    assert webserver._most_connections() == most


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system keeps no thread on a core")
def test_all_requests_are_answered_on_one_core_and_what_ran_before_is_free(client, monkeypatch):
    cores, service = [], Connection.service

    def look(connection):
        cores.append(frozenset(os.sched_getaffinity(0)))
        service(connection)

    monkeypatch.setattr(Connection, "service", look)
    free = os.sched_getaffinity(0)
    for request in (
        ASK,
        HEAD + b"Content-Length: 1\r\n\r\na",
        HEAD.replace(b"POST", b"PUT") + b"Content-Length: 1\r\n\r\na",
    ):
        client().send(request).status()

    assert [len(one) for one in cores] == [1, 1, 1]
    assert len({*cores}) == 1
    assert os.sched_getaffinity(0) == free


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system keeps no thread on a core")
def test_several_processes_are_on_different_cores(app, settings, monkeypatch):
    reading, writing = os.pipe()

    def serve(_self, _listening, _greet, number, _parent):
        webserver._stay_on_one_core(number)
        os.write(writing, f"{sorted(os.sched_getaffinity(0))}\n".encode())
        signal.pause()

    monkeypatch.setattr(WebServer, "_serve", serve)
    server = WebServer(app, replace(settings, web_workers=2), "")
    listening = webserver._listen("127.0.0.1", 0)
    serving = threading.Thread(target=server._serve_from_several, args=(listening,))
    serving.start()
    try:
        said = b""
        while said.count(b"\n") < 2:
            said += os.read(reading, 100)
    finally:
        server._stop()
        serving.join(10)

    cores = [json.loads(one) for one in said.splitlines()[:2]]
    assert [len(one) for one in cores] == [1, 1]
    assert len({core for one in cores for core in one}) == min(2, len(os.sched_getaffinity(0)))
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(("workers", "most"), [(1, 5), (2, 1)])
def test_of_several_processes_none_takes_all_who_wait(client, monkeypatch, most):
    taken, accept, all_wait = [], Listener.handle_accept, threading.Event()

    def look(listener):
        all_wait.wait(10)
        before = len(listener.active_channels)
        accept(listener)
        taken.append(len(listener.active_channels) - before)

    monkeypatch.setattr(Listener, "handle_accept", look)
    clients = [client() for _ in range(5)]
    all_wait.set()

    assert [one.send(ASK).status() for one in clients] == [200] * 5
    assert max(taken) == most


def test_everybody_is_served_while_more_connections_than_threads_send_half_a_request(client, settings):
    for number in range(settings.web_threads * 3):
        client().send((HEAD + b"Content-Length: 900\r\n\r\na", ASK[:20], b"")[number % 3])

    assert client().send(ASK).status() == 200


def test_where_all_connections_are_taken_the_quietest_makes_room(client, monkeypatch):
    monkeypatch.setattr(Listener, "most_connections", 5)
    quiet = [client() for _ in range(12)]

    assert client().send(ASK).status() == 200
    assert quiet[0].read() == b""


@pytest.mark.parametrize(
    "length", [b"Content-Length: 5000000\r\n", b"Content-Length: 5000000\r\nExpect: 100-continue\r\n"]
)
def test_a_body_that_is_too_long_is_refused_before_any_of_it_is_read(client, length):
    answer = client().send(HEAD, length, b"\r\n").read()

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"larger than the server accepts" in answer


def test_who_sends_all_of_a_body_that_is_refused_still_reads_why(port):
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as one:
        one.request(
            "POST", "/sign-in", b"a" * 6_000_000, {"Content-Type": "application/x-www-form-urlencoded"}
        )
        answer = one.getresponse()

        assert answer.status == 413
        assert b"larger than the server accepts" in answer.read()


def test_nothing_in_a_refused_body_is_taken_for_a_request(client):
    answer = client().send(HEAD, b"Content-Length: 5000000\r\n\r\n", ASK, ASK).socket

    answers = b""
    answer.shutdown(socket.SHUT_WR)
    while part := answer.recv(65536):
        answers += part
    assert answers.count(b"HTTP/1.1 ") == 1


def test_a_body_without_a_length_is_refused_at_the_limit(client):
    piece = b"20000\r\n" + b"a" * 0x20000 + b"\r\n"

    answer = client().send(HEAD, b"Transfer-Encoding: chunked\r\n\r\n", *[piece] * 8).read()

    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.fixture
def upload(app, client, making):
    """Begin to send a file as an owner, and return the connection."""
    with making() as make:
        person = make.member(make.project(slug="load"), "owner")
    held = {"_permanent": True, "person": person.id, "epoch": person.session_epoch}
    cookie = app.session_interface.get_signing_serializer(app).dumps(held).encode()

    def begin(head, cookie=cookie):
        return client().send(UPLOAD, head, b"Cookie: touchstone=", cookie, b"\r\n\r\n")

    return begin


LONG = b"Content-Length: 5000000\r\nExpect: 100-continue\r\n"
CHUNK = b"100000\r\n" + b"a" * MEGABYTE + b"\r\n"


def test_a_file_is_received_only_from_somebody_who_is_signed_in(client, upload):
    assert upload(LONG).status() == 100
    assert client().send(UPLOAD, LONG, b"\r\n").status() == 302
    assert upload(LONG, b"forged").status() == 302


def test_a_file_beyond_the_limit_is_refused_by_its_length(upload):
    answer = upload(b"Content-Length: 20000000000\r\n").read()

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"larger than the server accepts" in answer


def test_a_file_without_a_length_is_refused_at_the_limit(upload, monkeypatch):
    monkeypatch.setattr(webserver, "largest_upload", lambda _settings: 3 * MEGABYTE)
    sending = upload(b"Transfer-Encoding: chunked\r\n").send(*[CHUNK] * 3)

    with suppress(OSError):
        sending.send(*[CHUNK] * 3)

    assert sending.read().startswith(b"HTTP/1.1 413 ")


def test_a_file_that_the_disk_has_no_room_for_is_refused_by_its_length(upload, monkeypatch):
    monkeypatch.setattr(receiving, "KEPT_FREE", 1)

    answer = upload(LONG).read()

    assert answer.startswith(b"HTTP/1.1 507 ")
    assert b"disk is nearly full" in answer


@pytest.mark.thorough
def test_what_the_server_refuses_by_itself_it_says_in_the_language_of_the_visitor(
    client, upload, monkeypatch
):
    first = [upload(LONG) for _ in range(3)]
    assert [one.status() for one in first] == [100] * 3
    german = LONG + b"Accept-Language: de\r\n"
    assert "Drei Ihrer Dateien werden noch übertragen" in upload(german).read().decode()
    for one in first:
        one.socket.close()
    monkeypatch.setattr(receiving, "KEPT_FREE", 1)
    assert "Die Festplatte des Servers ist fast voll: Von " in upload(german).read().decode()

    large = b"Content-Length: 5000000\r\nAccept-Language: fr\r\n\r\n"
    assert "plus volumineux" in client().send(HEAD, large).read().decode()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "sentence"), [("es", "Muchas personas"), ("fr", "Beaucoup de personnes")]
)
def test_who_has_to_wait_to_sign_in_reads_so_in_their_own_language(
    client, hold, monkeypatch, language, sentence
):
    monkeypatch.setattr(webserver, "PASSWORDS_WAITING", 0)
    head = SIGN_IN.replace(
        b"\r\n\r\n", f"\r\nAccept-Language: {language}\r\nConnection: close\r\n\r\n".encode()
    )

    assert sentence in client().send(head).read().decode()


@pytest.mark.parametrize("length", [b"Content-Length: 9000000\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_a_file_is_refused_as_soon_as_the_disk_has_no_more_room_for_it(upload, monkeypatch, length):
    sending = upload(length).send(*[CHUNK] * 2)
    monkeypatch.setattr(receiving, "KEPT_FREE", 1)

    with suppress(OSError):
        sending.send(*[CHUNK] * 3)

    assert sending.read().startswith(b"HTTP/1.1 507 ")


def test_of_one_person_three_files_are_received_at_once(upload):
    first = [upload(LONG) for _ in range(3)]
    assert [one.status() for one in first] == [100] * 3

    refused = upload(LONG).read()
    assert refused.startswith(b"HTTP/1.1 429 ")
    assert b"Three of your files are still being uploaded" in refused

    first[0].socket.close()
    for _ in range(50):
        status = upload(LONG).status()
        if status == 100:
            break
        time.sleep(0.1)
    assert status == 100


def test_one_connection_serves_request_after_request(port):
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as one:
        statuses, sockets = [], set()
        for _ in range(3):
            one.request("GET", "/sign-in")
            answer = one.getresponse()
            answer.read()
            statuses.append(answer.status)
            sockets.add(one.sock)

    assert statuses == [200] * 3
    assert len(sockets) == 1


def test_only_declared_proxies_say_where_a_request_comes_from(client):
    asked = client().send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: evil.example\r\n\r\n")

    assert b"evil" not in asked.socket.recv(65536)


def test_the_head_of_a_request_is_at_most_32_kilobytes(client):
    assert client().send(b"GET /sign-in?", b"a" * webserver.HEAD_BYTES, b" HTTP/1.1\r\n\r\n").status() == 431


def test_who_sends_many_requests_at_once_is_closed_and_everybody_else_is_served(client):
    floods = [client() for _ in range(20)]
    for one in floods:
        with suppress(OSError):
            one.send(b"G / HTTP/1.1\r\n\r\n" * 2000)
    began = time.monotonic()

    assert client().send(ASK).status() == 200
    assert time.monotonic() - began < 5
    assert all(one.read().count(b"HTTP/1.1 ") <= REQUESTS_AT_ONCE for one in floods)


def test_a_few_requests_at_once_are_all_answered(client):
    close = ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    answers = client().send(ASK * (REQUESTS_AT_ONCE - 1) + close).read()

    assert answers.count(b"HTTP/1.1 200 ") == REQUESTS_AT_ONCE


def test_empty_lines_before_a_request_are_no_requests(client, monkeypatch):
    begun = []

    class Counted(Incoming):
        def __init__(self, adjustments):
            begun.append(self)
            super().__init__(adjustments)

    monkeypatch.setattr(Connection, "parser_class", Counted)

    assert client().send(b"\r\n\r\n" * 4000 + ASK).status() == 200
    assert len(begun) == 1


@pytest.mark.thorough
def test_at_the_end_a_connection_gets_the_answer_it_waits_for_and_no_further_one(
    app, server, client, monkeypatch
):
    answer, begun = app.wsgi_app, threading.Semaphore(0)

    def slow(environ, start_response):
        begun.release()
        time.sleep(0.3)
        return answer(environ, start_response)

    monkeypatch.setattr(app, "wsgi_app", slow)
    one = client().send(ASK * 4)
    assert begun.acquire(timeout=10)
    server.stop()

    assert one.read().count(b"HTTP/1.1 200 ") == 1
    assert not begun.acquire(blocking=False)


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
        HEAD.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n",
        HEAD + b"Content-Length: " + b"1" * 5000 + b"\r\n",
        HEAD + b"Content-Length: " + b"1" * 5000 + b"\r\nExpect: 100-continue\r\n",
        b"GET http://[/ HTTP/1.1\r\nHost: localhost\r\n",
        HEAD + b"Host: elsewhere\r\n",
    ],
    ids=[
        "both lengths",
        "both and expecting",
        "old version",
        "long length",
        "long and expecting",
        "address",
        "two hosts",
    ],
)
def test_a_head_that_cannot_be_followed_is_refused_and_the_connection_closed(client, head):
    answer = client().send(head + b"\r\n0\r\n\r\n" + ASK).read()

    assert answer.split(None, 2)[1] == b"400"
    assert answer.count(b"HTTP/1.") == 1
