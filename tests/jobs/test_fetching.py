"""Images are fetched from allowed public hosts only: resolved once, without redirects, within limits."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import select

from app.jobs import fetching
from app.jobs.fetching import RefusedError, fetch, fetch_pictures, is_public
from app.models import Document, Picture, Project
from app.services.collection.answer_fields import AnswerFields, change_fields
from app.services.collection.pictures import await_pictures, count_pictures, get_picture
from app.services.errors import NotFoundError
from tests.furniture.routes import PICTURE

HOST = "images.example.org"
PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1%eth0",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378::1",
    "not an address",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_none_to_connect_to(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_a_public_address_is(address):
    assert is_public(address)


class _Seen:
    """What was asked of the network."""

    def __init__(self):
        self.resolved, self.requests = [], []


@pytest.fixture
def seen(monkeypatch):
    """Let every host resolve to a public address, and count what is asked; nothing leaves this machine."""
    seen = _Seen()

    real = socket.getaddrinfo

    def resolve(host, port, *rest, **options):
        if rest:
            return real(host, port, *rest, **options)
        seen.resolved.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in seen.addresses]

    seen.addresses = ["93.184.215.14"]
    monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
    return seen


@pytest.fixture
def server(seen, monkeypatch):
    """Let the public address lead to a server here, which answers as its pages say."""
    pages = {
        "/mug.gif": (200, PICTURE),
        "/moved": (302, b""),
        "/svg": (200, b"<svg/>"),
        "/big": (200, bytes(3 << 20)),
    }

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.requests.append((self.path, dict(self.headers)))
            status, content = pages.get(self.path.partition("?")[0], (404, b""))
            self.send_response(status)
            self.send_header("Content-Type", "image/gif")
            self.send_header("Location", "http://127.0.0.1/secret")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_values):
            pass

    real = socket.create_connection
    made = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    monkeypatch.setattr(
        fetching.socket,
        "create_connection",
        lambda address, timeout: (
            real(made.server_address, timeout) if address[0] == "93.184.215.14" else pytest.fail()
        ),
    )
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_an_image_of_an_allowed_host_is_fetched_and_the_host_resolved_once(server, seen):
    assert fetch(f"http://{HOST}/mug.gif?size=2", {HOST}) == PICTURE

    assert seen.resolved == [HOST]
    ((path, headers),) = seen.requests
    assert path == "/mug.gif?size=2"
    assert headers["Host"] == HOST
    assert not {"Referer", "Cookie", "X-Forwarded-For"} & headers.keys()


@pytest.mark.parametrize(
    "source",
    [
        "http://other.example.org/mug.gif",
        f"http://{HOST}.evil.example/mug.gif",
        f"http://evil.example#{HOST}/mug.gif",
        f"http://{HOST}@evil.example/mug.gif",
        f"http://user@{HOST}/mug.gif",
        f"http://{HOST}:8080/mug.gif",
        f"http://{HOST}:99999/mug.gif",
        f"https://{HOST}:80/mug.gif",
        f"ftp://{HOST}/mug.gif",
        "file:///etc/passwd",
        f"//{HOST}/mug.gif",
        f"http://{HOST}/mug.gif\r\nX-Other: 1",
        "http://2130706433/mug.gif",
        "http://0x7f.1/mug.gif",
        "http://0177.0.0.1/mug.gif",
        "http://[::ffff:127.0.0.1]/mug.gif",
        "http://[broken/mug.gif",
    ],
)
def test_no_other_host_port_or_scheme_is_asked(seen, monkeypatch, source):
    monkeypatch.setattr(fetching.socket, "create_connection", lambda *_: pytest.fail("a connection"))

    with pytest.raises(RefusedError):
        fetch(source, {HOST})


@pytest.mark.parametrize("address", PRIVATE[:-1])
def test_an_allowed_host_with_one_address_that_is_not_public_is_not_asked(seen, monkeypatch, address):
    monkeypatch.setattr(fetching.socket, "create_connection", lambda *_: pytest.fail("a connection"))
    seen.addresses = ["93.184.215.14", address]

    with pytest.raises(RefusedError, match="not public"):
        fetch(f"http://{HOST}/mug.gif", {HOST})


@pytest.mark.parametrize(
    ("path", "why"), [("moved", "answered 302"), ("missing", "answered 404"), ("big", "larger than 2 MB")]
)
def test_redirects_errors_and_large_files_are_refused(server, seen, path, why):
    with pytest.raises(RefusedError, match=why):
        fetch(f"http://{HOST}/{path}", {HOST})

    assert len(seen.requests) == 1


def test_a_slow_image_is_given_up(server, monkeypatch):
    monkeypatch.setattr(fetching, "SECONDS", -1.0)

    with pytest.raises(RefusedError, match="too long"):
        fetch(f"http://{HOST}/mug.gif", {HOST})


@pytest.fixture
def project(making):
    with making() as make:
        project = make.project()
        for number, name in enumerate(("mug.gif", "svg", "moved")):
            make.document(project, f"d{number}", extra={"photo": f"http://{HOST}/{name}"})
        make.document(project, "d9", extra={"photo": "https://elsewhere.example/cup.gif"})
        change_fields(make.session, project, AnswerFields(image="photo"))
        return project


@pytest.mark.thorough
def test_the_images_of_a_project_are_fetched_and_failures_said(server, stored, project, monkeypatch):
    monkeypatch.setenv("IMAGE_HOSTS", HOST)
    with stored.write() as session:
        assert await_pictures(session, session.get_one(Project, project.id), {HOST}) == 3

    fetch_pictures(stored, project.id)

    with stored.read() as session:
        counts = count_pictures(session, session.get_one(Project, project.id))
        assert (counts.named, counts.ready, counts.waiting, counts.failed, counts.missing) == (4, 1, 0, 2, 1)
        assert dict(counts.problems) == {
            f"http://{HOST}/svg": "it is no PNG, JPEG, GIF or WebP image",
            f"http://{HOST}/moved": "the host answered 302",
        }
        (ready,) = session.scalars(select(Picture).where(Picture.state == "ready"))
        assert get_picture(session, project.id, ready.public_id) == ("image/gif", PICTURE)
        with pytest.raises(NotFoundError):
            get_picture(session, project.id + 1, ready.public_id)


def test_nothing_is_fetched_from_a_host_that_is_no_longer_allowed(seen, stored, project, monkeypatch):
    monkeypatch.delenv("IMAGE_HOSTS", raising=False)
    with stored.write() as session:
        await_pictures(session, session.get_one(Project, project.id), {HOST})

    fetch_pictures(stored, project.id)

    assert seen.resolved == []
    with stored.read() as session:
        assert count_pictures(session, session.get_one(Project, project.id)).failed == 3
        assert session.scalars(select(Document)).first().text
