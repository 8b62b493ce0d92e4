"""Documents: imported, compared with what is there, and written; and those known by name only.

An import is checked whole, written in chunks without a project, where nobody sees them, and published at
once. Documents that a run or a grade brings by name only cannot be rated until their text comes.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import numpy as np
from sqlalchemy import ColumnElement, CursorResult, Text, Update, delete, func, insert, select, update
from sqlalchemy import cast as cast_to
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.formats.content import content_hash
from app.formats.documents import read_documents
from app.formats.errors import PROBLEMS_KEPT, ProblemLog, visible
from app.formats.ids import Ids
from app.formats.rows import DocumentRow
from app.formats.schema import listed
from app.models.base import now_utc
from app.models.document import Document
from app.models.event import EventKind
from app.models.project import Project
from app.scoring.arrays import Ints
from app.sentences import message
from app.services.bulk import batches, lock_project, ranges_of, table_of, update_where_id
from app.services.collection.answer_fields import AnswerFields
from app.services.collection.files import (
    UNKNOWN,
    CorpusImported,
    ImportFile,
    ImportStep,
    numbers_of,
    other_content,
    plain_name,
    refuse_archived,
    write_import,
)
from app.services.collection.telling_sources import names_in, ranker_names, version_names
from app.services.current_judgments import void_judgments
from app.services.errors import ConflictError
from app.services.ledger import record_event

DIGEST = 16
SOURCES = 10_000
# A field that names rankers has few values, and they come early.
VALUES = 200
LONGEST_NAME = 200
COMPARED = 1_000
CONTENT = (Document.title, Document.text, Document.url, Document.source, Document.extra)
NAMES = {
    "title": message("title"),
    "text": message("text"),
    "url": message("url"),
    "source": message("source"),
}


class Mark(IntEnum):
    """What an import does with a document."""

    NEW = 0
    SAME = 1
    FILLED = 2
    REPLACED = 3


class Shape(NamedTuple):
    """Which columns a file has for a document: `lacks` and `extra_columns` of its row."""

    lacks: frozenset[str]
    extra_columns: frozenset[str]


class Shapes:
    """The shapes of documents, each once, in little memory: a file may have another one for each document."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._names: list[str] = []
        self._kept = Ids()
        # The newest that was added or read: most files have one shape.
        self._newest: tuple[Shape, int] | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shapes) and (self._columns, self._kept) == (other._columns, other._kept)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, number: int) -> Shape:
        if self._newest is None or self._newest[1] != number:
            lacking, *columns = array("I", self._kept.encoded(number))
            if len(self._names) < len(self._columns):
                self._names = list(self._columns)
            told = [self._names[each] for each in columns]
            self._newest = Shape(frozenset(told[:lacking]), frozenset(told[lacking:])), number
        return self._newest[0]

    def add(self, row: DocumentRow) -> int:
        """Return the number of the shape of a row."""
        shape = Shape(row.lacks, row.extra_columns)
        if self._newest is None or self._newest[0] != shape:
            told = (*sorted(row.lacks), *sorted(row.extra_columns))
            columns = [self._columns.setdefault(name, len(self._columns)) for name in told]
            self._newest = shape, self._kept.add_encoded(array("I", [len(row.lacks), *columns]).tobytes())
        return self._newest[1]


class Content(NamedTuple):
    """What a document holds."""

    title: str
    text: str
    url: str
    source: str
    extra: dict[str, Any]

    @classmethod
    def of(cls, row: DocumentRow) -> Content:
        """Return what a row says."""
        return cls(row.title, row.text, row.url or "", row.source or "", row.extra)

    def within(self, shape: Shape) -> Content:
        """Return what of it is in columns that a file has."""
        return self._replace(
            extra={name: value for name, value in self.extra.items() if name in shape.extra_columns},
            **dict.fromkeys(shape.lacks, ""),
        )

    def under(self, row: DocumentRow) -> DocumentRow:
        """Return a row that says what it says, and of columns that its file lacks what this says."""
        kept = {name: getattr(self, name) for name in row.lacks}
        extra = {name: value for name, value in self.extra.items() if name not in row.extra_columns}
        return replace(row, extra=extra | row.extra, **kept)

    def as_row(self, document_id: str, shape: Shape) -> DocumentRow:
        """Return the row of a file with some columns that says this."""
        content = self.within(shape)
        return DocumentRow(
            document_id, **content._asdict(), lacks=shape.lacks, extra_columns=shape.extra_columns
        )

    def unlike(self, row: DocumentRow) -> list[str]:
        """Return the names of the columns of a row that say otherwise."""
        mine, theirs = self.within(Shape(row.lacks, row.extra_columns)), Content.of(row)
        own = [said for name, said in NAMES.items() if getattr(mine, name) != getattr(theirs, name)]
        others = [
            f"'{visible(name)}'"
            for name in sorted(row.extra_columns)
            if _extra_as_text(mine.extra, name) != _extra_as_text(theirs.extra, name)
        ]
        return [*own, listed(others)] if others else [*own]


