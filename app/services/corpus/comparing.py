"""The documents of a file against those of the project: new, the same, or other content."""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.formats.documents import read_documents
from app.formats.errors import Problem, ProblemLog
from app.models import Document
from app.services.bulk import batches
from app.services.corpus.result import CONTRADICTS
from app.services.external_ids import UNKNOWN, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.formats.rows import DocumentRow
    from app.services.import_file import ImportFile

DIGEST = 16
COMPARED = 1_000
REMEDY = "Give it another id, or record an edit with --replace."
CONTENT = (Document.id, Document.title, Document.text, Document.url, Document.source, Document.extra)


class Mark(IntEnum):
    """What an import does with a document."""

    NEW = 0
    SAME = 1
    FILLED = 2
    REPLACED = 3


@dataclass
class DocumentDigests:
    """The documents of one file, checked by themselves: ids, digests and lines, without the texts.

    `problems` is what is wrong with other lines. It is said together with what contradicts the project:
    a file with problems is never stored.
    """

    file: ImportFile
    ids: list[str] = field(default_factory=list)
    digests: bytearray = field(default_factory=bytearray)
    lines: array[int] = field(default_factory=lambda: array("q"))
    without_text: int = 0
    repeated: int = 0
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)

    def digest(self, at: int) -> bytes:
        """Return the digest of one document."""
        return bytes(self.digests[at * DIGEST : (at + 1) * DIGEST])


def read_rows(file: ImportFile) -> Iterator[DocumentRow]:
    """Yield the documents of a file.

    Raises
    ------
    FormatError
        At the end, if anything is wrong with the file; all of it is said.
    """
    log = ProblemLog()
    yield from read_documents(file.content, file.name, log, file.format, file.columns)
    log.raise_if_any()


def read_document_digests(file: ImportFile) -> DocumentDigests:
    """Return what is needed of a file to compare it with a project, in little memory.

    Raises
    ------
    FormatError
        Nothing of the file can be read.
    """
    found = DocumentDigests(file)
    log = found.problems
    for row in read_documents(file.content, file.name, log, file.format, file.columns):
        found.ids.append(row.document_id)
        found.digests += digest_of(row.title, row.text, row.url or "", row.source or "", row.extra)
        found.lines.append(row.line)
        found.without_text += not (row.title.strip() or row.text.strip())
    if not found.ids:
        log.raise_if_any()
    found.repeated = log.left_out["repeated"]
    return found


def digest_of(title: str, text: str, url: str, source: str, extra: dict[str, Any]) -> bytes:
    """Return 16 bytes that stand for everything a document holds."""
    parts = [title, text, url, source, json.dumps(extra, sort_keys=True)]
    return blake2b("\0".join(parts).encode(), digest_size=DIGEST).digest()


NOTHING = digest_of("", "", "", "", {})


def marks_of(session: Session, project_id: int, found: DocumentDigests, *, replace: bool) -> bytearray:
    """Return the mark of every document of a file.

    Raises
    ------
    FormatError
        Lines are wrong, or a document is in the project with other content and may not be replaced.
    """
    numbers = numbers_of(session, Document, project_id, found.ids)
    marks = bytearray(Mark.NEW for _ in found.ids)
    log = found.problems
    known = [at for at, number in enumerate(numbers.tolist()) if number != UNKNOWN]
    for some in batches(known, COMPARED):
        stored = _stored_digests(session, [int(numbers[at]) for at in some])
        for at in some:
            marks[at] = _mark(found.digest(at), stored[int(numbers[at])])
            if marks[at] == Mark.REPLACED and not replace:
                problem = Problem(
                    found.file.name, found.lines[at], "other-content", found.ids[at], CONTRADICTS, REMEDY
                )
                log.add(problem)
    log.raise_if_any()
    return marks


def _mark(digest: bytes, stored: bytes) -> Mark:
    if digest == stored:
        return Mark.SAME
    # A document that a run or a grade brought by name only waits for its content.
    return Mark.FILLED if stored == NOTHING else Mark.REPLACED


def _stored_digests(session: Session, numbers: list[int]) -> dict[int, bytes]:
    rows = session.execute(select(*CONTENT).where(Document.id.in_(numbers)))
    return {number: digest_of(*content) for number, *content in rows}
