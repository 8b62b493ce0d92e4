"""Where a command writes: the terminal, a file that is whole or not there, or what is there already."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import click

from app.cli.letters import output_in_utf8


class OutputPath(click.Path):
    """A path to write to; an empty one is refused, because as a path it would mean this folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if not os.fspath(value):
            raise click.ClickException("-o is empty: name a file, or leave it out for the terminal.")
        return super().convert(value, param, ctx)


@contextmanager
def opened(output: Path | None) -> Iterator[TextIO]:
    """Give the file to write to.

    A new file has the mode that the umask gives it, one that existed keeps its own. Links stay links, and
    pipes and devices are written to as they are.
    """
    if output is None or output == Path("-"):
        with output_in_utf8() as file:
            yield file
        return
    try:
        found = _find(output)
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise click.ClickException(f"{output} is a folder: name a file in it.")
        if found is None or stat.S_ISREG(found.st_mode):
            with _replaced(output, found) as file:
                yield file
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                yield file
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}.") from error


def _find(output: Path) -> os.stat_result | None:
    try:
        return output.stat()
    except FileNotFoundError:
        return None


@contextmanager
def _replaced(output: Path, found: os.stat_result | None) -> Iterator[TextIO]:
    """Give a draft beside the file at the end of all links; it takes that one's name once it is whole."""
    if found is not None and not os.access(output, os.W_OK):
        # Its folder would let us put another file in its place, but its owner locked it.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target = Path(os.path.realpath(output))
    draft = target.with_name(f".{secrets.token_hex(8)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if found is None else 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            if found is not None:
                with suppress(PermissionError):
                    os.fchown(descriptor, found.st_uid, found.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
            yield file
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
