"""Two rankers beside each other: question by question, by tags, and all pairs as a square.

Parts of the questions, by tags, are looked at and not tested: with many of them some differ by luck, so they
get no word.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sqlalchemy import String, cast, select
from sqlalchemy.orm import Session

from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.scoring.intervals import MeanInterval, mean_interval
from app.scoring.means import mean_of
from app.sentences import message, number_message
from app.services.evidence.structure import RunFact
from app.services.scores.context import ScoringContext
from app.services.scores.scoreboard import best_first
from app.services.scores.verdict_text import signed_gap
from app.services.scores.verdicts import PairVerdict

SAME = 1e-9


@dataclass(frozen=True)
class QuestionDifference:
    """One question of a comparison; `difference` = score of the first minus score of the second."""

    place: int
    query_id: int
    text: str
    difference: float

    @property
    def outcome(self) -> int:
        """1: better with the first; -1: with the second; 0: the same score."""
        return 0 if abs(self.difference) < SAME else 1 if self.difference > 0 else -1


def question_differences(
    session: Session, context: ScoringContext, pair: PairVerdict
) -> list[QuestionDifference]:
    """Return every question of a comparison, from the first's largest win to the second's."""
    structure = context.evidence.structure
    first, second = pair.rows
    places = np.flatnonzero(pair.queries)
    rows = session.execute(
        select(Query.id, Query.text).where(Query.project_id == context.evidence.project_id)
    )
    texts = {row.id: row.text for row in rows}
    found = [
        QuestionDifference(
            int(place),
            int(structure.query_id[place]),
            texts[int(structure.query_id[place])],
            float(context.values[first, place] - context.values[second, place]),
        )
        for place in places
    ]
    return sorted(found, key=lambda one: -one.difference)


def reason_for(context: ScoringContext, pair: PairVerdict, place: int, names: tuple[str, str]) -> str:
    """Return where the best answer of a question is in both lists, or that something is unrated.

    "Only" is said of one that no current version of another ranker joins. Where the one that is worse here
    has the best answer higher up, its place explains nothing.
    """
    judged, evidence = context.board.judged, context.evidence
    indexes = np.flatnonzero(evidence.structure.query == place)
    best = judged.gain[indexes].max()
    k = context.board.ruler.k
    pair_places = [context.places[row] for row in pair.rows]
    others = [other for other in evidence.current_runs() if other not in pair_places]
    lists = evidence.lists([*pair_places, *others], k).positions[:, :, place]
    unrated = int(judged.open_cells[np.unique(lists[:, :2])].sum())
    if unrated:
        return number_message("%(num)s top answer unrated.", "%(num)s top answers unrated.", unrated)
    ranks = [_first(judged.gain.take(lists[:, side]) == best) for side in (0, 1)]
    higher = min((rank or k + 1, side) for side, rank in enumerate(ranks))[1]
    first, second = context.values[list(pair.rows), place]
    if ranks[0] == ranks[1] or (second > first if higher == 0 else first > second):
        return ""
    elsewhere = bool((judged.gain.take(lists[0, 2:]) == best).any())
    if 1 in ranks and not elsewhere:
        return message("Only %(name)s puts the best answer first.", name=names[ranks.index(1)])
    told = [(rank, name) for rank, name in zip(ranks, names, strict=True) if rank]
    if len(told) == 1:
        return message(
            "The best answer is at place %(rank)s for %(name)s, and not in the other’s top %(k)s.",
            rank=told[0][0],
            name=told[0][1],
            k=k,
        )
    return message(
        "The best answer is at place %(rank)s for %(name)s, and at place %(other_rank)s for %(other)s.",
        rank=ranks[0],
        name=names[0],
        other_rank=ranks[1],
        other=names[1],
    )


def _first(hits: Ints) -> int:
    """Return the rank of the first hit, counted from 1; 0 without one."""
    return int(hits.argmax()) + 1 if hits.any() else 0


MOST_SLICES = 40


@dataclass(frozen=True)
class Slice:
    """The questions of one tag: the mean of d over them, with its interval for this pair alone, and n."""

    tag: str
    interval: MeanInterval


def slices_of(session: Session, context: ScoringContext, pair: PairVerdict) -> list[Slice]:
    """Return the pair on every tag of its questions, the largest slices first."""
    members = _members(session, context, pair.queries)
    largest = sorted(members.items(), key=lambda item: (-int(item[1].sum()), item[0]))
    first, second = pair.rows
    differences = context.values[first] - context.values[second]
    return [
        Slice(tag, mean_interval(differences[inside], clip=None)) for tag, inside in largest[:MOST_SLICES]
    ]


def _members(session: Session, context: ScoringContext, queries: Flags) -> dict[str, Flags]:
    """Return which queries of the comparison set carry each tag."""
    place = {int(number): at for at, number in enumerate(context.evidence.structure.query_id)}
    found: dict[str, Flags] = {}
    for number, tags in tags_by_query(session, context.evidence.project_id):
        at = place.get(number)
        if at is None or not queries[at]:
            continue
        for tag in tags:
            found.setdefault(tag, np.zeros(len(queries), dtype=np.bool_))[at] = True
    return found


def tags_by_query(session: Session, project_id: int) -> list[tuple[int, list[str]]]:
    """Return the tags of every question of a project that has some, by its number."""
    # Most collections have no tags: thousands of empty lists are not worth reading.
    tagged = select(Query.id, Query.tags).where(
        Query.project_id == project_id, cast(Query.tags, String).not_in(("[]", "null"))
    )
    return [(row.id, row.tags) for row in session.execute(tagged)]


MOST_RANKERS = 12


@dataclass(frozen=True)
class MatrixCell:
    """The row's ranker against the column's: `mean` is the row's score minus the column's.

    Gaps are looked at here, not tested: the page of two rankers says how sure one is.
    """

    row: RunFact
    column: RunFact
    mean: float | None
    n: int

    @property
    def text(self) -> str:
        """The gap in points as it is shown: whole, with its sign."""
        return signed_gap(self.mean)


@dataclass(frozen=True)
class RankerMatrix:
    """The best rankers, best first; `cells[row][column]` is None on the diagonal.

    `left_out` counts the rankers that are not among the best.
    """

    runs: list[RunFact]
    cells: list[list[MatrixCell | None]]
    left_out: int


def matrix_of(context: ScoringContext) -> RankerMatrix:
    """Return the gap between every two of the best rankers, each pair on its own common queries."""
    order = best_first(context.board)
    best = order[:MOST_RANKERS]
    cells: dict[tuple[int, int], MatrixCell] = {}
    for a, b in combinations(best, 2):
        queries = context.board.counted[a] & context.board.counted[b]
        mean = mean_of(context.values[a, queries] - context.values[b, queries])
        runs, n = (context.board.runs[a].run, context.board.runs[b].run), int(queries.sum())
        cells[a, b] = MatrixCell(runs[0], runs[1], mean, n)
        cells[b, a] = MatrixCell(runs[1], runs[0], None if mean is None else -mean, n)
    return RankerMatrix(
        runs=[context.board.runs[row].run for row in best],
        cells=[[cells.get((a, b)) for b in best] for a in best],
        left_out=len(order) - len(best),
    )