@dataclass
class DocumentDigests:
    """The documents of one file, checked by themselves: ids, digests and lines, without the texts.

    `problems` is what is wrong with other lines. It is reported together with what contradicts the project:
    a file with problems is never stored. `shapes` are which columns documents have, each once, and `shape`
    the number of that of each document; a document `is_silent` without title and text.
    """

    file: ImportFile
    ids: Ids = field(default_factory=Ids)
    digests: bytearray = field(default_factory=bytearray)
    lines: array[int] = field(default_factory=lambda: array("q"))
    shapes: Shapes = field(default_factory=Shapes)
    shape: array[int] = field(default_factory=lambda: array("L"))
    is_silent: bytearray = field(default_factory=bytearray)
    repeated: int = 0
    # The plain form of each source -> the source, of as many as matter.
    sources: dict[str, str] = field(default_factory=dict, compare=False)
    # The plain forms of the values of each field, of as many as matter.
    fields: dict[str, set[str]] = field(default_factory=dict, compare=False)
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)

    def digest(self, at: int) -> bytes:
        """Return the digest of one document."""
        return bytes(self.digests[at * DIGEST : (at + 1) * DIGEST])


def read_document_digests(file: ImportFile) -> DocumentDigests:
    """Return what is needed of a file to compare it with a project, in little memory.

    :raise FormatError: Nothing of the file can be read.
    """
    found = DocumentDigests(file)
    log = found.problems
    for row in read_documents(file.part, file.name, log, file.format, file.columns):
        found.ids.add(row.document_id)
        found.digests += digest_of(*Content.of(row))
        found.lines.append(row.line)
        if row.source and len(found.sources) < SOURCES:
            found.sources.setdefault(plain_name(row.source), row.source)
        for name, value in row.extra.items():
            values = found.fields.setdefault(name, set())
            if len(values) < VALUES and isinstance(value, str) and len(value) <= LONGEST_NAME:
                values.add(plain_name(value))
        found.shape.append(found.shapes.add(row))
        found.is_silent.append(not (row.title.strip() or row.text.strip()))
    if not found.ids:
        log.raise_if_any()
    found.repeated = log.left_out["repeated"]
    return found


def digest_of(title: str, text: str, url: str, source: str, extra: dict[str, Any]) -> bytes:
    """Return 16 bytes that stand for everything a document holds."""
    parts = [title, text, url, source, _extra_as_text(extra, *extra)]
    return blake2b("\0".join(parts).encode(), digest_size=DIGEST).digest()


def _extra_as_text(extra: dict[str, Any], *names: str) -> str:
    # An empty extra column says as much as none.
    told = {name: extra[name] for name in names if extra.get(name) not in ("", None)}
    return json.dumps(told, sort_keys=True)


NOTHING = digest_of("", "", "", "", {})


def marks_of(session: Session, project_id: int, found: DocumentDigests, *, replace: bool) -> bytearray:
    """Return the mark of every document of a file.

    :raise FormatError: Lines are wrong, or a document is in the project with other content and may not be
        replaced.
    """
    numbers = numbers_of(session, Document, project_id, found.ids)
    marks = bytearray(Mark.NEW for _ in found.ids)
    contradicted: dict[int, Content | None] = {}
    known = [at for at, number in enumerate(numbers.tolist()) if number != UNKNOWN]
    for some in batches(known, COMPARED):
        stored = _stored(session, Document.id.in_([int(numbers[at]) for at in some]), Document.id)
        for at in some:
            content, shape = stored[int(numbers[at])], found.shapes[found.shape[at]]
            marks[at] = _mark(found.digest(at), content, shape)
            found.is_silent[at] &= not (content.title.strip() and "title" in shape.lacks)
            found.is_silent[at] &= not (content.text.strip() and "text" in shape.lacks)
            if marks[at] == Mark.REPLACED and not replace:
                contradicted[at] = content if len(contradicted) < PROBLEMS_KEPT else None
    if contradicted:
        _refuse_changes(found, contradicted)
    found.problems.raise_if_any()
    return marks


