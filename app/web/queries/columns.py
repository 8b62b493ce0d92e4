"""The columns of the list of questions: the scores of the best rankers, question by question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.evaluation import best_first

if TYPE_CHECKING:
    from app.services.evaluation import Scoreboard
    from app.services.evidence.structure import RunFact
    from app.services.questions import QuestionRow

MOST_COLUMNS = 8


@dataclass(frozen=True)
class Column:
    """One ranker, and its score on each of the questions shown, None without one."""

    run: RunFact
    scores: dict[int, float | None]


def columns_of(board: Scoreboard, rows: list[QuestionRow], tones: dict[int, int]) -> list[Column]:
    """Return one column for each of the best rankers, in the order of their colours."""
    best = best_first(board)[:MOST_COLUMNS]
    values, counted = board.values[board.headline], board.counted
    return [
        Column(
            board.runs[row].run,
            {
                one.query_id: float(values[row, one.place]) if counted[row, one.place] else None
                for one in rows
            },
        )
        for row in sorted(best, key=lambda row: tones[board.runs[row].run.ranker_id] or MOST_COLUMNS + 1)
    ]
