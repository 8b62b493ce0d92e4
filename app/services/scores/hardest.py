"""The questions that rankers answer worst, each with a reason from the closed list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.consensus import range_of
from app.sentences import message, number_message
from app.services.evidence.state import Evidence, list_of_run
from app.services.scores.scoreboard import Scoreboard
from app.services.scores.verdict_text import names_of, printed_score

WIDE_SPREAD = 0.25
# From here on a score is printed as 100.
PERFECT = 0.995


@dataclass(frozen=True)
class HardQuestion:
    """One query; `mean` is that of the rankers' scores, from 0 to 1.

    `is_open` where answers of its pool are unrated: its score may still rise.
    """

    place: int
    query_id: int
    name: str
    mean: float
    reason: str
    is_open: bool = False

    @property
    def score(self) -> str:
        """The mean as it is printed, from 0 to 100."""
        return printed_score(self.mean)


def hardest_of(
    session: Session, evidence: Evidence, board: Scoreboard, *, most: int = 5
) -> list[HardQuestion]:
    """Return the hardest questions: those with the lowest mean score, then the lowest best score.

    One with a mean of 100, as it is printed, is not hard; one without a good answer has no score. Where no
    answer of the pool is rated, nobody knows.
    """
    if not board.runs:
        return []
    structure, values = evidence.structure, board.values[board.headline]
    counted = _counted(evidence, board)
    lists = np.maximum(counted.sum(axis=0), 1)
    mean = np.where(counted, values, 0.0).sum(axis=0) / lists
    best = np.where(counted, values, -1.0).max(axis=0)
    rated = np.bincount(
        structure.query, weights=board.judged.pooled & board.judged.judged, minlength=len(mean)
    )
    scored = np.flatnonzero(board.scored & counted.any(axis=0) & (mean < PERFECT) & (rated > 0))
    return [
        HardQuestion(
            place,
            int(structure.query_id[place]),
            structure.query_name[place],
            float(mean[place]),
            reason_of(session, evidence, board, place),
            is_open=_rated_of(evidence, board, place) is not None,
        )
        for place in scored[np.lexsort((best[scored], mean[scored]))][:most].tolist()
    ]


def _counted(evidence: Evidence, board: Scoreboard) -> Flags:
    """Return which scores take part: bool (runs, queries).

    As in the list of questions, those of an older version in production do not.
    """
    newest = np.isin([run.place for run in board.runs], evidence.current_runs())
    return np.asarray(board.counted & newest[:, np.newaxis])


def reason_of(session: Session, evidence: Evidence, board: Scoreboard, place: int) -> str:
    """Return the first reason of the closed list that holds for a scored query."""
    values = board.values[board.headline][:, place]
    counted = board.counted[:, place]
    indexes = np.flatnonzero(evidence.structure.query == place)
    part = _rated_of(evidence, board, place)
    # What nobody rated in the lists may be what was looked for.
    if not (values[counted] > 0).any() and not (part and _unrated_in_lists(evidence, board, place)):
        return message("No good answer in any top %(k)s.", k=board.ruler.k)
    if part:
        return message("%(rated)s of %(all)s answers in the pool rated.", rated=part[0], all=part[1])
    return (
        _disagreement(evidence, board, indexes)
        or _widest_pair(evidence, board, values, counted)
        or _best_place(session, evidence, board, place)
    )


def _rated_of(evidence: Evidence, board: Scoreboard, place: int) -> tuple[int, int] | None:
    """Return how many answers of a question's pool are rated, and of how many; None where all are."""
    indexes = np.flatnonzero(evidence.structure.query == place)
    pooled = board.judged.pooled[indexes]
    rated, all_of_them = int((pooled & board.judged.judged[indexes]).sum()), int(pooled.sum())
    return (rated, all_of_them) if rated < all_of_them else None


def _unrated_in_lists(evidence: Evidence, board: Scoreboard, place: int) -> bool:
    """Return whether some list holds an answer without a grade, within the cutoff."""
    indexes = evidence.lists([run.place for run in board.runs], board.ruler.k).positions[:, :, place]
    return not board.judged.judged[indexes[indexes < board.judged.absent]].all()


def _disagreement(evidence: Evidence, board: Scoreboard, indexes: Ints) -> str:
    counts = evidence.counts(only_blind=board.ruler.only_blind)[indexes]
    # What was decided is settled.
    twice = (counts.sum(axis=1) >= 2) & ~evidence.decided[indexes]
    apart = int((range_of(counts)[twice] >= 2).sum())
    if not apart:
        return ""
    if twice.sum() == 1:
        return message("Annotators disagree about the only answer that several of them rated.")
    return message(
        "Annotators disagree about %(apart)s of the %(num)s answers that several of them rated.",
        apart=apart,
        num=int(twice.sum()),
    )


def _widest_pair(evidence: Evidence, board: Scoreboard, values: Floats, counted: Flags) -> str:
    rows = np.flatnonzero(counted)
    high, low = rows[values[rows].argmax()], rows[values[rows].argmin()]
    if values[high] - values[low] < WIDE_SPREAD:
        return ""
    first, second = board.runs[high].run, board.runs[low].run
    best, worst = (
        f"{name} {printed_score(float(values[row]))}"
        for name, row in zip(names_of(evidence, first, second), (high, low), strict=True)
    )
    if first.ranker == second.ranker:
        return message("Versions differ: %(best)s, %(worst)s.", best=best, worst=worst)
    return message("Rankers differ: %(best)s, %(worst)s.", best=best, worst=worst)


def _best_place(session: Session, evidence: Evidence, board: Scoreboard, place: int) -> str:
    """Return where the best answer is highest, looking down the whole lists; nothing if nowhere."""
    indexes = np.flatnonzero(evidence.structure.query == place)
    gain = board.judged.gain[indexes]
    heads = evidence.structure.heads
    best = evidence.structure.document[indexes[gain == gain.max()]].tolist()
    wanted = {heads.get(number, number) for number in best}
    found = []
    for scored in board.runs:
        numbers = list_of_run(session, evidence, scored.run.id, place)
        ranks = [rank for rank, number in enumerate(numbers, start=1) if heads.get(number, number) in wanted]
        found += ranks[:1]
    if not found:
        return ""
    highest = min(found)
    if highest == 1:
        return message("At least one ranker puts the best answer first.")
    return number_message(
        "All rankers: best answer below place %(num)s.",
        "All rankers: best answer below place %(num)s.",
        highest - 1,
    )
