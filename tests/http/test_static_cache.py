"""Static files from memory are what the application itself answers, and nothing else is kept."""

import pytest
from werkzeug.test import EnvironBuilder

from app.http.assets import current_build
from app.http.static_cache import MOST, CachedAnswers

ENCODINGS = ("br", "gzip", "identity", "br;q=0, gzip")


def path(name: str, build: str | None = None) -> str:
    return f"/static/{build or current_build()}/{name}"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", ["js/main.js", "js/offline.js", "css/base.css", "favicon.svg"])
def test_the_second_answer_equals_the_first_to_the_byte(app, name: str, encoding: str) -> None:
    client = app.test_client()
    first, second = (client.get(path(name), headers={"Accept-Encoding": encoding}) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.data == second.data
    first.close()
    second.close()
    # Both may name the second in which they were answered.
    leave_out = ("Date", "Expires")
    assert [h for h in first.headers if h[0] not in leave_out] == [
        h for h in second.headers if h[0] not in leave_out
    ]
    assert "immutable" in second.headers["Cache-Control"]
    # A module is UTF-8 whatever is said: dozens of them need not say it.
    if name.endswith(".js") and encoding != "identity":
        assert second.content_type == "text/javascript"
    # It rules documents and workers; scripts and styles of a page go without.
    assert ("Content-Security-Policy" in second.headers) == (name in {"js/offline.js", "favicon.svg"})


def test_a_browser_that_has_the_file_is_told_so(app) -> None:
    client = app.test_client()
    for _ in range(2):
        tag = client.get(path("js/main.js"), headers={"Accept-Encoding": "br"}).headers["ETag"]
    answer = client.get(path("js/main.js"), headers={"Accept-Encoding": "br", "If-None-Match": tag})
    assert (answer.status_code, answer.data) == (304, b"")


def application(calls: list[str], status: str = "200 OK"):
    def answer(environ, start_response):
        calls.append(environ["PATH_INFO"])
        start_response(status, [("Content-Encoding", "br"), ("Content-Type", "text/css")])
        return [b"text"]

    return answer


def ask(kept: CachedAnswers, path: str, **environ: str) -> bytes:
    told: list[str] = []
    body = kept(
        {"REQUEST_METHOD": "GET", "PATH_INFO": path, **environ},
        lambda status, _headers, *_: told.append(status),  # type: ignore[arg-type, return-value]
    )
    return told[0].encode() + b" " + b"".join(body)


@pytest.mark.parametrize(
    ("place", "environ", "status"),
    [
        ("/static/old/a.css", {}, "200 OK"),
        ("/p/x/rate", {}, "200 OK"),
        ("/static/now/a.css", {"REQUEST_METHOD": "HEAD"}, "200 OK"),
        ("/static/now/a.css", {"HTTP_RANGE": "bytes=0-1"}, "200 OK"),
        ("/static/now/a.css", {}, "404 NOT FOUND"),
        ("/static/now/a.css", {}, "302 FOUND"),
    ],
)
def test_anything_else_is_asked_for_anew(place: str, environ: dict[str, str], status: str) -> None:
    calls: list[str] = []
    kept = CachedAnswers(application(calls, status), "/static/now/")
    for _ in range(3):
        assert ask(kept, place, **environ).startswith(status.encode())
    assert len(calls) == 3


def test_memory_has_an_end() -> None:
    calls: list[str] = []
    kept = CachedAnswers(application(calls), "/static/now/")
    for number in range(MOST + 10):
        ask(kept, "/static/now/a.css", HTTP_ACCEPT_ENCODING=f"br;q=0.{number}")
    assert len(kept._kept) == MOST
    calls.clear()
    assert ask(kept, "/static/now/a.css", HTTP_ACCEPT_ENCODING="br;q=0.7") == b"200 OK text"
    assert calls == []


@pytest.mark.parametrize("encoding", [{}, {"HTTP_ACCEPT_ENCODING": "identity"}])
def test_who_takes_nothing_compressed_gets_the_file_itself(app, encoding: dict[str, str]) -> None:
    handed: list[str] = []

    def wrapper(file, _size: int = 0):
        handed.append(file.name)
        return file

    environ = {
        **EnvironBuilder(path=path("js/main.js")).get_environ(),
        **encoding,
        "wsgi.file_wrapper": wrapper,
    }
    body = app.wsgi_app(environ, lambda *_: None)  # type: ignore[arg-type]
    body.close()

    assert [name.rpartition("/")[2] for name in handed] == ["main.js"]
