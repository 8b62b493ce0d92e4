"""What the page about effects shows: the standing without one annotator, or without hasty grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.annotators import annotators_of, rated_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.annotators import AnnotatorFact, Effect, VerdictChange
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class EffectsPage:
    """One row per annotator, the largest effect first; `haste` is None without a ranker."""

    rows: list[tuple[AnnotatorFact, Effect]]
    haste: Effect | None
    verdicts: list[VerdictChange]
    hurried: list[tuple[AnnotatorFact, int]]
    measure: str
    revision: int


def effects_page(session: Session, project: Project, evidence: Evidence) -> EffectsPage:
    """Return what the page about effects shows."""
    del project
    rated = rated_of(session, evidence)
    named = {one.number: one for one in annotators_of(session, evidence)}
    rows = [(named[number], effect) for number, effect in rated.effects.items()]
    rows.sort(key=lambda row: (-_size(row[1]), row[0].name))
    haste, verdicts = rated.effect_of_haste
    hurried = [(named[n], profile.hasty) for n, profile in rated.profiles.items() if profile.hasty]
    return EffectsPage(
        rows=rows,
        haste=haste if haste.rankers else None,
        verdicts=verdicts,
        hurried=sorted(hurried, key=lambda one: (-one[1], one[0].name)),
        measure=rated.basis.board.ruler.name,
        revision=evidence.revision,
    )


def _size(effect: Effect) -> float:
    return abs(effect.largest.change or 0.0) if effect.largest else 0.0
