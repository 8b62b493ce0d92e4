"""Bodies that break off: the sender's fault, whatever words the web server has for it."""

from __future__ import annotations

from typing import IO

from flask import Flask


class Body:
    """The stream of a request's body."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes.

        :raise OSError: They cannot be read, which Werkzeug answers with 400; the server's own errors would be
            a 500.
        """
        try:
            return self._stream.read(size)
        except OSError:
            raise
        except Exception as error:
            raise OSError("the body broke off or is not what its headers say") from error


def install(app: Flask) -> None:
    """Read every body through it."""
    answer = app.wsgi_app

    def read_safely(environ, start_response):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        environ["wsgi.input"] = Body(environ["wsgi.input"])
        return answer(environ, start_response)

    app.wsgi_app = read_safely  # type: ignore[method-assign]
