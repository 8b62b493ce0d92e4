"""One version as judgments came in, inside what it could still become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.services.history.past import past_scores
from app.services.history.points import History, HistoryPoint, Moment

if TYPE_CHECKING:
    from app.services.evidence import Evidence


def evidence_growth(evidence: Evidence, place: int, moments: list[Moment]) -> History:
    """Return one version at each moment since its registration, with the exact bounds of that moment.

    The version stays, the ledger grows: a rise or fall comes from the ratings, never from the ranker.

    Parameters
    ----------
    place
        Of the version, within `evidence.structure.runs`.
    """
    run = evidence.structure.runs[place]
    since = [moment for moment in moments if moment.revision >= run.revision]
    scores = past_scores(evidence, {moment.revision: [place] for moment in since}, bounded=True)
    points = []
    for moment in since:
        past = scores[moment.revision, place]
        fingerprint = evidence.ruler_at(moment.revision).fingerprint
        points.append(
            HistoryPoint(
                moment, run, past.score, past.least, past.most, past.scored, past.judged, fingerprint
            )
        )
    return History("growth", {run.ranker_id: points} if points else {}, None)
