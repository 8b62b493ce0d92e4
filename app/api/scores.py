"""Scores, verdicts and the gate over HTTP: the objects that the commands print."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from app.api.bodies import BodyError
from app.api.conditional import answer_once
from app.api.operations import Parameter, arguments, operation
from app.http import Access, allow, read_session
from app.http.project import current_evidence, current_project
from app.scoring.measures import UnknownMeasureError
from app.services.accounts.tokens import Scope
from app.services.evidence.state import Evidence
from app.services.exports.objects import asked_labels, scores_object
from app.services.scores.scoreboard import Scoreboard, score_runs, weighted_means

blueprint = Blueprint("api_scores", __name__, url_prefix="/api/v1/projects/<slug>")

MEASURES = Parameter(
    name="measures",
    about='Which measures, such as "nDCG@10 P@5 RR RBP(0.8)"; the project\'s nDCG@k if none is named.',
    default="",
    example="nDCG@10 P@5",
)
REVISION = Parameter(
    name="revision",
    about="The revision of the ledger to answer for; the newest if not given.",
    kind=int,
    low=0,
    high=2**53,
)
PER_QUERY = Parameter(name="per_query", about="With the values of every query.", kind=bool, default=False)
ALL_VERSIONS = Parameter(
    name="all_versions",
    about="Every active version, not only the newest of each ranker.",
    kind=bool,
    default=False,
)
NUMBERS = {str: (float, None)}
SCORES = {
    "project": str,
    "demo": bool,
    "revision": int,
    "scoring_settings": {str: Any},
    "mean_over": str,
    "queries_scored_for_all": int,
    "rankers": [
        {
            "ranker": str,
            "version": str,
            "measures": NUMBERS,
            "judged": NUMBERS,
            "queries": {"scored": int, "excluded": {"no_relevant": int, "unjudged": int}},
            "weighted_means?": NUMBERS,
            "per_query?": {str: NUMBERS},
        }
    ],
}


@blueprint.get("/scores")
@allow(Access.READ, Scope.SCORES)
@operation(
    "Scores of the rankers",
    about="The newest active version of each ranker: each mean is over the scored queries that the run "
    "covers. "
    "No number is without judged@k, the share of its top answers that is rated.",
    parameters=(MEASURES, PER_QUERY, ALL_VERSIONS, REVISION),
    answer=SCORES,
)
def get_scores(slug: str) -> Response:
    """Return the scores."""
    del slug
    given = arguments()
    project, evidence = current_project(), current_evidence()
    revision = known_revision(evidence, given["revision"])

    def make() -> dict[str, Any]:
        runs = (evidence.active_runs if given["all_versions"] else evidence.current_runs)(revision)
        board = scoreboard(evidence, runs, given["measures"], revision)
        asked = asked_labels(board, given["measures"])
        weighted = weighted_means(evidence, board)
        return scores_object(project, board, asked, per_query=given["per_query"], weighted=weighted)

    return answer_once(evidence.revision if revision is None else revision, make)


def scoreboard(evidence: Evidence, runs: list[int], measures: str, revision: int | None) -> Scoreboard:
    """Return the scores of some runs.

    :raise BodyError: A measure is not known.
    """
    try:
        return score_runs(evidence, runs, measures=measures, revision=revision, session=read_session())
    except UnknownMeasureError as error:
        raise BodyError(
            str(error), code="bad_value", field="measures", value=measures, remedy="Name measures we know."
        ) from error


def known_revision(evidence: Evidence, revision: int | None) -> int | None:
    """Return a revision that the ledger has reached; None for the newest.

    :raise BodyError: It has not reached it.
    """
    if revision is None or revision == evidence.revision:
        return None
    if revision > evidence.revision:
        raise BodyError(
            f"revision is {revision}, and the ledger is at {evidence.revision}.",
            code="bad_value",
            field="revision",
            value=str(revision),
            remedy=f"Give a whole number from 0 to {evidence.revision}.",
        )
    return revision
