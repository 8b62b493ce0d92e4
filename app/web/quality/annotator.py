"""One annotator on a page of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask_babel import gettext as _
from sqlalchemy.orm import Session

from app.models.project import Project
from app.scoring.agreement_pairs import PairKappa
from app.services.evidence.state import Evidence
from app.services.quality.annotator_grades import AnnotatorFact, annotators_of, get_annotator
from app.services.quality.annotator_profiles import OrderReport
from app.services.quality.annotators import (
    AnnotatorReport,
    AtPlace,
    Effect,
    HastyGrade,
    VerdictChange,
    grades_by_place,
    hasty_grades,
    rated_of,
    time_by_grade,
)
from app.services.quality.check_results import CheckResult, check_results
from app.web.grades import words_of
from app.web.numbers import plain
from app.web.quality.overview import AnnotatorRow, annotator_row


def order_sentence(report: OrderReport) -> str:
    """Return the one of the three sentences that holds."""
    effect = report.effect
    if effect.finding == "effect found" and effect.effect is not None:
        size = plain(abs(effect.effect), 2)
        higher = _(
            "Trend found: from the first to the last place, grades are %(size)s stars higher.", size=size
        )
        lower = _(
            "Trend found: from the first to the last place, grades are %(size)s stars lower.", size=size
        )
        return str(higher if effect.effect > 0 else lower)
    if effect.finding == "no larger effect":
        size = plain(effect.margin, 2)
        return str(
            _(
                "Any trend is under %(size)s stars: too small to matter.",
                size=size,
            )
        )
    return str(_("Not enough ratings yet."))


@dataclass(frozen=True)
class GradeRow:
    """One grade: how often, against all annotators together, and how long it took per word."""

    grade: int
    word: str
    number: int
    share: float
    share_of_all: float
    timed: int
    per_word: str


@dataclass(frozen=True)
class AnnotatorPage:
    """Everything about one annotator; what lies below a sample rule is None."""

    row: AnnotatorRow
    grades: list[GradeRow]
    places: list[AtPlace]
    pairs: list[tuple[AnnotatorFact, PairKappa]]
    checks: CheckResult | None
    weeks: list[tuple[datetime, int, float]]
    drift_p: float | None
    hasty: list[HastyGrade]
    effect: Effect | None
    verdicts: list[VerdictChange]
    total: str


def annotator_page(session: Session, project: Project, evidence: Evidence, public_id: str) -> AnnotatorPage:
    """Return what the page about one annotator shows.

    :raise NotFoundError: There is no such annotator in this project.
    """
    who = get_annotator(session, evidence, public_id)
    rated, number = rated_of(session, evidence), who.number
    named = {one.number: one for one in annotators_of(session, evidence)}
    results = {result.number: result for result in check_results(session, evidence)}
    drift = rated.drifts.get(number)
    weeks = drift.drift if drift else None
    row = annotator_row(project, rated, who, results.get(number))
    return AnnotatorPage(
        row=row,
        grades=_grades(session, project, rated, row),
        places=grades_by_place(rated, number),
        pairs=[(named[other], pair) for other, pair in rated.agreements.pairs_of(number)],
        checks=results.get(number),
        weeks=[]
        if weeks is None or drift is None
        else [
            (datetime.fromtimestamp(monday, tz=UTC), int(count), float(mean))
            for monday, count, mean in zip(drift.mondays, weeks.number, weeks.mean, strict=True)
        ],
        drift_p=drift.adjusted if drift else None,
        hasty=hasty_grades(session, rated, number),
        effect=rated.effects.get(number),
        verdicts=rated.verdicts_without(number) if number in rated.effects else [],
        total=_hours(row.profile.total_ms),
    )


def _grades(session: Session, project: Project, rated: AnnotatorReport, row: AnnotatorRow) -> list[GradeRow]:
    profile = row.profile
    if not profile.graded:
        return []
    all_of = [sum(one.grades[column] for one in rated.profiles.values()) for column in range(rated.levels)]
    words = words_of(project.grade_words, project.grades)
    times = {one.column: one for one in time_by_grade(session, rated, row.who.number)}
    return [
        GradeRow(
            grade=project.scale_low + column,
            word=words[project.scale_low + column],
            number=number,
            share=number / profile.graded,
            share_of_all=all_of[column] / sum(all_of),
            timed=times[column].number if column in times else 0,
            per_word=_per_word(times[column].ms_per_word) if column in times else "–",
        )
        for column, number in enumerate(profile.grades)
    ]


def _per_word(ms: float | None) -> str:
    return "–" if ms is None else f"{plain(ms / 1_000, 2)} s"


def _hours(ms: int) -> str:
    minutes = ms / 60_000
    return f"{minutes:.0f} min" if minutes < 120 else f"{plain(minutes / 60, 1)} h"