def _refuse_changes(found: DocumentDigests, contradicted: dict[int, Content | None]) -> None:
    """Refuse documents that are in the project with other content; of the first it is known, and compared."""
    file = found.file
    names: dict[int, list[str]] = {}
    rows = read_documents(file.part, file.name, ProblemLog(), file.format, file.columns)
    last = max(at for at, content in contradicted.items() if content is not None)
    for at, row in enumerate(islice(rows, last + 1)):
        if (content := contradicted.get(at)) is not None:
            names[at] = content.unlike(row)
    for at in contradicted:
        found.problems.add(other_content(file.name, found.lines[at], found.ids[at], names.get(at, [])))


def _mark(digest: bytes, stored: Content, shape: Shape) -> Mark:
    if digest == digest_of(*stored.within(shape)):
        return Mark.SAME
    # A document that a run or a grade brought by name only waits for its content.
    return Mark.FILLED if digest_of(*stored) == NOTHING else Mark.REPLACED


def _stored(
    session: Session, where: ColumnElement[bool], key: InstrumentedAttribute[Any]
) -> dict[Any, Content]:
    rows = session.execute(select(key, *CONTENT).where(where))
    return {name: Content(*content) for name, *content in rows}


CONTENT_COLUMNS = ("title", "text", "url", "source", "extra", "content_hash")


def stage_documents(session: Session, rows: Sequence[DocumentRow]) -> list[int]:
    """Write documents that belong to no project yet, and return their numbers."""
    return list(_staged(session, [_values_of(row) for row in rows]).values())


def publish_documents(session: Session, project_id: int, numbers: Sequence[int] | Ints) -> None:
    """Give documents that were written before to their project.

    :raise ConflictError: They are not there any more: the connection of this import was lost, and they were
        swept away.
    """
    table, published = table_of(Document), 0
    for first, last in chain.from_iterable(map(ranges_of, batches(np.asarray(numbers)))):
        mine = table.c.id.between(first, last) & table.c.project_id.is_(None)
        published += _count(session, update(table).where(mine).values(project_id=project_id))
    _refuse_lost(published, numbers)


def change_documents(
    session: Session, project_id: int, numbers: Sequence[int], *, actor_id: int | None
) -> tuple[int, int | None]:
    """Give documents the content that was written before; return how many say something else, and the event.

    A document that said nothing before is no edit: nobody has judged another text of it. It can be rated from
    now on, which an event of its own tells where there is no edit.
    """
    table, staged = table_of(Document), table_of(Document).alias("staged")
    same = (table.c.project_id == project_id) & (table.c.external_id == staged.c.external_id)
    content = {name: staged.c[name] for name in CONTENT_COLUMNS}
    edited: list[int] = []
    changed = filled = 0
    for some in batches(numbers):
        here = same & staged.c.id.in_(some)
        says_otherwise = table.c.content_hash.is_not(None) & (
            staged.c.content_hash.is_(None) | (staged.c.content_hash != table.c.content_hash)
        )
        edited += session.scalars(select(table.c.id).where(here, says_otherwise))
        is_filled = table.c.content_hash.is_(None) & staged.c.content_hash.is_not(None)
        filled += session.scalar(select(func.count()).select_from(table).where(here, is_filled)) or 0
        changed += _count(session, update(table).where(here).values(content))
    _refuse_lost(changed, numbers)
    if not edited:
        if not filled:
            return 0, None
        event = record_event(
            session, project_id, EventKind.DOCUMENTS_FILLED, {"count": filled}, actor_id=actor_id
        )
        return 0, event.revision
    event = record_event(
        session, project_id, EventKind.DOCUMENTS_EDITED, {"document_ids": sorted(edited)}, actor_id=actor_id
    )
    update_where_id(session, Document, np.array(edited), {"edited_revision": event.revision})
    void_judgments(session, edited)
    return len(edited), event.revision


