"""What the pages about annotators show, as plain values for their templates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.models import PersonKind
from app.services.annotators import NOTHING, annotators_of, rated_of, said_of_agreement
from app.services.quality import check_results
from app.web.quality.bars import GradeBar, grade_bar

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.agreement import Agreement
    from app.services.annotators import AnnotatorFact, Profile, Rated
    from app.services.evidence import Evidence
    from app.services.quality import CheckResult

KINDS = {"simulated": "Simulated", "imported": "From a file", "machine": "Machine"}


@dataclass(frozen=True)
class AnnotatorRow:
    """One annotator in the list."""

    who: AnnotatorFact
    profile: Profile
    bar: GradeBar | None
    pace: str
    last: datetime | None
    drifts: bool
    misses_gold: bool

    @property
    def kind(self) -> str:
        """What stands beside the name of whoever is no person."""
        return KINDS.get(self.who.kind.value, "")


@dataclass(frozen=True)
class AnnotatorsPage:
    """The list of annotators and the agreement over all."""

    rows: list[AnnotatorRow]
    agreement: Agreement
    said: str
    pooled: int
    revision: int
    pairs: int
    timed: bool


def annotators_page(session: Session, project: Project, evidence: Evidence) -> AnnotatorsPage:
    """Return what the list of annotators shows."""
    rated = rated_of(session, evidence)
    checks = {result.number: result for result in check_results(session, evidence)}
    rows = [
        annotator_row(project, rated, one, checks.get(one.number))
        for one in annotators_of(session, evidence)
        # They have a page of their own: nothing here mixes them with people.
        if one.kind is not PersonKind.MACHINE
    ]
    rows.sort(key=lambda row: (-row.profile.graded, row.who.name))
    return AnnotatorsPage(
        rows=rows,
        agreement=rated.agreements.overall,
        said=said_of_agreement(rated.agreements.overall),
        pooled=int(evidence.pooled().sum()),
        revision=evidence.revision,
        pairs=sum(pair.kappa is not None for pair in rated.agreements.pairs),
        timed=any(row.profile.timed for row in rows),
    )


def annotator_row(
    project: Project, rated: Rated, who: AnnotatorFact, checks: CheckResult | None
) -> AnnotatorRow:
    """Return what the list shows of one annotator."""
    profile = rated.profiles.get(who.number, NOTHING)
    drift = rated.drifts.get(who.number)
    return AnnotatorRow(
        who=who,
        profile=profile,
        bar=grade_bar(profile.grades, project.scale_low),
        pace=seconds(profile.pace_ms),
        last=moment(profile.last_second),
        drifts=drift is not None and drift.is_found,
        misses_gold=checks is not None and checks.is_doubtful,
    )


def seconds(ms: float | None) -> str:
    """Return a time in words, a dash for none."""
    if ms is None:
        return "–"
    if ms < 10_000:
        return f"{ms / 1_000:.1f} s"
    return f"{ms / 1_000:.0f} s" if ms < 90_000 else f"{ms / 60_000:.1f} min"


def moment(second: int | None) -> datetime | None:
    """Return a second since 1970 as a moment."""
    return None if second is None else datetime.fromtimestamp(second, tz=UTC)
