"""What the comparison of two versions shows, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.significance_power import detectable_difference
from app.services.comparison import (
    Basis,
    Matrix,
    OpenQuestion,
    PairVerdict,
    Slice,
    basis_of,
    cautions_of,
    matrix_of,
    pair_verdicts,
    slices_of,
    widest_questions,
)
from app.services.comparison.wording import names_of, next_step_sentence, range_sentence, title_of
from app.web.charts import GapChart, gap_chart
from app.web.compare.questions import Questions, questions_of
from app.web.compare.sentences import gap_label_of
from app.web.compare.sides import Side, fills_of, sides_of
from app.web.tones import tones_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.web.compare.choosing import Choice


@dataclass(frozen=True)
class ComparePage:
    """Everything the template needs; it asks nobody anything."""

    title: str
    lead: list[str]
    pair: PairVerdict
    sides: tuple[Side, Side]
    tones: dict[int, int]
    cautions: list[str]
    gaps: tuple[GapChart, GapChart] | None
    gap_label: str
    questions: Questions
    widest: list[OpenQuestion]
    detectable: float | None
    slices: list[Slice]
    matrix: Matrix
    basis: Basis

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
        The basis of the current runs: the matrix is about them.
    listed
        The page of the list of questions.
    """
    basis, rows = _basis_for(current, choice)
    (pair,) = pair_verdicts(basis, [rows])
    newest = {run.run.id for run in current.board.runs}
    tones = tones_of(current.evidence, current.board, [run.ranker_id for run in (pair.first, pair.second)])
    names = names_of(pair.first, pair.second, versions=not {pair.first.id, pair.second.id} <= newest)
    return ComparePage(
        title=f"{title_of(pair, names)}.",
        lead=[line for line in (range_sentence(pair, names), next_step_sentence(pair)) if line],
        pair=pair,
        sides=sides_of(basis, pair, names, tones),
        tones=tones,
        cautions=cautions_of(basis, pair, names),
        gaps=_gaps(pair),
        gap_label=gap_label_of(pair, names),
        questions=questions_of(session, slug, basis, pair, names, page=listed),
        widest=widest_questions(session, basis, pair),
        detectable=detectable_difference(pair.n, pair.verdict.deviation),
        slices=slices_of(session, basis, pair),
        matrix=matrix_of(current),
        basis=basis,
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
