"""Rulers: everything that fixes how a number is computed, and the hash that names it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from app.models.event import Event, EventKind
from app.models.project import Project
from app.models.ruler import Ruler
from app.scoring.choices import CONSENSUS_RULES, DISCOUNTS, GAINS, PROJECT_IDEALS, PROJECT_UNJUDGED
from app.scoring.ruler import ScoringRuler
from app.sentences import message
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import record_event

ALLOWED: dict[str, tuple[str, ...]] = {
    "gain": GAINS,
    "discount": DISCOUNTS,
    "unjudged": PROJECT_UNJUDGED,
    "consensus": CONSENSUS_RULES,
    "ideal": PROJECT_IDEALS,
}


# What owners choose.
CHOSEN = ("k", "gain", "discount", "threshold", "consensus", "unjudged", "only_blind")


@dataclass(frozen=True, kw_only=True)
class ScoringSettings:
    """The ten values of a ruler (EVALUATION.md section 6), and the fingerprint that they fix.

    `machines` is an eleventh: whether what machines say counts. It enters the fingerprint only where it
    does, so that a ruler without machines has the fingerprint of its ten values.
    """

    scale_low: int
    scale_high: int
    gain: str = "linear"
    discount: str = "log2"
    k: int = 10
    unjudged: str = "open"
    consensus: str = "median"
    ideal: str = "judged"
    ties: str = "document_descending"
    threshold: int
    only_blind: bool = False
    machines: bool = False

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the values as JSON with sorted keys."""
        values = asdict(self)
        if not self.machines:
            del values["machines"]
        values["scale"] = [values.pop("scale_low"), values.pop("scale_high")]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    @property
    def name(self) -> str:
        """Return the measure as it is written on screen, such as ``NDCG@10 (linear, log2)``."""
        return f"NDCG@{self.k} ({self.gain}, {self.discount})"


def settings_of(ruler: Ruler) -> ScoringSettings:
    """Return the values of a stored ruler."""
    return ScoringSettings(**{name: getattr(ruler, name) for name in ScoringSettings.__dataclass_fields__})


def scoring_ruler(values: ScoringSettings) -> ScoringRuler:
    """Return a ruler in the terms of the scoring floor."""
    return ScoringRuler(
        lowest=values.scale_low,
        highest=values.scale_high,
        gain=values.gain,  # type: ignore[arg-type]
        discount=values.discount,  # type: ignore[arg-type]
        threshold=values.threshold,
        ideal=values.ideal,  # type: ignore[arg-type]
        unjudged="complete" if values.unjudged == "complete" else "zero",
    )


def check_ruler(values: ScoringSettings, project: Project) -> None:
    """Refuse a ruler that cannot be right for its project.

    :raise InvalidError: Names the value and the remedy.
    """
    if (values.scale_low, values.scale_high) != (project.scale_low, project.scale_high):
        raise InvalidError("The scoring settings use the project's scale. It cannot differ.", code="scale")
    for name, choices in ALLOWED.items():
        if getattr(values, name) not in choices:
            listed = ", ".join(choices)
            raise InvalidError(
                f"{name} is {getattr(values, name)!r}: choose one of {listed}.",
                field=name,
                value=str(getattr(values, name)),
                remedy=f"Choose one of {listed}.",
            )
    if not 1 <= values.k <= project.pool_depth:
        raise InvalidError(
            message(
                "To score the top %(k)s, answers must be rated down to place %(k)s, but the pool depth "
                "is %(depth)s. Choose at most %(depth)s for k, or a pool depth of at least %(k)s.",
                k=values.k,
                depth=project.pool_depth,
            ),
            code="k_above_depth",
            field="k",
            value=str(values.k),
            remedy=f"Choose 1 to {project.pool_depth}, or make the pool deeper first.",
        )
    if not project.scale_low <= values.threshold <= project.scale_high:
        raise InvalidError(
            message(
                "A relevance threshold of %(threshold)s is off the scale %(low)s-%(high)s.",
                threshold=values.threshold,
                low=project.scale_low,
                high=project.scale_high,
            ),
            code="off_scale",
            field="threshold",
            value=str(values.threshold),
            remedy=f"Choose {project.scale_low} to {project.scale_high}.",
        )


def set_ruler(
    session: Session, project: Project, values: ScoringSettings, *, actor_id: int | None = None
) -> Ruler:
    """Make a ruler the project's present one and return it; an equal one changes nothing.

    :raise InvalidError: The values cannot be right for this project.
    """
    check_ruler(values, project)
    present = find_ruler(session, project.id)
    if present is not None and present.fingerprint == values.fingerprint:
        return present
    ruler = Ruler(project_id=project.id, fingerprint=values.fingerprint, **asdict(values))
    session.add(ruler)
    session.flush()
    record_event(session, project.id, EventKind.RULER_SET, {"ruler_id": ruler.id}, actor_id=actor_id)
    return ruler


# Built once: every page about scores asks it.
NEWEST_RULER = (
    select(Event.payload)
    .where(Event.project_id == bindparam("project"), Event.kind == EventKind.RULER_SET.value)
    .order_by(Event.revision.desc())
    .limit(1)
)


def find_ruler(session: Session, project_id: int, *, revision: int | None = None) -> Ruler | None:
    """Return the ruler in force now, or at a revision; None before the first."""
    events = NEWEST_RULER if revision is None else NEWEST_RULER.where(Event.revision <= revision)
    payload = session.scalar(events, {"project": project_id})
    return session.get(Ruler, payload["ruler_id"]) if payload else None


def get_ruler(session: Session, project_id: int) -> Ruler:
    """Return the ruler in force now.

    :raise NotFoundError: The project has none yet.
    """
    ruler = find_ruler(session, project_id)
    if ruler is None:
        raise NotFoundError("This project has no scoring settings.")
    return ruler
