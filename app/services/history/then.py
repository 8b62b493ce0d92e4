"""Each moment as it looked then: the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.history.past import past_scores
from app.services.history.points import History, HistoryPoint, Moment

if TYPE_CHECKING:
    from collections.abc import Container

    from app.services.evidence import Evidence


def as_it_looked_then(
    evidence: Evidence, moments: list[Moment], rankers: Container[int] | None = None
) -> History:
    """Return each moment with the ratings, the versions and the ruler of that moment.

    A number is the headline of its moment, over the comparison set of all versions current then, whichever
    rankers are wanted.

    Parameters
    ----------
    rankers
        Numbers of the rankers wanted; all by default.
    """
    structure = evidence.structure
    wanted = {
        moment.revision: [
            place
            for place in evidence.current_runs(moment.revision)
            if rankers is None or structure.runs[place].ranker_id in rankers
        ]
        for moment in moments
    }
    scores = past_scores(evidence, wanted)
    points: dict[int, list[HistoryPoint]] = {}
    for moment in moments:
        fingerprint = evidence.ruler_at(moment.revision).fingerprint
        for place in wanted[moment.revision]:
            past, run = scores[moment.revision, place], structure.runs[place]
            point = HistoryPoint(
                moment, run, past.score, past.low, past.high, past.scored, past.judged, fingerprint
            )
            points.setdefault(run.ranker_id, []).append(point)
    return History("then", points, None)
