"""Files on their way into a project: how they are read, and which of their ids are known.

A document's source is shown to whoever rates it: it must not name a ranker.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.encoding import Encoding
from app.formats.errors import BadValueError, FormatError, Problem, visible
from app.formats.ids import Ids
from app.formats.query_texts import QueryName, QueryText, id_from_text
from app.formats.recognise import members_for
from app.formats.schema import Format, Kind
from app.formats.source import Part
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.sentences import message
from app.services.bulk import stream_plain
from app.services.errors import ConflictError, InvalidError

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
    encoding, members
        As in `app.formats.source.Part`.
    """

    content: Path | bytes
    name: str
    format: Format | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: Encoding | None = None
    members: tuple[str, ...] = ()

    @property
    def part(self) -> Part:
        """What readers read."""
        return Part(self.content, self.encoding, self.members)

    def sha256(self) -> bytes:
        """Return the hash of the file as it is stored, and of the names of its members, 32 bytes."""
        digest = hashlib.sha256()
        with io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb") as file:
            while block := file.read(HASH_BLOCK):
                digest.update(block)
        for name in self.members:
            digest.update(f"\0{name}".encode())
        return digest.digest()


def part_for(kind: Kind, file: ImportFile) -> ImportFile:
    """Return the part of a file that is of this kind, where it is an archive or a workbook of several.

    :raise FormatError: It cannot be opened, or holds several such parts.
    """
    if file.members:
        return file
    try:
        return replace(file, members=members_for(file.content, file.name, kind))
    except OSError:
        return file  # its reader says why
    except BadValueError as error:
        # Only the sheets of a workbook are read so far: its lines are rows.
        raise FormatError([replace(error.at(file.name, error.line), is_row=True)]) from error


class ImportStep(NamedTuple):
    """One short piece of writing, for a transaction of its own; `size` counts what it writes.

    What steps before the one that `publishes` have written is seen by nobody.
    """

    size: int
    write: Callable[[Session], None]
    publishes: bool = False


def refuse_archived(project: Project) -> None:
    """Refuse to bring anything into a project that is archived.

    :raise ConflictError: It is archived.
    """
    if project.state == "archived":
        raise ConflictError(
            message("The project %(slug)s is archived: restore it first.", slug=project.slug),
            code="archived",
            field="project",
            value=project.slug,
            remedy="Restore the project first.",
        )


Result = TypeVar("Result")


class FileImport(Protocol[Result]):
    """The import of a checked file: what every kind of import hands to the code that commits it.

    `result` says what will be done, and after the last step what was done; `total` is how many rows the
    steps write at most. A step must be written before the next one is asked for, and the last one publishes
    everything. `clean` yields the steps that remove what was written and not published.
    """

    result: Result

    @property
    def total(self) -> int: ...  # noqa: D102

    def steps(self) -> Iterator[ImportStep]: ...  # noqa: D102

    def clean(self) -> Iterator[ImportStep]: ...  # noqa: D102


def write_import(session: Session, work: FileImport[Result]) -> Result:
    """Write an import in one transaction, all or nothing, and return what was done."""
    for step in chain(work.steps(), work.clean()):
        step.write(session)
    return work.result


UNKNOWN = -1


def numbers_of(session: Session, model: type[Query | Document], project_id: int, ids: Sequence[str]) -> Ints:
    """Return the database's number of each external id: int32 (ids,), -1 for unknown ones.

    The project's table is streamed through the ids at hand: no lists of ids go into a statement.
    """
    find = ids.find if isinstance(ids, Ids) else {external: at for at, external in enumerate(ids)}.get
    numbers = np.full(len(ids), UNKNOWN, dtype=np.int32)
    for number, external in stream_plain(
        session, select(model.id, model.external_id).where(model.project_id == project_id)
    ):
        at = find(external)
        if at is not None:
            numbers[at] = number
    return numbers


