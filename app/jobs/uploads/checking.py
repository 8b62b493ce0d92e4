"""Check an upload: say how it is read, what is wrong with it, and what importing it would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

from app.database import Database
from app.formats.errors import FormatError
from app.formats.grades import MOST_VALUES, table_of
from app.formats.judgments import grades_in
from app.formats.preview import Preview, odd_lines, preview_of
from app.formats.schema import Kind
from app.jobs.gate import Trial, try_run
from app.jobs.imports import check_run, import_documents, import_judgments, import_queries
from app.jobs.uploads.looking import TEXT_LENGTH, look_at, suggested_ranker, unread_look
from app.jobs.uploads.opening import OPENS, open_upload
from app.jobs.uploads.watching import UploadProgress, watched
from app.jobs.uploads.work import (
    begin_work,
    end_work,
    failing_aloud,
    file_of,
    judgment_options_of,
    problems_of,
    refusal_of,
    run_options_of,
)
from app.models import Project, Upload
from app.sentences import message
from app.services.collection.files import ImportFile, part_for
from app.services.collection.run_files import taken_versions
from app.services.errors import ServiceError
from app.services.exports.gate_report import markdown_of
from app.services.exports.objects import asked_labels, gate_object, run_score_object, settings_object
from app.services.ledger import head_of
from app.services.projects.templates import with_template_columns
from app.services.scores.gate import GateRules
from app.services.uploads import texts_of

TRIAL = "trial"


def check_upload(database: Database, folder: Path, upload_id: str) -> None:
    """Check an upload that is to be checked; any other is left alone."""
    upload = begin_work(database, upload_id, "checking")
    if upload is None:
        return
    with failing_aloud(database, upload):
        if OPENS in upload.options:
            open_upload(database, folder, upload)
            return
        if TRIAL in upload.options:
            _try(database, upload, folder / upload.id)
            return
        path = watched(folder / upload.id, upload.size, UploadProgress(database, upload.id))
        file = file_of(upload, path)
        kind = cast("Kind", upload.kind)
        with database.read() as session:
            project = session.get_one(Project, upload.project_id)
        try:
            file = with_template_columns(project, kind, part_for(kind, file))
        except FormatError as error:
            look = unread_look(message("This file cannot be read as one."))
            end_work(database, upload, "checked", {"look": look, **problems_of(error)}, None)
            return
        stored = replace(file, content=folder / upload.id).part
        preview = preview_of(stored, kind, file.format, file.columns, name=file.name)
        with database.read() as session:
            ranker, version = suggested_ranker(session, project, preview, upload.file_name)
            if version in taken_versions(session, project, ranker):
                version = ""
            upload.options = {**upload.options, "suggested": ranker, "suggested_version": version}
            revision = head_of(session, upload.project_id)
            texts = _texts(session, upload.project_id, preview)
        report: dict[str, Any] = {
            "look": look_at(preview),
            "texts": texts,
            "changed": bool(upload.options.get("changed")),
        }
        if kind == "judgments":
            written = grades_in(stored, file.format, file.columns)
            rows = table_of(written, project.scale_low, project.scale_high)
            report["scale"] = [project.scale_low, project.scale_high]
            report["grades"] = [
                {"said": row.value, "lines": row.lines, "proposed": row.proposed}
                for row in rows[:MOST_VALUES]
            ]
        report |= _found(database, upload, file)
        if any(problem["code"] == "encoding" for problem in report.get("problems", [])):
            report["windows_1252"] = odd_lines(stored)
        is_faulty = report.get("problems") or report.get("refusal")
        goes_on = upload.options.get("goes_on") and not is_faulty
        end_work(database, upload, "importing" if goes_on else "checked", report, revision)


def _try(database: Database, upload: Upload, path: Path) -> None:
    """Score a run and put it before the gate; nothing of it is kept but what was found."""
    asked = upload.options[TRIAL]
    rules = GateRules(asked["max_drop"], asked["min_coverage"])
    try:
        trial = try_run(
            database,
            upload.project_id,
            file_of(upload, path),
            run_options_of(upload.options),
            rules,
            against=asked["against"],
            measures=asked["measures"],
        )
    except FormatError as error:
        found = problems_of(error)
    except ServiceError as error:
        found = refusal_of(error)
    else:
        found = {TRIAL: _told(database, upload, trial, asked["measures"])}
    end_work(database, upload, "checked", found, None)


def _told(database: Database, upload: Upload, trial: Trial, measures: str) -> dict[str, Any]:
    with database.read() as session:
        project = session.get_one(Project, upload.project_id)
    board, gated, told = trial.board, trial.gated, None
    if gated is not None:
        told = gate_object(project.slug, gated.answer, gated.evidence, ranker=gated.ranker, file=gated.file)
        told["markdown"] = markdown_of(told)
    return {
        "revision": board.revision,
        "scoring_settings": settings_object(board.ruler),
        "counts": trial.report.stats,
        **run_score_object(board.runs[0], asked_labels(board, measures)),
        "gate": told,
        "no_gate": trial.refusal or None,
    }


def _texts(session: Any, project_id: int, preview: Preview) -> dict[str, str]:
    ids = {cells["query_id"] for _, cells in preview.rows if "query_id" in cells}
    return {name: text[:TEXT_LENGTH] for name, text in texts_of(session, project_id, ids).items()}


def _found(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    try:
        return CHECKS[upload.kind](database, upload, file)
    except FormatError as error:
        return problems_of(error)
    except ServiceError as error:
        return refusal_of(error)


def _queries(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    replace = bool(upload.options.get("replace"))
    return {"counts": asdict(import_queries(database, upload.project_id, file, replace=replace, check=True))}


def _documents(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    replace = bool(upload.options.get("replace"))
    return {
        "counts": asdict(import_documents(database, upload.project_id, file, replace=replace, check=True))
    }


def _judgments(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    options = judgment_options_of(upload.options)
    return {"counts": asdict(import_judgments(database, upload.project_id, file, options, check=True))}


def _run(database: Database, upload: Upload, file: ImportFile) -> dict[str, Any]:
    checked = check_run(database, upload.project_id, file, run_options_of(upload.options))
    # Pages let people choose another ranker, so they leave the number of rankers out.
    found: dict[str, Any] = {"price": checked.pool.sentence, "price_of_answers": checked.pool.answers}
    if checked.known is not None:
        found["known"] = {"ranker": checked.known.ranker, "version": checked.known.version}
    if checked.report is not None:
        found |= {"counts": checked.report.stats, "warnings": checked.report.warnings}
    return found


CHECKS: dict[str, Callable[[Database, Upload, ImportFile], dict[str, Any]]] = {
    "queries": _queries,
    "documents": _documents,
    "judgments": _judgments,
    "run": _run,
}
