"""How far the work on an upload is, written down now and then for the page that waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path, PosixPath
from typing import Any, BinaryIO, Self

from app.database import Database
from app.formats.recognise import is_opaque
from app.services.uploads import note_progress

EVERY_SECONDS = 0.5


class CancelledError(Exception):
    """Nobody waits for the work any more."""


class UploadProgress:
    """Writes now and then how far the work on an upload is, and looks whether it was cancelled."""

    def __init__(self, database: Database, upload_id: str) -> None:
        self._database, self._upload_id = database, upload_id
        self._last = time.monotonic()
        self._furthest = 0

    def __call__(self, done: int, total: int) -> None:
        """Say how much is done; a file that is read twice does not begin again.

        :raise CancelledError: The upload was cancelled.
        """
        now = time.monotonic()
        self._furthest = max(self._furthest, done)
        if now - self._last >= EVERY_SECONDS:
            self._last = now
            with self._database.write() as session:
                if not note_progress(session, self._upload_id, self._furthest, total):
                    raise CancelledError


class WatchedPath(PosixPath):
    """A path that says how far its file has been read: in bytes, or what an archive holds by `progress`."""

    report: Callable[[int], None]
    progress: Callable[[int, int], None]

    def open(self, *args: Any, **kwargs: Any) -> Any:
        """Open the file; every read says where it is."""
        return _Watched(super().open(*args, **kwargs), self.report)


class _Watched:
    def __init__(self, file: BinaryIO, report: Callable[[int], None]) -> None:
        self._file, self._report = file, report

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self._report(self._file.tell())
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def watched(path: Path, size: int, progress: UploadProgress) -> Path:
    """Return a path whose reading is reported as progress."""
    found = WatchedPath(path)
    found.progress = progress
    # An archive is read from its end, and more than once: what comes out of it tells how far it is.
    found.report = (lambda _place: None) if is_opaque(path) else lambda place: progress(place, size)
    return found
