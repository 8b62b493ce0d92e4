"""What each of some files that were chosen together is, before its check: kind, columns, ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import BadValueError
from app.formats.grades import MOST_VALUES, table_of, value_key
from app.formats.judgments import grades_in
from app.formats.own_columns import TESTED, Columns, Ids, Table, readings_of
from app.formats.own_columns import table_of as own_table_of
from app.formats.preview import NOT_READ, Preview, preview_of
from app.formats.schema import Kind, fields_of
from app.models import Document, Project, Query, Ranker, Upload
from app.sentences import message, together
from app.services.collection.files import ImportFile, known_among
from app.services.projects.templates import with_template_columns

UNKNOWN = message("What this file holds was not recognised.")
TEXT_LENGTH = 160
# So large a file is read to its end before anybody is asked about it.
SMALL = 2 * 1024 * 1024
# A name that ends with a day or a week of this century, or with a number such as v2 or v2.1.
VERSIONED = re.compile(
    r"(?P<ranker>.*[^-_. ])[-_. ]+"
    r"(?P<version>20\d\d([-_.]?)(?:(?:0[1-9]|1[0-2])\3(?:0[1-9]|[12]\d|3[01])|W[0-5]\d)|[vV]\d+(?:\.\d+)*)"
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A file with the kind that its names tell, None where they do not; `size` is 0 where nobody knows it."""

    file: ImportFile
    kind: Kind | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """A file as its page shows it: its kind, None where that is open, its options and its report.

    It `is_told` where its names tell what its columns are, or it has none: nobody has to look at them.
    """

    kind: Kind | None
    options: dict[str, Any]
    report: dict[str, Any]
    is_told: bool


def looks_of(session: Session, project: Project, files: Sequence[Chosen]) -> list[Look]:
    """Return how files look that were chosen together; those whose names tell nothing by their values."""
    looks = [look_as(session, project, each, each.kind) for each in files]
    if all(each.is_told for each in looks):
        return looks
    tables = [
        _table_of(project, each.file, look.kind if look.is_told else None)
        for each, look in zip(files, looks, strict=True)
    ]
    readings = readings_of(tables, _known_ids(session, project.id, tables))
    return [
        look
        if reading is None
        else look_as(
            session, project, each, reading.kind or each.kind, reading.columns, reason=reading.reason
        )
        for each, look, reading in zip(files, looks, readings, strict=True)
    ]


def look_as(
    session: Session,
    project: Project,
    chosen: Chosen,
    kind: Kind | None,
    guessed: dict[Kind, Columns] | None = None,
    *,
    reason: str = "",
) -> Look:
    """Return how a file looks as one of a kind; `guessed` are its columns for each kind, and why."""
    columns = (guessed or {}).get(kind, {}) if kind else {}
    file = _read_so(project, chosen.file, kind, columns)
    preview = preview_of(file.part, kind or "documents", file.format, file.columns, name=file.name)
    is_run = kind == "run" and preview.guess.format is not None
    ranker, version = suggested_ranker(session, project, preview, file.name) if is_run else ("", "")
    told = together(
        preview.guess.reason if kind else _which_of(guessed or {}),
        reason,
        message("Ranker: %(name)s.", name=f"{ranker} {version}".strip()) if ranker else "",
    )
    options = {"unsure": kind is None, "told": told, "named": chosen.kind}
    options |= {"columns": columns, "guessed": guessed or {}, "reason": reason}
    if kind == "judgments" and 0 < chosen.size <= SMALL:
        options["grades_seen"] = grades_to_map(file, project)
    names = () if preview.guess.format in {None, "trec"} else preview.guess.columns
    is_told = not names or (not columns and kind is not None and _are_told(names, kind, file.columns))
    return Look(kind, options, {"look": look_at(preview)}, is_told)


def _which_of(guessed: Mapping[Kind, Columns]) -> str:
    """Return what somebody has to say about a file of an open kind."""
    if not guessed:
        return UNKNOWN
    return message("Questions or answers?") if "queries" in guessed else message("Results or ratings?")


def _are_told(names: Sequence[str], kind: Kind, columns: Mapping[str, str]) -> bool:
    try:
        fields_of(names, kind, columns, exact=False)
    except BadValueError:
        return False
    return True


def look_at(preview: Preview) -> dict[str, Any]:
    """Return how a file is read, for a report."""
    guess = preview.guess
    return {
        "format": guess.format,
        "reason": guess.reason,
        "encoding": guess.encoding,
        "columns": [column[:TEXT_LENGTH] for column in guess.columns],
        "is_nameless": guess.delimiter is not None and not guess.has_header,
        "fields": preview.fields,
        "names": preview.names,
        "rows": preview.rows,
        "examples": {name[:TEXT_LENGTH]: values for name, values in preview.examples.items()},
    }


def unread_look(reason: str) -> dict[str, Any]:
    """Return how a file looks that cannot be read, for a report."""
    return {"format": None, "reason": reason, "encoding": NOT_READ}


def was_read(upload: Upload) -> bool:
    """Return whether anything of a file could be read when it was looked at."""
    return bool(upload.report.get("look", {}).get("encoding") != NOT_READ)


def grades_to_map(file: ImportFile, project: Project) -> list[dict[str, Any]]:
    """Return what each grade of a file probably is on the project's scale; nothing if all of them fit."""
    written = grades_in(file.part, file.format, file.columns)
    if {value_key(value) for value in written} <= set(map(str, project.grades)):
        return []
    rows = table_of(written, project.scale_low, project.scale_high)[:MOST_VALUES]
    return [{"said": row.value, "lines": row.lines, "proposed": row.proposed} for row in rows]


def suggested_ranker(session: Session, project: Project, preview: Preview, file_name: str) -> tuple[str, str]:
    """Return what the ranker of a run is probably called, and its version, empty where no name tells it.

    The tag in the file says it, or else the file's name. Of `bm25-2026-11-26` the date names the version, of
    `bm25-v2` the number: the next file is of the same ranker. Where the tag has neither, the file's name may
    have one. A ranker of the project that has the whole name is taken as it is.
    """
    tags = [cells["tag"] for _, cells in preview.rows if cells.get("tag")]
    of_file = PurePath(file_name.rpartition(": ")[2]).stem
    name = (tags[0] if tags else of_file)[:200]
    if not name.isprintable():
        return "", ""
    if found := VERSIONED.fullmatch(name):
        wanted = select(Ranker.id).where(Ranker.project_id == project.id, Ranker.name == name)
        is_whole = session.scalar(wanted) is not None
        return (name, "") if is_whole else (found["ranker"], found["version"])
    found = VERSIONED.fullmatch(of_file)
    return name, found["version"] if found else ""


def _read_so(project: Project, file: ImportFile, kind: Kind | None, columns: Columns) -> ImportFile:
    file = replace(file, columns=columns)
    return with_template_columns(project, kind, file) if kind else file


def _table_of(project: Project, file: ImportFile, kind: Kind | None) -> Table:
    file = _read_so(project, file, kind, {})
    return own_table_of(file.part, file.name, kind, dict(file.columns))


def _known_ids(session: Session, project_id: int, tables: Sequence[Table]) -> list[Ids]:
    values = {
        value
        for table in tables
        if table.kind is None
        for column in table.columns.values()
        for value in column[:TESTED]
    }
    kinds: tuple[tuple[Kind, type[Query | Document]], ...] = (("queries", Query), ("documents", Document))
    found = [(kind, known_among(session, model, project_id, values)) for kind, model in kinds]
    return [Ids(kind, known) for kind, known in found if known is not None]
