"""An archive or a workbook among files of any kind: what it holds of each kind becomes a file of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePath
from typing import Any

from app.database import Database
from app.formats.errors import BadValueError
from app.formats.grades import MOST_VALUES, table_of, value_key
from app.formats.judgments import grades_in
from app.formats.preview import Preview, preview_of
from app.formats.recognise import Portion, portions_of
from app.formats.schema import Kind
from app.formats.source import Part
from app.models import Project, Upload
from app.sentences import message, together
from app.services.collection.files import ImportFile
from app.services.projects.templates import with_template_columns
from app.services.uploads import NewUpload, record_upload, turn_upload

OPENS = "opens"
# So large a file is read to its end before anybody is asked about it.
SMALL = 2 * 1024 * 1024
UNKNOWN = message("What this file holds was not recognised.")


def open_upload(database: Database, folder: Path, upload: Upload) -> None:
    """Look into an upload; it waits then, and so do the files that it is in parts."""
    path, problem = folder / upload.id, None
    try:
        portions = portions_of(path, upload.file_name)
    except BadValueError as error:
        problem = error.at(upload.file_name, None).sentence
        portions = [Portion((), None)]
    options = {name: value for name, value in upload.options.items() if name not in {OPENS, "attempts"}}
    with database.read() as session:
        project = session.get_one(Project, upload.project_id)
    found = []
    for portion in portions:
        name = _name_of(upload.file_name, portion)
        told = problem or look_of(Part(path, members=portion.members), portion.kind, name)
        own = {"members": portion.members, "unsure": portion.kind is None, "told": told}
        size = portion.size or upload.size // len(portions)
        if portion.kind == "judgments" and size <= SMALL:
            file = ImportFile(content=path, name=name, members=portion.members)
            own["grades_seen"] = grades_to_map(file, project)
        new = NewUpload(
            kind=portion.kind or "queries", name=name, size=size, sha256=upload.sha256, options=options | own
        )
        found.append(new)
    first, *others = found
    with database.write() as session:
        own = {"kind": first.kind, "file_name": first.name, "size": first.size, "options": first.options}
        if not turn_upload(session, upload.id, ["checking"], "waiting", **own):
            return
        for new in others:
            row = record_upload(session, upload.project_id, upload.person_id, new)
            _copy(path, folder / row.id)


def look_of(part: Part | Path, kind: Kind | None, name: str) -> str:
    """Return how a file looks, in sentences."""
    if kind is None:
        return UNKNOWN
    preview = preview_of(part, kind, name=name)
    ranker = suggested_ranker(preview, name) if kind == "run" else ""
    return together(preview.guess.reason, message("Ranker: %(name)s.", name=ranker) if ranker else "")


def grades_to_map(file: ImportFile, project: Project) -> list[dict[str, Any]]:
    """Return what each grade of a file probably is on the project's scale; nothing if all of them fit."""
    file = with_template_columns(project, "judgments", file)
    written = grades_in(file.part, file.format, file.columns)
    if {value_key(value) for value in written} <= set(map(str, project.grades)):
        return []
    rows = table_of(written, project.scale_low, project.scale_high)[:MOST_VALUES]
    return [{"said": row.value, "lines": row.lines, "proposed": row.proposed} for row in rows]


def suggested_ranker(preview: Preview, file_name: str) -> str:
    """Return what the ranker of a run is probably called: the tag in the file, else the file's name."""
    tags = [cells["tag"] for _, cells in preview.rows if cells.get("tag")]
    name = tags[0] if tags else PurePath(file_name.rpartition(": ")[2]).stem
    return name[:200] if name.isprintable() else ""


def _name_of(name: str, portion: Portion) -> str:
    if not portion.members:
        return name
    more = f" and {len(portion.members) - 1:,} more" if len(portion.members) > 1 else ""
    return f"{name}: {portion.members[0]}{more}"


def _copy(path: Path, other: Path) -> None:
    try:
        os.link(path, other)  # each is removed by itself, and takes no room
    except OSError:
        shutil.copyfile(path, other)
