"""A file on its way in, and the steps in which what it holds is written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from app.services.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from sqlalchemy.orm import Session

    from app.formats.schema import Format
    from app.models import Project

HASH_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class ImportFile:
    """What is imported: a path or the bytes themselves, read as often as needed.

    Attributes
    ----------
    name
        What people call the file; problems name it.
    format
        How to read it; guessed from its beginning if not given.
    columns
        Our name -> the name of the file's column, where they differ.
    """

    content: Path | bytes
    name: str
    format: Format | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def sha256(self) -> bytes:
        """Return the hash of the file as it is stored, 32 bytes."""
        if isinstance(self.content, bytes):
            return hashlib.sha256(self.content).digest()
        digest = hashlib.sha256()
        with self.content.open("rb") as file:
            while block := file.read(HASH_BLOCK):
                digest.update(block)
        return digest.digest()


class Step(NamedTuple):
    """One short piece of writing, for a transaction of its own; `size` counts what it writes."""

    size: int
    write: Callable[[Session], None]


def refuse_archived(project: Project) -> None:
    """Refuse to bring anything into a project that was put away.

    Raises
    ------
    ConflictError
        It is archived.
    """
    if project.state == "archived":
        raise ConflictError(f"The project {project.slug} is archived: restore it first.", code="archived")


def run_steps(session: Session, steps: Iterable[Step]) -> None:
    """Do all steps in one transaction: for work that is small, or that must be whole."""
    for step in steps:
        step.write(session)
