"""Import a checked upload: all of it or nothing, and the same file twice does nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database import Database
from app.formats.errors import FormatError
from app.jobs.imports import import_documents, import_judgments, import_queries, import_run
from app.jobs.steps import Finish
from app.jobs.uploads.watching import CancelledError, UploadProgress
from app.jobs.uploads.work import (
    begin_work,
    end_work,
    failing_aloud,
    file_of,
    judgment_options_of,
    note_end,
    problems_of,
    refusal_of,
    report_of,
    run_options_of,
)
from app.models import Upload
from app.services.collection.files import CorpusImported, ImportFile
from app.services.collection.judgment_files import JudgmentsImported
from app.services.collection.run_files import RunImported
from app.services.errors import ServiceError
from app.services.uploads import begin_next


def import_upload(database: Database, folder: Path, upload_id: str) -> None:
    """Import an upload that is to be imported; any other is left alone.

    What the project refuses takes the upload back to its check, with the reason.
    """
    upload = begin_work(database, upload_id, "importing")
    if upload is None:
        return
    path = folder / upload.id

    def finish(session: Session, done: Any) -> None:
        # Published and noted in one transaction: whatever happens afterwards, what the page says is true.
        # What was cancelled before is not published.
        report = report_of(upload) | {"done": told(done)}
        if not note_end(session, upload, "done", report, upload.checked_revision):
            raise CancelledError
        begin_next(session, upload)

    with failing_aloud(database, upload):
        try:
            done = IMPORTS[upload.kind](database, upload, file_of(upload, path), finish)
        except FormatError as error:
            report = _unsettled(upload) | problems_of(error)
            end_work(database, upload, "checked", report, upload.checked_revision)
            return
        except ServiceError as error:
            report = _unsettled(upload) | refusal_of(error)
            end_work(database, upload, "checked", report, upload.checked_revision)
            return
        report = report_of(upload) | {"done": told(done)}
        end_work(database, upload, "done", report, upload.checked_revision)
        with database.write() as session:
            begin_next(session, upload)
    # Also where telling how far the work is failed after its end.
    with database.read() as session:
        is_done = session.scalar(select(Upload.state).where(Upload.id == upload.id)) == "done"
    if is_done:
        path.unlink(missing_ok=True)


def _unsettled(upload: Upload) -> dict[str, Any]:
    return {name: found for name, found in upload.report.items() if name in {"look", "texts"}}


def told(done: CorpusImported | JudgmentsImported | RunImported) -> dict[str, Any]:
    """Return what was done, for a report."""
    if not isinstance(done, RunImported):
        return asdict(done)
    names = ("run_id", "ranker", "version", "already", "withdrawn", "revision", "new_candidates")
    found = {name: getattr(done, name) for name in names}
    if done.report is None:
        return found | {"counts": None}
    return found | {"counts": done.report.stats, "warnings": done.report.warnings}


def _queries(database: Database, upload: Upload, file: ImportFile, finish: Finish[Any]) -> CorpusImported:
    return import_queries(
        database,
        upload.project_id,
        file,
        replace=bool(upload.options.get("replace")),
        actor_id=upload.person_id,
        finish=finish,
    )


def _documents(database: Database, upload: Upload, file: ImportFile, finish: Finish[Any]) -> CorpusImported:
    return import_documents(
        database,
        upload.project_id,
        file,
        replace=bool(upload.options.get("replace")),
        actor_id=upload.person_id,
        progress=UploadProgress(database, upload.id),
        finish=finish,
    )


def _judgments(
    database: Database, upload: Upload, file: ImportFile, finish: Finish[Any]
) -> JudgmentsImported:
    return import_judgments(
        database,
        upload.project_id,
        file,
        judgment_options_of(upload.options),
        actor_id=upload.person_id,
        progress=UploadProgress(database, upload.id),
        finish=finish,
    )


def _run(database: Database, upload: Upload, file: ImportFile, finish: Finish[Any]) -> RunImported:
    return import_run(
        database,
        upload.project_id,
        file,
        run_options_of(upload.options),
        actor_id=upload.person_id,
        progress=UploadProgress(database, upload.id),
        finish=finish,
    )


IMPORTS: dict[str, Callable[[Database, Upload, ImportFile, Finish[Any]], Any]] = {
    "queries": _queries,
    "documents": _documents,
    "judgments": _judgments,
    "run": _run,
}
