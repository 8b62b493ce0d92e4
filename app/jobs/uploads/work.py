"""What every work on an upload shares: its file, its options, and an end that is always said."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.database import Database
from app.formats.errors import FormatError
from app.formats.grades import GradeMap
from app.jobs.uploads.watching import CancelledError
from app.models import Upload
from app.sentences import message
from app.services.collection.files import ImportFile
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.run_files import RunOptions
from app.services.collection.unknown_ids import told_of_stop
from app.services.errors import ServiceError
from app.services.uploads import turn_upload

log = logging.getLogger(__name__)
ATTEMPTS = 3
# Options that end with the work they were set for.
OF_ONE_WORK = {"attempts", "changed"}
RUN_CHOICES = ("unknown_documents", "unknown_queries", "best")
FAILED = message("Something went wrong on our side while reading this file. Nothing was saved. Try again.")
TOO_MUCH = message(
    "Reading this file takes more memory than an import may use. Nothing was saved. "
    "Split it into smaller files, or import it with the command line."
)
FULL = message(
    "The server's disk is full. Nothing was saved. Ask the people who run this site to make room, "
    "then try again."
)
GONE = message("The file is no longer here. Choose it again.")


def file_of(upload: Upload, path: Path) -> ImportFile:
    """Return an upload as the services take files."""
    options = upload.options
    return ImportFile(
        content=path,
        name=upload.file_name,
        format=options.get("format"),
        columns=options.get("columns") or {},
        encoding=options.get("encoding"),
        members=tuple(options.get("members") or ()),
    )


def run_options_of(options: dict[str, Any]) -> RunOptions:
    """Return the options of a run; before it has a ranker, the suggested name is used.

    A ranker that is named as empty is the one that the file names.
    """
    chosen = {name: options[name] for name in RUN_CHOICES if name in options}
    ranker, version = options.get("suggested") or "new ranker", options.get("suggested_version")
    if "ranker" in options:
        ranker, version = options["ranker"], options.get("version")
    return RunOptions(
        ranker=ranker,
        named_in_file=not ranker,
        version=version or None,
        note=options.get("note") or "",
        **chosen,
    )


def judgment_options_of(options: dict[str, Any]) -> JudgmentOptions:
    """Return the options of a file of judgments."""
    names = ("unknown_documents", "unknown_queries", "replace", "negative", "kind")
    chosen = {name: options[name] for name in names if name in options}
    # As the page names them: what the file says -> a grade, or nothing for lines that are left out.
    grades = GradeMap.of(options["grades"].items()) if options.get("grades") else None
    return JudgmentOptions(annotator=options.get("annotator") or None, grades=grades, **chosen)


def problems_of(error: FormatError) -> dict[str, Any]:
    """Return the problems of a file for its report; those of one of several in an archive name it."""
    names = ("line", "code", "value", "reason", "remedy")
    rows = [
        {name: getattr(problem, name) for name in names}
        | ({"member": problem.member} if problem.member else {})
        | ({"is_row": True} if problem.is_row else {})
        for problem in error.problems
    ]
    found: dict[str, Any] = {"problems": rows, "total": error.total, "hints": list(error.hints)}
    return found if error.stopped_at is None else {**found, "stopped": told_of_stop(error)}


def refusal_of(error: ServiceError) -> dict[str, Any]:
    """Return a refusal of the services for a report."""
    return {
        "refusal": error.message,
        "code": error.code,
        "kind": type(error).__name__,
        "details": error.details,
    }


def begin_work(database: Database, upload_id: str, state: str) -> Upload | None:
    """Return an upload in this state, one attempt later; None if it is in another, or was tried too often."""
    with database.write() as session:
        upload = session.get(Upload, upload_id)
        if upload is None or upload.state != state:
            return None
        tried = int(upload.options.get("attempts", 0))
        upload.options = {**upload.options, "attempts": tried + 1}
        upload.progress_done = upload.progress_total = 0
        if tried < ATTEMPTS:
            return upload
        upload.state, upload.report = "failed", {**upload.report, "refusal": FAILED}
    return None


def end_work(
    database: Database, upload: Upload, state: str, report: dict[str, Any], revision: int | None
) -> None:
    """Write what was found and take the upload to its next state, unless it was cancelled meanwhile."""
    with database.write() as session:
        note_end(session, upload, state, report, revision)


def note_end(
    session: Session, upload: Upload, state: str, report: dict[str, Any], revision: int | None
) -> bool:
    """Do what `end_work` does, as part of a transaction; an upload that is done can be noted again.

    False if it was cancelled meanwhile.
    """
    options = {name: value for name, value in upload.options.items() if name not in OF_ONE_WORK}
    values = {"report": report, "checked_revision": revision, "options": options}
    return turn_upload(session, upload.id, {upload.state, state} - {"failed", "checked"}, state, **values)


@contextmanager
def failing_aloud(database: Database, upload: Upload) -> Iterator[None]:
    """Turn whatever goes wrong into a failed upload that says so, and a line in the log."""
    try:
        yield
    except CancelledError:
        log.info("upload %s was cancelled", upload.id)
    except FileNotFoundError:
        end_work(database, upload, "failed", {"refusal": GONE}, None)
    except MemoryError:
        log.warning("upload %s needs more memory than it may use", upload.id)
        end_work(database, upload, "failed", {"refusal": TOO_MUCH}, None)
    except Exception as error:
        log.exception("upload %s failed", upload.id)
        end_work(database, upload, "failed", {"refusal": FULL if is_full(error) else FAILED}, None)


def is_full(error: Exception) -> bool:
    """Return whether something failed because there is no room on the disk."""
    return isinstance(error, OperationalError | OSError) and any(
        told in str(error).lower() for told in ("disk is full", "no space left", "could not extend file")
    )


def report_of(upload: Upload) -> dict[str, Any]:
    """Return the report of an upload, to be changed."""
    return dict(upload.report)
