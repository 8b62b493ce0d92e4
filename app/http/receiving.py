"""Uploaded files: written to their folder as they arrive, hashed on the way, never held in memory.

A file that nobody keeps disappears with its request.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import IO, Any, cast

from flask import Flask, Request, current_app
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import ServiceUnavailable

from app.http.limits import ATTRIBUTE
from app.http.sessions import settings

HEAD = 4
FULL = "The server has no room for this file just now. Nothing was saved."


class ReceivedFile:
    """A file on its way to the uploads folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / f"{secrets.token_hex(16)}.part"
        # Readable by nobody else on this machine, whatever the folder allows.
        self._file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
        self._digest = hashlib.sha256()
        self._is_kept = False
        self.size = self.line_ends = 0
        self.head = b""

    def write(self, data: bytes) -> int:
        """Take the next bytes."""
        self._digest.update(data)
        self.size += len(data)
        self.line_ends += data.count(b"\n")
        if len(self.head) < HEAD:
            self.head = (self.head + data)[:HEAD]
        try:
            return self._file.write(data)
        except OSError as error:
            raise ServiceUnavailable(FULL) from error

    @property
    def sha256(self) -> bytes:
        """The hash of everything that was written."""
        return self._digest.digest()

    def keep_as(self, name: str) -> None:
        """Give the file its place in the folder, where it stays."""
        try:
            self._file.flush()
        except OSError as error:
            raise ServiceUnavailable(FULL) from error
        self._path.replace(self._path.with_name(name))
        self._is_kept = True

    def close(self) -> None:
        """End the writing; a file that was not kept is removed."""
        self._file.close()
        if not self._is_kept:
            self._path.unlink(missing_ok=True)

    def __del__(self) -> None:
        # A request that is refused half way closes nothing.
        if "_file" in self.__dict__:
            self.close()

    def __getattr__(self, name: str) -> Any:
        # Whatever else a stream can do, the open file does.
        return getattr(self.__dict__["_file"], name)


class ReceivingRequest(Request):
    """A request whose files go straight to the uploads folder, where a view takes files."""

    def _get_file_stream(
        self,
        total_content_length: int | None,
        content_type: str | None,
        filename: str | None = None,
        content_length: int | None = None,
    ) -> IO[bytes]:
        if getattr(current_app.view_functions.get(self.endpoint or ""), ATTRIBUTE, False):
            return cast("IO[bytes]", ReceivedFile(settings().uploads_path))
        return super()._get_file_stream(total_content_length, content_type, filename, content_length)


def received(storage: FileStorage) -> ReceivedFile:
    """Return the file behind a form's field."""
    assert isinstance(storage.stream, ReceivedFile)
    return storage.stream


def written(folder: Path, content: bytes) -> ReceivedFile:
    """Return bytes that are already here as a received file."""
    file = ReceivedFile(folder)
    file.write(content)
    return file


def install(app: Flask) -> None:
    """Receive files by streaming."""
    app.request_class = ReceivingRequest
