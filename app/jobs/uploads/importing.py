"""Import a checked upload: all of it or nothing, and the same file twice does nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.database import Database
from app.formats.errors import FormatError
from app.jobs.imports import import_documents, import_judgments, import_queries, import_run
from app.jobs.uploads.watching import Progress
from app.jobs.uploads.work import (
    begin_work,
    end_work,
    failing_aloud,
    file_of,
    judgment_options_of,
    problems_of,
    report_of,
    run_options_of,
)
from app.models import Upload
from app.services.collection.files import ImportFile
from app.services.errors import ServiceError


def import_upload(database: Database, folder: Path, upload_id: str) -> None:
    """Import an upload that is to be imported; any other is left alone.

    What the project refuses takes the upload back to its check, with the reason.
    """
    upload = begin_work(database, upload_id, "importing")
    if upload is None:
        return
    path = folder / upload.id
    with failing_aloud(database, upload):
        try:
            done = IMPORTS[upload.kind](database, upload, file_of(upload, path))
        except FormatError as error:
            report = _unsettled(upload) | problems_of(error)
            end_work(database, upload, "checked", report, None)
            return
        except ServiceError as error:
            end_work(database, upload, "checked", _unsettled(upload) | {"refusal": error.message}, None)
            return
        end_work(database, upload, "done", report_of(upload) | {"done": done}, upload.checked_revision)
        path.unlink(missing_ok=True)


def _unsettled(upload: Upload) -> dict[str, Any]:
    return {name: found for name, found in upload.report.items() if name in {"look", "texts"}}


def _queries(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    replace = bool(upload.options.get("replace"))
    return asdict(
        import_queries(database, upload.project_id, file, replace=replace, actor_id=upload.person_id)
    )


def _documents(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    return asdict(
        import_documents(
            database,
            upload.project_id,
            file,
            replace=bool(upload.options.get("replace")),
            actor_id=upload.person_id,
            progress=Progress(database, upload.id),
        )
    )


def _judgments(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    done = import_judgments(
        database,
        upload.project_id,
        file,
        judgment_options_of(upload.options),
        actor_id=upload.person_id,
        progress=Progress(database, upload.id),
    )
    return asdict(done)


def _run(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    done = import_run(
        database,
        upload.project_id,
        file,
        run_options_of(upload.options),
        actor_id=upload.person_id,
        progress=Progress(database, upload.id),
    )
    names = ("run_id", "ranker", "version", "already", "withdrawn", "revision", "new_candidates")
    found = {name: getattr(done, name) for name in names}
    return found | {"counts": done.report.stats if done.report else None}


IMPORTS: dict[str, Callable[[Database, Upload, ImportFile], dict[str, Any]]] = {
    "queries": _queries,
    "documents": _documents,
    "judgments": _judgments,
    "run": _run,
}
