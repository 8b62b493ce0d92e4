"""What an answer is made of: the columns of its file that an owner has chosen to show, and where.

Columns that the product does not know are kept with each document (`extra`). Nothing of them is shown to
annotators before an owner has chosen it: a column may name the ranker that found the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.document import Document
from app.models.event import EventKind
from app.models.project import Project
from app.models.ranker import Ranker
from app.sentences import message
from app.services.accounts.audit import record
from app.services.bulk import lock_project
from app.services.collection.files import plain_name
from app.services.errors import InvalidError
from app.services.ledger import record_event

OPTION = "answer_fields"
# These two say how a text is read, and are shown nowhere.
NOT_A_FIELD = frozenset({"format", "language"})
MOST_LINES = 8
LONGEST_VALUE = 500
# The fields of so many first and last answers are offered.
LOOKED_AT = 300
WEB = ("https://", "http://")


@dataclass(frozen=True, kw_only=True)
class AnswerFields:
    """The fields that are shown, by name; an empty name is none.

    Attributes
    ----------
    title
        Stands where the document's title would.
    lines
        Shown below it, each with its name, in this order.
    link
        Leads to the source instead of the document's address.
    image, alt
        An address or the name of a file, and what the image shows in words.
    """

    title: str = ""
    lines: tuple[str, ...] = ()
    link: str = ""
    image: str = ""
    alt: str = ""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> AnswerFields:
        """Return what is stored with a project."""
        stored = options.get(OPTION) or {}
        return cls(**{**stored, "lines": tuple(stored.get("lines", ()))})

    @property
    def names(self) -> tuple[str, ...]:
        """The chosen fields that people read, each once."""
        chosen = (self.title, *self.lines, self.link, self.alt)
        return tuple(dict.fromkeys(name for name in chosen if name))

    def shown(self, extra: Mapping[str, Any] | None, title: str, url: str) -> dict[str, Any]:
        """Return title, address and lines of a document as they are shown."""
        if not self.names:
            return {"title": title, "url": url, "lines": ()}
        values = extra or {}
        link = text_of(values.get(self.link)) if self.link else ""
        lines = ((name, text_of(values.get(name))) for name in self.lines)
        return {
            "title": (text_of(values.get(self.title)) if self.title else "") or title,
            "url": link if link.startswith(WEB) else url,
            "lines": tuple((name, text) for name, text in lines if text),
        }


def text_of(value: Any) -> str:
    """Return a value of a file in words: a list as its parts, an object by its names, nothing as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        text = ", ".join(filter(None, map(text_of, value)))
    elif isinstance(value, dict):
        text = ", ".join(f"{name}: {text_of(each)}" for name, each in value.items() if text_of(each))
    else:
        text = str(value).strip()
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1].rstrip() + "…"


def fields_found(session: Session, project_id: int) -> dict[str, str]:
    """Return the fields that a project's documents bring, each with the first value that says something."""
    mine = select(Document.extra).where(Document.project_id == project_id)
    first = session.scalars(mine.order_by(Document.id).limit(LOOKED_AT)).all()
    last = session.scalars(mine.order_by(Document.id.desc()).limit(LOOKED_AT)).all()
    found: dict[str, str] = {}
    for extra in (*first, *last):
        for name, value in (extra or {}).items():
            # A path into a stored object cannot hold a quotation mark.
            if name not in NOT_A_FIELD and '"' not in name and not found.get(name):
                found[name] = text_of(value)
    return found


def change_fields(
    session: Session, project: Project, fields: AnswerFields, *, actor_id: int | None = None
) -> bool:
    """Show other fields from now on and return whether that is new; an event, because it is what people rate.

    :raise InvalidError: A field is unknown, or a line is chosen twice; its code is the place.
    """
    project = lock_project(session, project.id)
    before = AnswerFields.of(project.options)
    known = {*fields_found(session, project.id), *before.names, before.image}
    for place, names in {**asdict(fields), "lines": fields.lines}.items():
        for name in [names] if isinstance(names, str) else names:
            if name and name not in known:
                raise InvalidError(
                    message("No answer has a field %(name)s.", name=repr(name[:80])), code=place
                )
    if len(set(fields.lines)) < len(fields.lines) or len(fields.lines) > MOST_LINES:
        raise InvalidError(
            message("Choose each line once, and at most %(most)s.", most=MOST_LINES), code="lines"
        )
    if fields == before:
        return False
    project.options = {**project.options, OPTION: asdict(fields)}
    payload = {"before": asdict(before), "after": asdict(fields)}
    record_event(session, project.id, EventKind.FIELDS_CHANGED, payload, actor_id=actor_id)
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["fields of answers"])
    return True


def fields_naming_rankers(session: Session, project_id: int, names: Iterable[str]) -> dict[str, list[str]]:
    """Return those of some fields whose values name rankers of the project, with these names."""
    wanted = select(Ranker.name).where(Ranker.project_id == project_id, Ranker.kind == "system")
    rankers = {plain_name(name): name for name in session.scalars(wanted)}
    found: dict[str, list[str]] = {}
    for name in names if rankers else ():
        value = Document.extra[name].as_string()
        rows = session.scalars(select(value).where(Document.project_id == project_id).distinct())
        named = {rankers[plain] for each in rows if each and (plain := plain_name(each)) in rankers}
        if named:
            found[name] = sorted(named)
    return found