def _keep_edits(session: Session, project_id: int, shape_of: dict[int, int], shapes: Shapes) -> None:
    """Write what the project has now into documents that wait, in the columns that their file lacks."""
    table, staged = table_of(Document), table_of(Document).alias("staged")
    same = (table.c.project_id == project_id) & (table.c.external_id == staged.c.external_id)
    numbers_lacking: dict[frozenset[str], list[int]] = {}
    for number, shape in shape_of.items():
        numbers_lacking.setdefault(shapes[shape].lacks, []).append(number)
    edited: list[int] = []
    for lacks, numbers in numbers_lacking.items():
        # Of all other columns together, only that they are the same is quickly seen.
        differs = cast_to(staged.c.extra, Text) != cast_to(table.c.extra, Text)
        for name in lacks:
            differs |= staged.c[name] != table.c[name]
        edited += session.scalars(select(staged.c.id).where(same, staged.c.id.in_(numbers), differs))
    waiting = _stored(session, Document.id.in_(edited), Document.id)
    names = dict(
        session.execute(select(Document.id, Document.external_id).where(Document.id.in_(edited))).all()
    )
    here = (Document.project_id == project_id) & Document.external_id.in_(names.values())
    now = _stored(session, here, Document.external_id)
    for number, content in waiting.items():
        name = names[number]
        row = now[name].under(content.as_row(name, shapes[shape_of[number]]))
        if Content.of(row) != content:
            session.execute(update(table).where(table.c.id == number).values(_values_of(row)))


def drop_staged(numbers: Sequence[int] | Ints) -> Iterator[ImportStep]:
    """Yield the steps that remove those of some documents that were not published."""

    def drop(session: Session, some: Sequence[int]) -> None:
        table = table_of(Document)
        session.execute(delete(table).where(table.c.id.in_(some), table.c.project_id.is_(None)))

    for some in batches(np.asarray(numbers)):
        yield ImportStep(len(some), partial(drop, some=some.tolist()))


def all_staged(session: Session) -> list[int]:
    """Return the numbers of all documents that were not published."""
    return list(session.scalars(select(Document.id).where(Document.project_id.is_(None))))


