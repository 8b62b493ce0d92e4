"""Files on their way in: what waits for a confirmation, whose it is, and how far the work on it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import PurePath
from typing import Any

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.orm import Session

from app.formats.schema import Kind
from app.models.base import now_utc
from app.models.event import Event
from app.models.project import Project
from app.models.query import Query
from app.models.upload import Upload
from app.sentences import message
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import QUIET, head_of

WAITS = timedelta(hours=24)
# What may wait of one person's files.
MOST_WAITING = 8
MOST_BYTES = 1 << 30
AT_WORK = ("checking", "importing")
# Of files that were chosen together, each needs those before it.
IMPORT_ORDER = ("queries", "documents", "run", "judgments")
OPEN = ("waiting", *AT_WORK, "checked", "failed")
ALL_WAITING = "waiting"
"""In the place of an upload's id: all of somebody's files that wait in a project."""
LEFT_OUT = "left_out"
"""The option of a file that its person left out of those chosen together."""


@dataclass(frozen=True, kw_only=True)
class NewUpload:
    """A file that has arrived; `name` is what people call it and never a path, `report` how it looks."""

    kind: Kind
    name: str
    size: int
    sha256: bytes
    options: dict[str, Any]
    report: dict[str, Any] = field(default_factory=dict)


def record_upload(session: Session, project_id: int, person_id: int | None, new: NewUpload) -> Upload:
    """Return the row of a file that has arrived, waiting for its check."""
    upload = Upload(
        project_id=project_id,
        person_id=person_id,
        kind=new.kind,
        file_name=new.name,
        size=new.size,
        sha256=new.sha256,
        options=new.options,
        report=new.report,
        state="waiting",
        expires_at=now_utc() + WAITS,
    )
    session.add(upload)
    session.flush()
    return upload


def count_by_state(session: Session) -> dict[str, int]:
    """Return how many files are at work or have failed, by their state."""
    rows = session.execute(select(Upload.state, func.count()).group_by(Upload.state))
    found = {state: number for state, number in rows}  # noqa: C416 - rows are no pairs to mypy
    return {state: found.get(state, 0) for state in ("waiting", *AT_WORK, "failed")}


def refuse_beyond_share(
    session: Session,
    person_id: int | None,
    *,
    coming: int,
    size: int,
    instead: Collection[str] = (),
    most: int = MOST_BYTES,
) -> None:
    """Refuse a further file of somebody whose files take up what one person may.

    Parameters
    ----------
    coming
        How many files, this one included, are arriving just now.
    size
        The bytes of this file.
    instead
        The ids of the uploads that it takes the place of.

    Raises
    ------
    ConflictError
        Too many files wait, or they are too large together.
    """
    # Nobody confirms or cancels what a program without a person has sent: once checked, it waits no more.
    unfinished = OPEN if person_id is not None else ("waiting", *AT_WORK)
    number_of = func.count().filter(Upload.state.in_(unfinished))
    waiting = select(number_of, func.coalesce(func.sum(Upload.size), 0)).where(
        Upload.person_id == person_id,
        Upload.state.in_(OPEN),
        Upload.expires_at > now_utc(),
        Upload.id.not_in(list(instead)),
    )
    number, used = session.execute(waiting).one()
    if number + coming > MOST_WAITING:
        raise ConflictError(
            message(
                "At most %(most)s uploads may be unfinished, and you have %(n)s in all your projects. Import "
                "or discard some, then choose again.",
                n=number,
                most=MOST_WAITING,
            )
            if number
            else message(
                "These are %(coming)s files, and at most %(most)s may wait at a time. Choose fewer.",
                coming=coming,
                most=MOST_WAITING,
            ),
            code="uploads",
            **_unfinished(session, person_id),
        )
    if used + size > most:
        raise ConflictError(
            message(
                "This file and your %(n)s waiting ones have %(size)s MB together, more than %(most)s MB: "
                "import or cancel some of them, then choose this file again.",
                n=number,
                size=f"{(used + size) / 1e6:,.0f}",
                most=f"{most / 1e6:,.0f}",
            ),
            code="uploads",
            **_unfinished(session, person_id),
        )


def _unfinished(session: Session, person_id: int | None) -> dict[str, Any]:
    """Return project (its short name), id and name of each unfinished file of a person, newest first.

    Programs without a person have no page to go on with: for them there is nothing.
    """
    if person_id is None:
        return {}
    rows = session.execute(
        select(Project.slug, Upload.id, Upload.file_name)
        .join(Project, Project.id == Upload.project_id)
        .where(Upload.person_id == person_id, Upload.state.in_(OPEN), Upload.expires_at > now_utc())
        .order_by(Upload.created_at.desc())
    )
    return {"unfinished": [{"project": slug, "upload": number, "name": name} for slug, number, name in rows]}


def get_upload(session: Session, project_id: int, person_id: int | None, upload_id: str) -> Upload:
    """Return a person's own upload to a project.

    Raises
    ------
    NotFoundError
        There is none of this id: also if it is somebody else's, or has waited too long.
    """
    upload = session.get(Upload, upload_id)
    mine = upload is not None and (upload.project_id, upload.person_id) == (project_id, person_id)
    if upload is None or not mine or upload.state == "cancelled" or _has_expired(upload):
        raise NotFoundError(
            "This file is no longer here: it was cancelled, or kept for more than a day. Choose it again.",
            code="upload_gone",
        )
    return upload


def _has_expired(upload: Upload) -> bool:
    return upload.state in OPEN and upload.expires_at < now_utc()


def open_uploads(session: Session, project_id: int, person_id: int) -> Sequence[Upload]:
    """Return a person's uploads that are not finished, newest first."""
    return session.scalars(
        select(Upload)
        .where(Upload.project_id == project_id, Upload.person_id == person_id)
        .where(Upload.state.in_(OPEN), Upload.expires_at > now_utc())
        .order_by(Upload.created_at.desc())
    ).all()


