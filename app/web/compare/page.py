"""What the comparison of two versions shows, as plain values for its template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison import Basis, Matrix, Slice, cautions_of, matrix_of, slices_of
from app.services.comparison.wording import names_of, next_step_sentence, range_sentence, signed_gap, title_of
from app.services.overview import verdict_between, versions_before
from app.web.compare.experts import Experts, experts_of
from app.web.compare.questions import Questions, questions_of
from app.web.compare.settling import Step, settling_of
from app.web.compare.sides import Side, fills_of, sides_of
from app.web.compare.slab import Slab, slab_of
from app.web.tones import tones_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.comparison import PairVerdict
    from app.web.compare.choosing import Choice

PICKED = "You picked this pair among many. Its verdict is for this pair alone: of many, some differ by luck."


@dataclass(frozen=True)
class Part:
    """The questions of one tag: how many, the gap on them, and between what it likely lies."""

    tag: str
    questions: int
    gap: str
    between: str


@dataclass(frozen=True)
class ComparePage:
    """Everything the template needs; it asks nobody anything."""

    slab: Slab
    pair: PairVerdict
    sides: tuple[Side, Side]
    tones: dict[int, int]
    cautions: list[str]
    questions: Questions
    settling: list[Step]
    slices: list[Part]
    matrix: Matrix
    experts: Experts
    basis: Basis

    @property
    def bars(self) -> tuple[int, int]:
        """The fills of the bars."""
        return fills_of(self.sides)


def compare_page(session: Session, slug: str, current: Basis, choice: Choice, listed: int = 1) -> ComparePage:
    """Return what the page of two versions shows.

    Parameters
    ----------
    current
        The basis of the current runs: the matrix is about them.
    listed
        The page of the list of questions.
    """
    evidence = current.evidence
    between = verdict_between(evidence, choice.first, choice.second, current=current)
    basis, pair = between.basis, between.pair
    before = versions_before(evidence, [choice.first, choice.second])
    in_a_row = before.get(choice.first) == choice.second or before.get(choice.second) == choice.first
    tones = tones_of(evidence, current.board, [run.ranker_id for run in (pair.first, pair.second)])
    newest = {scored.run.id for scored in current.board.runs}
    names = names_of(pair.first, pair.second, versions=not {pair.first.id, pair.second.id} <= newest)
    sides = sides_of(pair, names, tones)
    cautions = cautions_of(basis, pair, names)
    return ComparePage(
        slab=slab_of(
            session,
            slug,
            basis,
            pair,
            title=f"{title_of(pair, names)}.",
            names=names,
            tones=(sides[0].tone, sides[1].tone),
            lines=[f"{_keep(basis, pair, names)}{range_sentence(pair, names)}", next_step_sentence(pair)],
        ),
        pair=pair,
        sides=sides,
        tones=tones,
        cautions=cautions if between.together or in_a_row else [PICKED, *cautions],
        questions=questions_of(session, slug, basis, pair, names, page=listed),
        settling=settling_of(pair),
        slices=[_part(one) for one in slices_of(session, basis, pair)],
        matrix=matrix_of(current),
        experts=experts_of(basis, pair),
        basis=basis,
    )


def _part(one: Slice) -> Part:
    low, high = one.interval.low, one.interval.high
    between = "–" if low is None or high is None else f"{signed_gap(low)} and {signed_gap(high)}"
    return Part(one.tag, one.interval.n, signed_gap(one.interval.mean), between)


def _keep(basis: Basis, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the advice to keep what is in production, where it is one of the two and nothing is sure."""
    production = basis.evidence.production_run()
    if production is None or pair.verdict.word in {"sure", "too early"}:
        return ""
    marked = basis.evidence.structure.runs[production].id
    name = {pair.first.id: names[0], pair.second.id: names[1]}.get(marked)
    return f"Keep {name} in production for now. " if name else ""