def known_among(
    session: Session, model: type[Query | Document], project_id: int, values: Collection[str]
) -> set[str] | None:
    """Return which values are ids of the project's queries or documents; None where it has none of them."""
    if session.scalar(select(model.id).where(model.project_id == project_id).limit(1)) is None:
        return None
    asked = list(values)
    numbers = numbers_of(session, model, project_id, asked)
    return {value for value, number in zip(asked, numbers.tolist(), strict=True) if number != UNKNOWN}


def known_by_text(session: Session, project_id: int) -> dict[str, tuple[int, str]]:
    """Return the number and the id of every query by its text; of several the oldest active one counts."""
    wanted = (
        select(Query.id, Query.external_id, Query.text)
        .where(Query.project_id == project_id)
        .order_by(Query.retired_revision.is_(None), Query.id.desc())
    )
    return {text.strip(): (number, external) for number, external, text in stream_plain(session, wanted)}


def numbers_of_queries(session: Session, project_id: int, ids: Sequence[str]) -> Ints:
    """Return the database's number of each query of a file: int32 (ids,), -1 for unknown ones.

    A query that the file names by its text is the one with exactly this text, else the one with this id, else
    the one whose id was made from it. What may be its text is looked up so if there is no query with this id.

    :raise InvalidError: The file names one query twice, once by its id and once by its text.
    """
    numbers = numbers_of(session, Query, project_id, ids)
    texts = {
        at: text
        for at, text in enumerate(ids)
        if isinstance(text, QueryText) or (isinstance(text, QueryName) and numbers[at] == UNKNOWN)
    }
    if not texts:
        return numbers
    known = known_by_text(session, project_id)
    made = numbers_of(session, Query, project_id, [id_from_text(text) for text in texts.values()])
    for (at, text), own in zip(texts.items(), made.tolist(), strict=True):
        if text in known:
            numbers[at] = known[text][0]
        elif numbers[at] == UNKNOWN:
            numbers[at] = own
    _refuse_two_names(ids, numbers)
    return numbers


def _refuse_two_names(ids: Sequence[str], numbers: Ints) -> None:
    first: dict[int, str] = {}
    for name, number in zip(ids, numbers.tolist(), strict=True):
        if number != UNKNOWN and first.setdefault(number, name) != name:
            raise InvalidError(
                message(
                    "The file names one question in two ways, %(name)s and %(other)s: keep one of them.",
                    name=repr(visible(first[number])),
                    other=repr(visible(name)),
                ),
                code="query",
            )


def plain_name(name: str) -> str:
    """Return a name without what is easily written otherwise: letters and digits, in small letters."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def other_content(file: str, line: int, external_id: str, names: Sequence[str]) -> Problem:
    """Return that the project has other content for an id, with the columns that differ."""
    reason = message("the project has different content for this id (%(names)s)", names=list(names))
    remedy = "Give it another id, or use the new content with --replace."
    return Problem(file, line, "other-content", external_id, reason, remedy)


@dataclass(frozen=True, kw_only=True)
class CorpusImported:
    """Counts of one import.

    Attributes
    ----------
    added
        New in the project.
    filled
        Documents that were known by name only and have their text now.
    unchanged
        Same id and same content again.
    replaced
        Same id, other content, taken over with `replace`; `edited` of them say something else now, so
        that earlier judgments of them count no more.
    repeated
        Lines equal to an earlier line of the file.
    columns_left_out
        Names of columns that hold something and are not kept.
    hints
        What the file may not mean, as sentences.
    without_text
        Documents that nobody can rate until their text comes.
    betraying, betraying_fields
        Sources of documents that are names of rankers, and shown fields that hold such names: people who
        rate would see whose answer it is.
    revision
        The event of the import; None if nothing changed.
    """

    added: int = 0
    filled: int = 0
    unchanged: int = 0
    replaced: int = 0
    edited: int = 0
    repeated: int = 0
    columns_left_out: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    without_text: int = 0
    betraying: tuple[str, ...] = ()
    betraying_fields: tuple[str, ...] = ()
    revision: int | None = None
