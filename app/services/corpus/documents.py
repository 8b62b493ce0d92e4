"""Import documents: the whole file is checked first, then written in chunks that can be repeated.

A chunk that was committed before a crash is harmless: the same file again finds its rows unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.models import EventKind
from app.services.bulk import ranges_of
from app.services.corpus.comparing import Mark, marks_of, read_document_digests, read_rows
from app.services.corpus.result import CorpusImported
from app.services.corpus.writing import add_documents, change_documents
from app.services.import_file import ImportFile, Step, refuse_archived, run_steps
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy.orm import Session

    from app.formats.rows import DocumentRow
    from app.models import Project
    from app.services.corpus.comparing import DocumentDigests

CHUNK = 2_000
Marked = tuple[int, "DocumentRow"]


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
    _new_ids: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of rows to write."""
        return self.result.added + self.result.filled + self.result.replaced

    def steps(self) -> Iterator[Step]:
        """Yield the chunks, each for a transaction of its own, then the event."""
        for chunk in self._chunks():
            yield Step(len(chunk), self._writer_of(chunk))
        if self.result.added:
            yield Step(0, self._record)

    def _chunks(self) -> Iterator[list[Marked]]:
        chunk: list[Marked] = []
        for mark, row in zip(self.marks, read_rows(self.file), strict=True):
            if mark != Mark.SAME:
                chunk.append((mark, row))
            if len(chunk) == CHUNK:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def _writer_of(self, chunk: list[Marked]) -> Callable[[Session], None]:
        return lambda session: self._write(session, chunk)

    def _write(self, session: Session, chunk: list[Marked]) -> None:
        if new := [row for mark, row in chunk if mark == Mark.NEW]:
            self._new_ids += add_documents(session, self.project_id, new)
        if old := [row for mark, row in chunk if mark != Mark.NEW]:
            edited, revision = change_documents(session, self.project_id, old, actor_id=self.actor_id)
            self.result = replace(
                self.result,
                edited=self.result.edited + edited,
                revision=revision or self.result.revision,
            )

    def _record(self, session: Session) -> None:
        payload = {"count": len(self._new_ids), "ranges": ranges_of(self._new_ids)}
        event = record_event(
            session, self.project_id, EventKind.DOCUMENTS_ADDED, payload, actor_id=self.actor_id
        )
        self.result = replace(self.result, revision=event.revision)


def prepare_documents(
    session: Session,
    project: Project,
    found: DocumentDigests,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> DocumentImport:
    """Return an import whose file was compared with the project; nothing is written.

    Raises
    ------
    FormatError
        A document is in the project with other content and may not be replaced.
    """
    refuse_archived(project)
    marks = marks_of(session, project.id, found, replace=replace)
    result = CorpusImported(
        added=marks.count(Mark.NEW),
        filled=marks.count(Mark.FILLED),
        unchanged=marks.count(Mark.SAME),
        replaced=marks.count(Mark.REPLACED),
        repeated=found.repeated,
        without_text=found.without_text,
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

    Raises
    ------
    FormatError
        Something is wrong with the file; all of it is said.
    """
    found = read_document_digests(file)
    work = prepare_documents(session, project, found, replace=replace, actor_id=actor_id)
    run_steps(session, work.steps())
    return work.result
