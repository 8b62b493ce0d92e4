"""Which rankers have a colour: the same ones in a page's lists, charts and legends, and in its downloads."""

from __future__ import annotations

from collections.abc import Collection

from app.services.evidence.state import Evidence
from app.services.scores.scoreboard import Scoreboard, best_first, score_runs
from app.web.charts.axes import COLOURED, colours_among


def ranker_colours(
    evidence: Evidence, board: Scoreboard | None = None, chosen: Collection[int] = ()
) -> dict[int, int]:
    """Return the tone (1 to 8, or 0 for grey) of every ranker that ever was, by its number.

    Parameters
    ----------
    board
        The scores of the current runs, where the caller has them already.
    chosen
        Rankers that somebody asked to see: they have a colour before better ones.
    """
    marks = {run.ranker_id: run.mark for run in evidence.structure.runs if run.kind == "system"}
    if max(marks.values(), default=0) <= COLOURED:
        return marks
    board = board or score_runs(evidence, evidence.current_runs())
    # The version in production may stand beside a newer one of its ranker.
    placed = [*dict.fromkeys(board.runs[row].run.ranker_id for row in best_first(board))]
    others = sorted(marks.keys() - set(placed), key=lambda ranker: marks[ranker])
    return colours_among([*placed, *others], marks, chosen)
