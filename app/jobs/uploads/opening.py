"""An archive or a workbook among files of any kind: what it holds of each kind becomes a file of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from sqlalchemy.orm import Session

from app.database import Database
from app.formats.errors import BadValueError
from app.formats.recognise import Portion, portions_of
from app.jobs.uploads.looking import Chosen, looks_of, unread_look, was_read
from app.jobs.uploads.work import file_of
from app.models import Project, Upload
from app.services.collection.files import ImportFile
from app.services.uploads import NewUpload, record_upload, turn_upload, uploads_together

OPENS = "opens"


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
        before = _waiting_with(session, upload)
        parts = [
            Chosen(
                _file_of(path, upload, portion), portion.kind, portion.size or upload.size // len(portions)
            )
            for portion in portions
        ]
        others = [chosen_before(each, folder) for each in before]
        looks = looks_of(session, project, [*parts, *others])
    found = [
        NewUpload(
            kind=look.kind or "queries",
            name=part.file.name,
            size=part.size,
            sha256=upload.sha256,
            options=options | {"members": part.file.members} | look.options,
            report={"look": unread_look(problem)} if problem else look.report,
        )
        for part, look in zip(parts, looks, strict=False)
    ]
    first, *more = found
    with database.write() as session:
        own = {"kind": first.kind, "file_name": first.name, "size": first.size}
        own |= {"options": first.options, "report": first.report}
        if not turn_upload(session, upload.id, ["checking"], "waiting", **own):
            return
        for new in more:
            row = record_upload(session, upload.project_id, upload.person_id, new)
            _copy(path, folder / row.id)
        # What these files hold may tell what others are.
        for each, look in zip(before, looks[len(parts) :], strict=True):
            told = {"kind": look.kind or "queries", "options": each.options | look.options}
            turn_upload(session, each.id, ["waiting"], "waiting", **told, report=look.report)


def _waiting_with(session: Session, upload: Upload) -> list[Upload]:
    mine = (upload.project_id, upload.person_id, upload.options.get("group", ""))
    together = uploads_together(session, *mine)
    return [each for each in together if each.state == "waiting" and was_read(each)]


def chosen_before(upload: Upload, folder: Path) -> Chosen:
    """Return a file that waits, with the kind that its names told."""
    is_packed = upload.options.get("packed") and not upload.options.get("members")
    return Chosen(
        file_of(upload, folder / upload.id), upload.options.get("named"), 0 if is_packed else upload.size
    )


def _file_of(path: Path, upload: Upload, portion: Portion) -> ImportFile:
    return ImportFile(content=path, name=_name_of(upload.file_name, portion), members=tuple(portion.members))


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
