"""Files and machines held against people: agreement, and which grade stands where people gave which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.models import PersonKind
from app.scoring.agreement import LEAST_ITEMS, Agreement, Ratings, agreement_of
from app.scoring.agreement_pairs import LEAST_SHARED, quadratic_kappa
from app.scoring.consensus import middle_grades
from app.scoring.seeds import seed_of
from app.services.annotators.effect import Moved
from app.services.evaluation import common_means, score_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Ints
    from app.services.annotators.given import Given
    from app.services.annotators.people import AnnotatorFact
    from app.services.annotators.rated import Rated


@dataclass(frozen=True)
class SourceComparison:
    """One source of grades against people: a machine against all of them, a file against those who rate here.

    Attributes
    ----------
    graded
        Answers that it graded.
    shared
        Those of them that people graded too.
    files
        How many of these people gave their grades in imported files.
    agreement
        Alpha of the source's grade and the people's; nothing under 30 shared answers.
    kappa
        Quadratic, from 50 shared answers on.
    confusion
        Answers by the people's grade (rows, lowest first) and the source's (columns); None under 30. Where
        people's middle grades differ, the lower one stands, as in qrels.
    """

    who: AnnotatorFact
    graded: int
    shared: int
    files: int
    agreement: Agreement
    kappa: float | None
    confusion: tuple[tuple[int, ...], ...] | None

    @property
    def equal(self) -> float | None:
        """The share of shared answers with the same grade; None where the table is hidden."""
        if self.confusion is None:
            return None
        return sum(row[at] for at, row in enumerate(self.confusion)) / self.shared


def compare_sources(rated: Rated, annotators: Sequence[AnnotatorFact]) -> list[SourceComparison]:
    """Return every source of grades against all people together, by name.

    Imported grades are those of people elsewhere: machines are held against them as well.
    """
    here = [one.number for one in annotators if not one.is_source]
    files = [one.number for one in annotators if one.kind == PersonKind.IMPORTED]
    of_here, of_all = _consensus_of(rated, here), _consensus_of(rated, here + files)
    return [
        _compared(rated, one, of_all, files)
        if one.kind == PersonKind.MACHINE
        else _compared(rated, one, of_here, [])
        for one in annotators
        if one.is_source
    ]


def scores_with_and_without_machines(rated: Rated) -> list[tuple[Moved, bool]]:
    """Return every ranker with its score as the ruler has it, and with machines the other way round.

    The flag tells whether machines count today: then `without` is the score without them.
    """
    basis = rated.basis
    ruler = basis.board.ruler
    other = score_runs(rated.evidence, basis.places, ruler=replace(ruler, machines=not ruler.machines))
    rows = zip(basis.board.runs, common_means(basis.board), common_means(other), strict=True)
    moved = [(Moved(run.run, now, then), ruler.machines) for run, now, then in rows]
    return sorted(moved, key=lambda one: (-(one[0].score or 0.0), one[0].run.mark))


def _consensus_of(rated: Rated, people: list[int]) -> Ints:
    """Return the people's lower middle grade of every candidate as a column, -1 where they gave none."""
    given = rated.given
    rows = np.flatnonzero(given.graded & np.isin(given.annotator, people))
    size = rated.evidence.structure.cells
    cells = given.cell[rows].astype(np.int64) * rated.levels + given.column[rows]
    counts = np.bincount(cells, minlength=size * rated.levels).reshape(size, rated.levels)
    return middle_grades(counts)[0]


def _compared(rated: Rated, who: AnnotatorFact, consensus: Ints, files: list[int]) -> SourceComparison:
    cell, own = _source_grades(rated, who.number)
    both = consensus[cell] >= 0
    given = rated.given
    filed = given.annotator[given.graded & np.isin(given.cell, cell) & np.isin(given.annotator, files)]
    theirs, own_shared = consensus[cell[both]].astype(np.int64), own[both]
    shared, levels = len(theirs), rated.levels
    table = np.bincount(theirs * levels + own_shared, minlength=levels**2).reshape(levels, levels)
    ratings = Ratings(
        item=np.tile(cell[both], 2),
        annotator=np.repeat([0, 1], shared),
        grade=np.concatenate([theirs, own_shared]),
        levels=levels,
    )
    return SourceComparison(
        who=who,
        graded=len(cell),
        shared=shared,
        files=len(np.unique(filed)),
        agreement=agreement_of(ratings, seed=seed_of("source", who.number, shared)),
        kappa=quadratic_kappa(table) if shared >= LEAST_SHARED else None,
        confusion=tuple(map(tuple, table.tolist())) if shared >= LEAST_ITEMS else None,
    )


def _source_grades(rated: Rated, number: int) -> tuple[Ints, Ints]:
    """Return the answers that a source graded, and its grades as columns."""
    for given in (rated.machines, rated.given):
        mine: Given = given.only(given.graded & (given.annotator == number))
        if len(mine):
            return mine.cell, mine.column.astype(np.int64)
    return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
