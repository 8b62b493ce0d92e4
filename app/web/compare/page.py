"""What the comparison of two versions shows, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.significance_power import detectable_difference
from app.services.comparison import (
    Basis,
    Matrix,
    Missing,
    NextLook,
    OpenQuestion,
    PairVerdict,
    PlanState,
    Slice,
    basis_of,
    cautions_of,
    matrix_of,
    missing_of,
    names_of,
    next_look_of,
    pair_alone,
    pair_verdicts,
    slices_of,
    state_of,
    title_of,
    widest_questions,
)
from app.web.charts import GapChart, gap_chart
from app.web.compare.questions import Questions, questions_of
from app.web.compare.sentences import beside_overview, gap_label_of, lead_of, settle_of, streak_of
from app.web.compare.sides import Side, fills_of, sides_of
from app.web.tones import tones_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.significance import PairTests
    from app.web.compare.choosing import Choice


@dataclass(frozen=True)
class ComparePage:
    """Everything the template needs; it asks nobody anything."""

    title: str
    pair: PairVerdict
    sides: tuple[Side, Side]
    tones: dict[int, int]
    cautions: list[str]
    gaps: tuple[GapChart, GapChart] | None
    questions: Questions
    missing: Missing
    widest: list[OpenQuestion]
    test: PairTests | None
    detectable: float | None
    plan: PlanState | None
    next_look: NextLook | None
    slices: list[Slice]
    matrix: Matrix
    basis: Basis
    overall: int
    """The scored questions that the overview compares on; 0 where these two do not both stand there."""

    @property
    def lead(self) -> list[str]:
        """What stands below the title."""
        return lead_of(self.pair, self.names, self.test)

    @property
    def streak(self) -> list[str]:
        """What the picture of the gap says."""
        rows = list(self.pair.rows)
        covered = self.basis.covered[rows].all(axis=0)
        said = streak_of(self.pair, int((self.basis.board.unjudged & covered).sum()))
        return said + beside_overview(self.pair.n, self.overall)

    @property
    def gap_label(self) -> str:
        """The picture of the gap in words."""
        return gap_label_of(self.pair, self.names)

    @property
    def settle(self) -> list[str]:
        """What would settle it."""
        covered = self.basis.covered[list(self.pair.rows)].all(axis=0)
        return settle_of(self.pair, self.missing, self.ahead, int((covered & self.basis.possible).sum()))

    @property
    def ahead(self) -> int:
        """How many questions the plan's tests have not come to yet; 0 where no test of the two is coming."""
        if self.plan is None or not self.pair.planned or self.plan.milestone is None:
            return 0
        return len(self.plan.order) - len(self.plan.walked)

    @property
    def bars(self) -> tuple[int, int]:
        """The fills of the bars."""
        return fills_of(self.sides)

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called on this page."""
        return self.sides[0].name, self.sides[1].name


def compare_page(session: Session, slug: str, current: Basis, choice: Choice, listed: int = 1) -> ComparePage:
    """Return what the page of two versions shows.

    Parameters
    ----------
    current
        The basis of the current runs: the matrix and the plan are about them.
    listed
        The page of the list of questions.
    """
    state = state_of(current)
    basis, rows = _basis_for(current, choice)
    (pair,) = pair_verdicts(basis, [rows], state=state)
    newest = {run.run.id for run in current.board.runs}
    tones = tones_of(current.evidence, current.board, [run.ranker_id for run in (pair.first, pair.second)])
    names = names_of(pair.first, pair.second, versions=not {pair.first.id, pair.second.id} <= newest)
    return ComparePage(
        title=title_of(pair, names),
        pair=pair,
        sides=sides_of(basis, pair, names, tones),
        tones=tones,
        cautions=cautions_of(basis, pair, names),
        gaps=_gaps(pair),
        questions=questions_of(session, slug, basis, pair, names, page=listed),
        missing=missing_of(basis, rows),
        widest=widest_questions(session, basis, pair),
        test=pair_alone(basis, pair),
        detectable=_detectable(pair),
        plan=state,
        next_look=next_look_of(current, state) if pair.planned else None,
        slices=slices_of(session, basis, pair),
        matrix=matrix_of(current, state),
        basis=basis,
        overall=int(current.board.common.sum()) if basis is current else 0,
    )


def _basis_for(current: Basis, choice: Choice) -> tuple[Basis, tuple[int, int]]:
    """Return a basis that holds both versions, and their rows in it."""
    if {choice.first, choice.second} <= set(current.places):
        return current, (current.places.index(choice.first), current.places.index(choice.second))
    return basis_of(current.evidence, [choice.first, choice.second]), (0, 1)


def _gaps(pair: PairVerdict) -> tuple[GapChart, GapChart] | None:
    interval = pair.verdict.interval
    if interval.mean is None:
        return None
    ends = [None if end is None else end * 100 for end in (interval.low, interval.high)]
    wide, narrow = (gap_chart(interval.mean * 100, *ends, width=width) for width in (640, 340))
    return wide, narrow


def _detectable(pair: PairVerdict) -> float | None:
    outlook = pair.verdict.outlook
    return None if outlook is None else detectable_difference(pair.n, outlook.deviation)
