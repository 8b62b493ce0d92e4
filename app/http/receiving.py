"""Uploaded files: written to their folder as they arrive, hashed on the way, never held in memory.

A file that nobody keeps disappears with its request.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import threading
from collections import Counter
from pathlib import Path
from typing import IO, Any, cast

from flask import Flask, Request, current_app, g, request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import HTTPException, ServiceUnavailable

from app.http.limits import ATTRIBUTE, MEGABYTE, refuse_as_the_server_says
from app.http.permissions import current_actor_id
from app.http.sessions import read_session, settings
from app.sentences import message
from app.services.uploads import MOST_BYTES, ids_instead, refuse_beyond_share

HEAD = 4
BLOCK = 1 << 16
# The share of the disk that files leave free: the database needs room to grow.
KEPT_FREE = 0.1
FULL = message("The server has no room for this file just now. Nothing was saved.")
# More of one person arrive than the web server takes at once.
SEVERAL = message("Three of your files are still being uploaded. Upload this one when one of them is done.")


class NoRoomError(HTTPException):
    """The disk has no room for a file."""

    code = 507
    name = "Insufficient storage"


class _Arriving:
    """How many files of each person arrive just now, in this process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._numbers: Counter[int] = Counter()

    def begin(self, person_id: int) -> int:
        """Count one more, and return how many there are."""
        with self._guard:
            self._numbers[person_id] += 1
            return self._numbers[person_id]

    def end(self, person_id: int) -> None:
        """Count one less."""
        with self._guard:
            self._numbers[person_id] -= 1
            if not self._numbers[person_id]:
                del self._numbers[person_id]


_arriving = _Arriving()


class ReceivedFile:
    """A file on its way to the uploads folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / f"{secrets.token_hex(16)}.part"
        # Readable by nobody else on this machine, whatever the folder allows.
        self._file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
        self._digest = hashlib.sha256()
        self._is_kept = False
        self.size = self._line_ends = 0
        self._is_within_line = False
        self.head = b""

    def write(self, data: bytes) -> int:
        """Take the next bytes."""
        self._digest.update(data)
        self.size += len(data)
        self._line_ends += data.count(b"\n")
        if data:
            self._is_within_line = not data.endswith(b"\n")
        if len(self.head) < HEAD:
            self.head = (self.head + data)[:HEAD]
        try:
            return self._file.write(data)
        except OSError as error:
            raise ServiceUnavailable(FULL) from error

    def look(self) -> Path:
        """Return where the file is for now, with everything in it that has arrived."""
        self._file.flush()
        return self._path

    @property
    def lines(self) -> int:
        """The number of lines, also of a last one without a line end."""
        return self._line_ends + self._is_within_line

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
        if _takes_upload():
            return cast("IO[bytes]", ReceivedFile(settings().uploads_path))
        return super()._get_file_stream(total_content_length, content_type, filename, content_length)


def has_arrived(_error: BaseException | None = None) -> None:
    """Count the file of this request as arriving no more: it waits now, or was refused."""
    person_id: int | None = g.pop("arriving", None)
    if person_id is not None:
        _arriving.end(person_id)


def _refuse_without_room() -> None:
    """Refuse a file before anything of it is read, if the disk or its owner's share has no room for it."""
    if request.method != "POST" or not _takes_upload():
        return
    person_id, size = current_actor_id(), request.content_length or 0
    refuse_full_disk(settings().uploads_path, size)
    g.arriving = person_id or 0
    coming = _arriving.begin(g.arriving)
    most = max(MOST_BYTES, settings().max_upload_mb * MEGABYTE)
    session, access = read_session(), g.get("access")
    project_id = access.project.id if access is not None else None
    instead = ids_instead(session, person_id, project_id, request.args.get("instead", ""))
    refuse_beyond_share(session, person_id, coming=coming, size=size, instead=instead, most=most)


def refuse_full_disk(folder: Path, size: int) -> None:
    """Refuse a file after which less than a tenth of the disk would be free.

    :raise NoRoomError: Says how much is free.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    disk = shutil.disk_usage(folder)
    if disk.free - size < disk.total * KEPT_FREE:
        raise NoRoomError(
            message(
                "The server's disk is nearly full: %(free)s GB of %(total)s GB are free, and a tenth is kept "
                "free. Nothing was saved. Ask the administrator of this site to make room.",
                free=f"{disk.free / 1e9:,.1f}",
                total=f"{disk.total / 1e9:,.1f}",
            )
        )


def _takes_upload() -> bool:
    return getattr(current_app.view_functions.get(request.endpoint or ""), ATTRIBUTE, False)


def received(storage: FileStorage) -> ReceivedFile:
    """Return the file behind a form's field."""
    assert isinstance(storage.stream, ReceivedFile)
    return storage.stream


def received_body(folder: Path) -> ReceivedFile:
    """Return the body of this request as a received file: its one file where it is a form, else all of it."""
    if request.mimetype == "multipart/form-data":
        for storage in request.files.values():
            return received(storage)
        return ReceivedFile(folder)
    file = ReceivedFile(folder)
    while block := request.stream.read(BLOCK):
        file.write(block)
    return file


def written(folder: Path, content: bytes) -> ReceivedFile:
    """Return bytes that are already here as a received file."""
    file = ReceivedFile(folder)
    file.write(content)
    return file


def install(app: Flask) -> None:
    """Receive files by streaming; once it is known who asks, and only where there is room."""
    app.request_class = ReceivingRequest
    app.before_request(refuse_as_the_server_says)
    app.before_request(_refuse_without_room)
    app.teardown_request(has_arrived)