def waiting_uploads(session: Session, person_id: int, project_id: int | None = None) -> Sequence[Upload]:
    """Return a person's uploads to a project, or to any, that wait for a decision: none is being imported."""
    mine = select(Upload).where(Upload.person_id == person_id, Upload.state.in_(OPEN))
    if project_id is not None:
        mine = mine.where(Upload.project_id == project_id)
    wanted = mine.where(Upload.state != "importing", Upload.expires_at > now_utc())
    return session.scalars(wanted.order_by(Upload.created_at.desc())).all()


def count_unfinished(session: Session, person_id: int) -> int:
    """Return how many files of a person are not finished, across projects."""
    mine = select(func.count()).where(
        Upload.person_id == person_id, Upload.state.in_(OPEN), Upload.expires_at > now_utc()
    )
    return session.scalar(mine) or 0


def ids_instead(session: Session, person_id: int | None, project_id: int | None, instead: str) -> set[str]:
    """Return the ids of the uploads that a new one takes the place of: one, or all that wait in a project."""
    if instead != ALL_WAITING:
        return {instead} if instead else set()
    if person_id is None or project_id is None:
        return set()
    return {each.id for each in waiting_uploads(session, person_id, project_id)}


def uploads_together(session: Session, project_id: int, person_id: int | None, group: str) -> list[Upload]:
    """Return a person's files that were chosen together, in the order in which they are imported."""
    mine = select(Upload).where(
        Upload.project_id == project_id, Upload.person_id == person_id, Upload.state != "cancelled"
    )
    found = session.scalars(mine.where(Upload.options["group"].as_string() == group))
    here = [upload for upload in found if not _has_expired(upload)]

    def order(each: Upload) -> tuple[Any, ...]:
        # The older week is the version before, whatever was chosen first; week 2 is older than week 10.
        name = PurePath(each.file_name).stem if each.kind == "run" else ""
        parts = [part.zfill(20) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
        return IMPORT_ORDER.index(each.kind), parts, each.created_at, each.id

    return sorted(here, key=order)


def names_left_out(session: Session, project_id: int, person_id: int | None, group: str) -> list[str]:
    """Return the names of the files chosen together that the person left out."""
    found = session.scalars(
        select(Upload)
        .where(Upload.project_id == project_id, Upload.person_id == person_id, Upload.state == "cancelled")
        .where(Upload.options["group"].as_string() == group)
        .order_by(Upload.created_at, Upload.id)
    )
    return [each.file_name for each in found if each.options.get(LEFT_OUT)]


def begin_next(session: Session, like: Upload) -> Upload | None:
    """Let the next of the files begin that were chosen together with one; none while one is at work."""
    if not (group := like.options.get("group")):
        return None
    together = uploads_together(session, like.project_id, like.person_id, group)
    waiting = [each for each in together if each.state == "waiting" and each.options.get("goes_on")]
    if not waiting or any(each.state in AT_WORK for each in together):
        return None
    turn_upload(session, waiting[0].id, ["waiting"], "checking")
    return waiting[0]


def at_work_together(session: Session, upload_id: str) -> Upload | None:
    """Return which of the files is at work that were chosen together with one, itself included."""
    upload = session.get(Upload, upload_id)
    if upload is None or "group" not in upload.options:
        return None
    together = uploads_together(session, upload.project_id, upload.person_id, upload.options["group"])
    return next((each for each in together if each.state in AT_WORK), None)


def turn_upload(session: Session, upload_id: str, before: Iterable[str], after: str, **values: Any) -> bool:
    """Take an upload from one state to another; False, with nothing done, if it was in neither of these."""
    return _change(session, upload_id, before, state=after, **values)


def _change(session: Session, upload_id: str, states: Iterable[str], **values: Any) -> bool:
    changed = session.execute(
        update(Upload)
        .where(Upload.id == upload_id, Upload.state.in_(list(states)))
        .values(**values)
        .returning(Upload.id)
    )
    return changed.scalar_one_or_none() is not None


def note_progress(session: Session, upload_id: str, done: int, total: int) -> bool:
    """Say how much of the work on an upload is done; False if nobody waits for it any more."""
    return _change(session, upload_id, AT_WORK, progress_done=done, progress_total=total)


def has_changed(session: Session, project_id: int, revision: int | None) -> bool:
    """Return whether anything but ratings has happened in a project since a revision."""
    if revision is None:
        return True
    if head_of(session, project_id) == revision:
        return False
    quiet = [kind.value for kind in QUIET]
    loud = exists().where(Event.project_id == project_id, Event.revision > revision, Event.kind.not_in(quiet))
    return bool(session.scalar(select(loud)))


def texts_of(session: Session, project_id: int, external_ids: Iterable[str]) -> dict[str, str]:
    """Return the texts of some queries by their external ids."""
    wanted = select(Query.external_id, Query.text).where(
        Query.project_id == project_id, Query.external_id.in_(list(external_ids))
    )
    return {row.external_id: row.text for row in session.execute(wanted)}


def uploads_at_work(session: Session) -> Sequence[Upload]:
    """Return the uploads that somebody works on or was to work on, also if it was killed."""
    wanted = select(Upload).where(Upload.state.in_(("waiting", *AT_WORK)))
    return session.scalars(wanted.order_by(Upload.created_at)).all()


def forget_expired(session: Session) -> None:
    """Delete what waited too long, and what was cancelled; finished imports keep their line."""
    gone = Upload.state.in_(("waiting", "checking", "checked", "failed", "cancelled"))
    session.execute(delete(Upload).where(gone, Upload.expires_at < now_utc()))


def ids_with_files(session: Session) -> set[str]:
    """Return the ids of the uploads whose files are still needed."""
    return set(session.scalars(select(Upload.id).where(Upload.state.in_(OPEN))))
