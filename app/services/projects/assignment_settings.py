"""How a project assigns and checks answers: the order, double ratings, repeats, gold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.event import EventKind
from app.models.project import Project
from app.sentences import message
from app.services.accounts.audit import record
from app.services.bulk import lock_project
from app.services.errors import InvalidError
from app.services.ledger import record_event

AssignmentOrder = Literal["front", "random"]
ASSIGNMENT_ORDERS: tuple[AssignmentOrder, ...] = get_args(AssignmentOrder)
# What a new project starts with, and what is proposed where an owner switches something on.
SHARE_TWICE = 0.2
GOLD = 0.05


@dataclass(frozen=True, kw_only=True)
class Quality:
    """The choices of one project; shares run from 0 to 1.

    Attributes
    ----------
    dealing
        ``front``: best placed answers first, every second batch finishing a question; ``random``: in random
        order.
    share_twice
        The keyed random share of answers that two people rate; without effect from an overlap of 2 on.
    repeats
        The share of an annotator's ratings that is asked a second time, after 50 others at least.
    gold
        The share of an annotator's answers that is gold, as far as there is gold.
    feedback
        Tell annotators what the others gave, once a question is closed; its ratings stay from then on.
    """

    dealing: AssignmentOrder = "front"
    share_twice: float = 0.0
    repeats: float = 0.0
    gold: float = GOLD
    feedback: bool = False


def quality_of(project: Project) -> Quality:
    """Return the choices of a project; what it never chose has the value of `Quality`."""
    names = ("dealing", "repeats", "gold", "feedback")
    chosen = {name: project.options[name] for name in names if name in project.options}
    return Quality(**chosen, share_twice=project.share_twice)


def default_share_twice(overlap: int) -> float:
    """Return the share of a new project that is rated twice: none where everything is."""
    return SHARE_TWICE if overlap < 2 else 0.0


def check_quality(quality: Quality) -> None:
    """Refuse what cannot be.

    :raise InvalidError: Names the value and the remedy; its code is the name of the choice.
    """
    if quality.dealing not in ASSIGNMENT_ORDERS:
        raise InvalidError(
            f"The order {quality.dealing!r} is not known: choose front or random.", code="dealing"
        )
    for name, most in {"share_twice": 1.0, "repeats": 0.5, "gold": 0.5}.items():
        share = getattr(quality, name)
        if not 0 <= share <= most:
            raise InvalidError(
                message(
                    "A share of %(share)s %% is not possible: choose 0 to %(most)s %%.",
                    share=f"{share * 100:g}",
                    most=f"{most * 100:g}",
                ),
                code=name,
            )


def change_quality(
    session: Session, project: Project, quality: Quality, *, actor_id: int | None = None
) -> bool:
    """Put other choices into force and return whether anything is new; no score moves.

    :raise InvalidError: A value cannot be right; nothing is changed.
    """
    check_quality(quality)
    project = lock_project(session, project.id)
    before = quality_of(project)
    if quality == before:
        return False
    values = asdict(quality)
    project.share_twice = values.pop("share_twice")
    project.options = {**project.options, **values}
    payload = {"before": asdict(before), "after": asdict(quality)}
    record_event(session, project.id, EventKind.QUALITY_CHANGED, payload, actor_id=actor_id)
    changed = [name for name, value in asdict(quality).items() if asdict(before)[name] != value]
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=changed)
    return True
