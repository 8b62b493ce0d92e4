"""Images of answers: named by a field of the documents, kept here, shown under a random address.

They come from a web host that the operator has allowed (IMAGE_HOSTS), fetched in the background and never
while somebody looks, or from files that an owner has uploaded, matched by their names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from app.formats.pictures import BadPictureError, kind_of_picture
from app.models.document import Document
from app.models.picture import Picture, PictureContent, new_public_id
from app.models.project import Project
from app.sentences import message
from app.services.bulk import batches
from app.services.collection.answer_fields import WEB, AnswerFields, text_of
from app.services.errors import InvalidError, NotFoundError

LARGEST = 2 * 1024 * 1024
# All images of a project together.
MOST_BYTES = 1024 * 1024 * 1024
LONGEST_SOURCE = 2000
AT_ONCE = 500


@dataclass(frozen=True)
class ShownPicture:
    """An image as a page shows it: its random address, its size, and what it shows in words."""

    public_id: str
    width: int
    height: int
    alt: str = ""


@dataclass(frozen=True)
class PictureCounts:
    """How many images the documents name, how many are here, wait or failed, and why the first ones did."""

    named: int
    ready: int
    waiting: int
    failed: int
    missing: int
    problems: tuple[tuple[str, str], ...]


def shown_pictures(
    session: Session, project_id: int, fields: AnswerFields, extras: Mapping[str, Mapping[str, Any] | None]
) -> dict[str, ShownPicture]:
    """Return the images of some answers, given the kept columns of each, by the same keys; none where off."""
    if not fields.image:
        return {}
    values = {key: _value(extra, fields.image) for key, extra in extras.items()}
    names = {key: _names(value) for key, value in values.items() if value}
    hashes = {_hash(name) for each in names.values() for name in each}
    found = {
        row.source_hash: ShownPicture(row.public_id, row.width, row.height)
        for row in session.execute(
            select(Picture.source_hash, Picture.public_id, Picture.width, Picture.height).where(
                Picture.project_id == project_id, Picture.state == "ready", Picture.source_hash.in_(hashes)
            )
        )
    }
    shown = {}
    for key, each in names.items():
        picture = next((found[_hash(name)] for name in each if _hash(name) in found), None)
        if picture is not None:
            alt = _value(extras[key], fields.alt) if fields.alt else ""
            shown[key] = ShownPicture(picture.public_id, picture.width, picture.height, alt)
    return shown


def get_picture(session: Session, project_id: int, public_id: str) -> tuple[str, bytes]:
    """Return the type and the bytes of an image.

    :raise NotFoundError: The project has none of this id, or it is not here.
    """
    row = session.execute(
        select(Picture.media_type, PictureContent.content)
        .join(PictureContent, PictureContent.picture_id == Picture.id)
        .where(Picture.project_id == project_id, Picture.public_id == public_id, Picture.state == "ready")
    ).one_or_none()
    if row is None:
        raise NotFoundError("There is no such image.")
    return row.media_type, row.content


def keep_picture(session: Session, project_id: int, source: str, content: bytes) -> None:
    """Keep an image under the name that the documents have for it; one of the same name is replaced.

    :raise InvalidError: It is too large, no image that can be shown, or the project's images are too many.
    """
    if len(content) > LARGEST:
        raise InvalidError(message("it is larger than %(size)s MB", size=LARGEST // 1024**2), code="picture")
    try:
        kind = kind_of_picture(content)
    except BadPictureError as error:
        raise InvalidError(str(error), code="picture") from error
    mine = Picture.project_id == project_id
    used = session.scalar(select(func.coalesce(func.sum(Picture.size), 0)).where(mine)) or 0
    if used + len(content) > MOST_BYTES:
        raise InvalidError(
            message("all images together exceed %(n)s MB", n=MOST_BYTES // 1024**2), code="picture"
        )
    picture = _find(session, project_id, source)
    if picture is None:
        picture = Picture(project_id=project_id, source=source, source_hash=_hash(source))
        session.add(picture)
    # Devices keep an image under its address: another one has another address.
    picture.public_id = new_public_id()
    picture.state, picture.problem, picture.size = "ready", "", len(content)
    picture.media_type, picture.width, picture.height = kind.media_type, kind.width, kind.height
    session.flush()
    session.merge(PictureContent(picture_id=picture.id, content=content))
    session.flush()


def await_pictures(session: Session, project: Project, hosts: Collection[str]) -> int:
    """Put down which images are to be fetched from allowed hosts, failed ones again; return how many."""
    wanted = {value for value in _named(session, project) if host_of(value) in hosts}
    for some in batches(sorted(wanted), AT_ONCE):
        hashes = {_hash(value): value for value in some}
        known = dict(
            session.execute(
                select(Picture.source_hash, Picture.state).where(
                    Picture.project_id == project.id, Picture.source_hash.in_(hashes)
                )
            ).all()
        )
        session.add_all(
            Picture(project_id=project.id, source=value, source_hash=name)
            for name, value in hashes.items()
            if name not in known
        )
    failed = (Picture.project_id == project.id, Picture.state == "failed")
    session.execute(update(Picture).where(*failed).values(state="waiting", problem=""))
    session.flush()
    return len(waiting_pictures(session, project.id))


def waiting_pictures(session: Session, project_id: int) -> list[str]:
    """Return the addresses of the images that are to be fetched."""
    wanted = select(Picture.source).where(Picture.project_id == project_id, Picture.state == "waiting")
    return list(session.scalars(wanted.order_by(Picture.id)))


def projects_with_waiting_pictures(session: Session) -> list[int]:
    """Return the projects in which images are to be fetched."""
    wanted = select(Picture.project_id).join(Project, Project.id == Picture.project_id).distinct()
    waiting = wanted.where(Picture.state == "waiting", Project.is_complete())
    return list(session.scalars(waiting.order_by(Picture.project_id)))


def note_failed(session: Session, project_id: int, problem: str, source: str | None = None) -> None:
    """Say why an image could not be fetched, or all that wait."""
    which = [Picture.project_id == project_id, Picture.state == "waiting"]
    if source is not None:
        which.append(Picture.source_hash == _hash(source))
    session.execute(update(Picture).where(*which).values(state="failed", problem=problem[:300]))


def remove_pictures(session: Session, project_id: int) -> int:
    """Delete all images of a project, and return how many there were."""
    mine = select(Picture.id).where(Picture.project_id == project_id)
    session.execute(delete(PictureContent).where(PictureContent.picture_id.in_(mine)))
    gone = session.execute(delete(Picture).where(Picture.project_id == project_id).returning(Picture.id))
    return len(gone.all())


def count_pictures(session: Session, project: Project) -> PictureCounts:
    """Return how many images the documents name, and how many of them are here."""
    rows = session.execute(
        select(Picture.source, Picture.state, Picture.problem).where(Picture.project_id == project.id)
    ).all()
    states = {row.source: row.state for row in rows}
    found = [
        next((states[name] for name in _names(value) if name in states), "")
        for value in _named(session, project)
    ]
    failed = [(row.source, row.problem) for row in rows if row.state == "failed"]
    return PictureCounts(
        named=len(found),
        ready=found.count("ready"),
        waiting=found.count("waiting"),
        failed=found.count("failed"),
        missing=found.count(""),
        problems=tuple(failed[:5]),
    )


def host_of(source: str) -> str:
    """Return the host of an address of the web, in small letters; nothing of anything else."""
    try:
        parts = urlsplit(source)
        return (parts.hostname or "").lower() if source.startswith(WEB) else ""
    except ValueError:
        return ""


def file_name_of(source: str) -> str:
    """Return the name of the file at the end of an address or a path."""
    path = unquote(urlsplit(source).path) if host_of(source) else source
    return path.replace("\\", "/").rsplit("/", 1)[-1].strip()


def _names(value: str) -> list[str]:
    """Return under which names an image is looked for: as it is written, and as a file of that name."""
    return list(dict.fromkeys(filter(None, (value, file_name_of(value)))))


def _named(session: Session, project: Project) -> Iterator[str]:
    """Yield each image that the documents name, once."""
    name = AnswerFields.of(project.options).image
    if not name:
        return
    value = Document.extra[name].as_string()
    wanted = select(value).where(Document.project_id == project.id, value.is_not(None)).distinct()
    yield from filter(None, map(_plain, session.scalars(wanted)))


def _value(extra: Mapping[str, Any] | None, name: str) -> str:
    return _plain(text_of((extra or {}).get(name)))


def _plain(value: object) -> str:
    text = str(value).strip()
    return text if len(text) <= LONGEST_SOURCE else ""


def _find(session: Session, project_id: int, source: str) -> Picture | None:
    mine = (Picture.project_id == project_id, Picture.source_hash == _hash(source))
    return session.scalar(select(Picture).where(*mine))


def _hash(source: str) -> bytes:
    return sha256(source.encode()).digest()
