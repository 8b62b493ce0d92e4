"""How one ranker came to its score on one question, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.worked import Known, Listed, Worked, worked_measure
from app.scoring.working import Working, working_of
from app.sentences import message, number_message
from app.services.evidence.state import Evidence, consensus_at
from app.services.scores.question_page import Grades, ListRow, QuestionSheet, RankedList
from app.services.scores.scoreboard import Scoreboard
from app.services.scoring_settings import scoring_ruler


@dataclass(frozen=True)
class SheetWorking:
    """The working of one list; `lost` names what cost it points, computed from the steps."""

    ranked: RankedList
    working: Working
    gains: list[tuple[int, float]]
    lost: str


def working_for(
    evidence: Evidence, board: Scoreboard, sheet: QuestionSheet, ranked: RankedList
) -> SheetWorking:
    """Return the working of one list under the board's ruler."""
    ruler = scoring_ruler(board.ruler)
    table = ruler.gains()
    lowest = board.ruler.scale_low
    shown = ranked.rows[: board.ruler.k]
    grades = [None if row.low is None or row.high is None else (row.low + row.high) / 2 for row in shown]
    gains = [
        0.0
        if row.low is None or row.high is None
        else float(table[row.low - lowest] + table[row.high - lowest]) / 2
        for row in shown
    ]
    working = working_of(grades, gains, _judged(evidence, board, sheet), ruler.discounts(board.ruler.k))
    named = [(grade, float(table[grade - lowest])) for grade in range(lowest, board.ruler.scale_high + 1)]
    is_complete = board.ruler.unjudged == "complete"
    return SheetWorking(ranked, working, named, _lost(working, shown, is_complete=is_complete))


def worked_for(
    evidence: Evidence, board: Scoreboard, sheet: QuestionSheet, ranked: RankedList, measure: str
) -> Worked:
    """Return the working of another measure of `scoring.worked.WORKED` on one list, cut at the ruler's k.

    Parameters
    ----------
    ranked
        The list, with all of its rows for a measure that reads whole lists.
    """
    ruler, judged = scoring_ruler(board.ruler), board.judged
    grades = Grades(evidence, board, sheet.place)
    index_of = dict(zip(map(grades.head_of, grades.documents), grades.held, strict=True))
    listed = []
    for row in ranked.rows:
        candidate_index = index_of.get(grades.head_of(row.document_id), judged.absent)
        candidate_index = judged.repeated if row.repeats else candidate_index
        grade = None if row.low is None or row.high is None else (row.low + row.high) / 2
        listed.append(
            Listed(
                grade,
                float(judged.gain[candidate_index]),
                int(judged.state[candidate_index]),
                float(judged.stop[candidate_index]),
            )
        )
    known = Known(
        k=board.ruler.k,
        relevant=int(judged.relevant_counts[sheet.place]),
        nonrelevant=int(judged.nonrelevant_counts[sheet.place]),
        highest=float(ruler.gains()[-1]),
        discounts=ruler.discounts(board.ruler.k),
        ndcg=ranked.score or 0.0,
    )
    return worked_measure(measure, listed, known)


def _judged(evidence: Evidence, board: Scoreboard, sheet: QuestionSheet) -> list[tuple[float, float]]:
    """Return (grade, gain) of every judged answer that can stand in the ideal list."""
    consensus = consensus_at(evidence, board.ruler, board.revision)
    indexes = np.flatnonzero((evidence.structure.query == sheet.place) & board.judged.in_ideal)
    lowest = board.ruler.scale_low
    middle = (consensus.low[indexes].astype(float) + consensus.high[indexes]) / 2 + lowest
    return list(zip(middle.tolist(), board.judged.gain[indexes].tolist(), strict=True))


def _lost(working: Working, shown: Sequence[ListRow], *, is_complete: bool) -> str:
    """Return where most was lost against the ideal, or nothing where nothing was.

    `shown` are the places of the list, down to the cutoff. While some of them are unrated, nothing is called
    lost yet, unless the ratings are complete: then they count as not relevant.
    """
    if working.ndcg is None or working.ndcg > 1 - 1e-12:
        return ""
    points = 100 - int(working.ndcg * 100 + 0.5)  # what is missing from the score as it is shown
    unrated = sum(row.low is None and not row.repeats for row in shown)
    if unrated and not is_complete:
        return number_message(
            "%(points)s below the best possible order, with %(num)s answer not rated yet.",
            "%(points)s below the best possible order, with %(num)s answers not rated yet.",
            unrated,
            points=number_message("%(num)s point", "%(num)s points", points),
        )
    return _lost_most_at(points, working, shown)


def _lost_most_at(points: int, working: Working, shown: Sequence[ListRow]) -> str:
    """Return which place cost most of the points that are missing from a score as it is shown."""
    ideal = {step.rank: step.contribution for step in working.ideal_steps}
    reached = {step.rank: step.contribution for step in working.steps}
    losses = {rank: max(gain - reached.get(rank, 0.0), 0.0) for rank, gain in ideal.items()}
    worst = max(losses, key=losses.__getitem__)
    if worst not in reached:
        return number_message(
            "%(num)s point lost: the list ends before place %(place)s.",
            "%(num)s points lost: the list ends before place %(place)s.",
            points,
            place=worst,
        )
    row = next(row for row in shown if row.rank == worst)
    found = message("an answer that is not rated yet")
    if row.repeats:
        found = message("an answer that is further up already")
    elif row.low is not None:
        shown_grade = str(row.low) if row.low == row.high else f"{row.low}–{row.high}"
        found = message("an answer of grade %(grade)s", grade=shown_grade)
    # Good answers that stand too far down bring back below a part of what is lost at the top.
    is_offset = any(gain > ideal.get(rank, 0.0) + 1e-12 for rank, gain in reached.items())
    if is_offset or losses[worst] <= sum(losses.values()) / 2:
        return number_message(
            "%(num)s point lost. Place %(place)s costs the most: it holds %(found)s.",
            "%(num)s points lost. Place %(place)s costs the most: it holds %(found)s.",
            points,
            place=worst,
            found=found,
        )
    if sum(loss > 0 for loss in losses.values()) > 1:
        return number_message(
            "%(num)s point lost, most of them at place %(place)s: it holds %(found)s.",
            "%(num)s points lost, most of them at place %(place)s: it holds %(found)s.",
            points,
            place=worst,
            found=found,
        )
    return number_message(
        "%(num)s point lost, all at place %(place)s: it holds %(found)s.",
        "%(num)s points lost, all at place %(place)s: it holds %(found)s.",
        points,
        place=worst,
        found=found,
    )