def _staged(session: Session, rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Write rows without a project, and return their external ids and numbers."""
    table, now = table_of(Document), now_utc()
    values = [{**row, "project_id": None, "created_at": now} for row in rows]
    into = insert(table).returning(table.c.external_id, table.c.id)
    return dict(session.execute(into, values).all())


def _count(session: Session, statement: Update) -> int:
    return int(cast("CursorResult[Any]", session.execute(statement)).rowcount)


def _refuse_lost(found: int, numbers: Sequence[int] | Ints) -> None:
    if found != len(numbers):
        raise ConflictError(
            "The project was changed during this import: start it again.", code="changed_meanwhile"
        )


def _values_of(row: DocumentRow) -> dict[str, Any]:
    digest = content_hash(row.title, row.text)
    return {
        "external_id": row.document_id,
        "title": row.title,
        "text": row.text,
        "url": row.url or "",
        "source": row.source or "",
        "extra": row.extra,
        "content_hash": None if digest is None else bytes.fromhex(digest),
    }


CHUNK = 2_000
Marked = tuple[int, DocumentRow]


@dataclass
class DocumentImport:
    """A checked import of documents, to be written step by step.

    Attributes
    ----------
    marks
        What to do with each document of the file, in its order.
    result
        What will be done; after the last step what was done.
    """

    project_id: int
    file: ImportFile
    marks: bytearray
    result: CorpusImported
    actor_id: int | None = None
    _new: list[int] = field(default_factory=list)
    _changed: list[int] = field(default_factory=list)
    _shapes: Shapes = field(default_factory=Shapes)
    # The number of the shape of each that is changed.
    _shape: array[int] = field(default_factory=lambda: array("L"))

    @property
    def total(self) -> int:
        """The number of rows to write."""
        return self.result.added + self.result.filled + self.result.replaced

    def steps(self) -> Iterator[ImportStep]:
        """Yield the chunks, each for a transaction of its own, then the publication of all."""
        for chunk in self._chunks():
            yield ImportStep(len(chunk), partial(self._stage, chunk=chunk))
        if self.total:
            yield ImportStep(0, self._publish, publishes=True)

    def clean(self) -> Iterator[ImportStep]:
        """Yield the steps that remove new contents, and everything if it was not published."""
        return drop_staged([*self._changed, *self._new])

    def _chunks(self) -> Iterator[list[Marked]]:
        file, log = self.file, ProblemLog()
        rows = read_documents(file.part, file.name, log, file.format, file.columns)
        marked = (pair for pair in zip(self.marks, rows, strict=True) if pair[0] != Mark.SAME)
        while chunk := list(islice(marked, CHUNK)):
            yield chunk
        log.raise_if_any()

    def _stage(self, session: Session, chunk: list[Marked]) -> None:
        if new := [row for mark, row in chunk if mark == Mark.NEW]:
            self._new += stage_documents(session, new)
        if changed := [row for mark, row in chunk if mark != Mark.NEW]:
            staged = _staged(session, [_values_of(row) for row in self._whole(session, changed)])
            self._changed += [staged[row.document_id] for row in changed]
            self._shape.extend(self._shapes.add(row) for row in changed)

    def _whole(self, session: Session, rows: list[DocumentRow]) -> list[DocumentRow]:
        """Return rows with what the project has in the columns that their file lacks."""
        stored: dict[str, Content] = {}
        for some in batches([row.document_id for row in rows], COMPARED):
            known = (Document.project_id == self.project_id) & Document.external_id.in_(some)
            stored |= _stored(session, known, Document.external_id)
        return [stored[row.document_id].under(row) if row.document_id in stored else row for row in rows]

    def _keep_edits(self, session: Session) -> None:
        """Keep what was edited since it was read, where the file has no column for it."""
        at = 0
        for some in batches(self._changed, COMPARED):
            shapes = dict(zip(some, self._shape[at : at + len(some)], strict=True))
            at += len(some)
            _keep_edits(session, self.project_id, shapes, self._shapes)

    def _publish(self, session: Session) -> None:
        lock_project(session, self.project_id)
        revision = None
        if self._changed:
            self._keep_edits(session)
            edited, revision = change_documents(
                session, self.project_id, self._changed, actor_id=self.actor_id
            )
            self.result = replace(self.result, edited=edited)
        if self._new:
            publish_documents(session, self.project_id, self._new)
            payload = {
                "count": len(self._new),
                "ranges": ranges_of(self._new),
                "file": self.file.name,
            }
            if self.result.replaced:
                payload["replaced"] = self.result.replaced
            event = record_event(
                session, self.project_id, EventKind.DOCUMENTS_ADDED, payload, actor_id=self.actor_id
            )
            revision = event.revision
        self.result = replace(self.result, revision=revision)


def prepare_documents(
    session: Session,
    project: Project,
    found: DocumentDigests,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> DocumentImport:
    """Return an import whose file was compared with the project; nothing is written.

    :raise FormatError: A document is in the project with other content and may not be replaced.
    """
    refuse_archived(project)
    marks = marks_of(session, project.id, found, replace=replace)
    rankers = ranker_names(session, project.id)
    names = rankers | version_names(session, project.id)
    result = CorpusImported(
        added=marks.count(Mark.NEW),
        filled=marks.count(Mark.FILLED),
        unchanged=marks.count(Mark.SAME),
        replaced=marks.count(Mark.REPLACED),
        repeated=found.repeated,
        without_text=sum(found.is_silent),
        hints=tuple(found.problems.hints),
        betraying=tuple(
            visible(source) for _, source in sorted(found.sources.items()) if names & names_in(source)
        ),
        betraying_fields=tuple(
            visible(name)
            for name in AnswerFields.of(project.options).names
            if rankers & found.fields.get(name, set())
        ),
    )
    return DocumentImport(project.id, found.file, marks, result, actor_id)


def import_documents(
    session: Session,
    project: Project,
    file: ImportFile,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> CorpusImported:
    """Add the documents of a file to a project in one transaction, all or none; return what was done.

    :raise FormatError: Something is wrong with the file; all of it is reported.
    """
    found = read_document_digests(file)
    return write_import(
        session, prepare_documents(session, project, found, replace=replace, actor_id=actor_id)
    )


def document_steps(external_ids: Ids, unknown: Ints, numbers: Ints) -> Iterator[ImportStep]:
    """Yield the steps that write the unknown ones of a file's documents, and put down their numbers.

    They are published by `publish_documents`.
    """

    def write(session: Session, places: Ints) -> None:
        names = [external_ids[at] for at in places.tolist()]
        staged = _staged(session, [{**EMPTY, "external_id": name} for name in names])
        numbers[places] = [staged[name] for name in names]

    for places in batches(unknown):
        yield ImportStep(len(places), partial(write, places=places))


EMPTY: dict[str, Any] = {"title": "", "text": "", "url": "", "source": "", "extra": {}, "content_hash": None}
