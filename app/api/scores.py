"""Scores, verdicts and the gate over HTTP: the objects that the commands print."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response

from app.api.bodies import BodyError
from app.api.conditional import answer, answer_once
from app.api.operations import Parameter, arguments, operation
from app.http import Access, allow, database, read_session
from app.http.project import current_evidence, current_project
from app.http.sessions import close_read_session
from app.jobs.gate import gate_version
from app.scoring.measures import UnknownMeasureError
from app.services.accounts.tokens import Scope
from app.services.cache import Cache
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.passed import raters_of
from app.services.evidence.state import Evidence
from app.services.exports.gate_report import markdown_of
from app.services.exports.objects import (
    asked_labels,
    comparison_object,
    gate_object,
    pair_object,
    scores_object,
    version_object,
)
from app.services.scores.context import context_for_members
from app.services.scores.gate import GateRules
from app.services.scores.history import HistoryPoint, history_as_of
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.overview_parts import verdict_between
from app.services.scores.scoreboard import Scoreboard, score_runs, weighted_means
from app.services.scores.timeline import history_with_current_ratings, moments_of
from app.services.scores.verdict_text import title_of
from app.services.scores.versions import find_version

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
# Answers without the values of each query: a dashboard asks for the same again and again.
_means: Cache[dict[str, Any]] = Cache(32)
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
    about="The newest active version of each ranker: each mean is over the scored queries that the project "
    "had when the run was imported, and those without results in it count 0. "
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

    def means() -> dict[str, Any]:
        key = (project.slug, given["measures"], given["all_versions"], revision)
        return _means.get_or_make(evidence, key, make)

    return answer_once(
        evidence.revision if revision is None else revision, make if given["per_query"] else means
    )


PAIR = {
    "verdict": str,
    "gap": (float, None),
    "interval": {"level": float, "low": (float, None), "high": (float, None)},
    "queries": int,
    "pairs_asked_together": int,
    "final_p": (float, None),
    "sample": {
        "queries": int,
        "all_closed": bool,
        "judged_at_k": (float, None),
        "t_test_p": (float, None),
        "log_e_value": (float, None),
    },
    "unrated": int,
    "provisional": bool,
    "grades_declared_complete": bool,
}
NAMED = {"ranker": str, "version": str}
COMPARED = NAMED | {
    "score": (float, None),
    "in_production": bool,
    "against_reference": (PAIR, None),
    "against_version_before": (PAIR | {"version": str}, None),
}
HALF = {
    "ranker": (str, None),
    "version": (str, None),
    "file?": (str, None),
    "score": (float, None),
    "judged_at_k": (float, None),
    "unrated": int,
    "returned": int,
    "questions_without_answers": int,
}
GATE = PAIR | {
    "project": str,
    "revision": int,
    "scoring_settings": {"name": str, "fingerprint": str},
    "answer": ("passed", "failed", "cannot tell"),
    "sentence": str,
    "judged": HALF,
    "against": HALF,
    "one_sided_bound": {"level": float, "low": (float, None)},
    "max_drop": float,
    "min_coverage": float,
    "markdown": str,
}
POINT = NAMED | {
    "revision": int,
    "at": str,
    "score": (float, None),
    "low": (float, None),
    "high": (float, None),
    "judged_at_k": (float, None),
    "scored_queries": int,
    "fingerprint": str,
}
FIRST = Parameter(
    name="first",
    about="A version: RANKER@VERSION, RANKER for its newest, or production.",
    required=True,
    example="BM25",
)
SECOND = replace(FIRST, name="second", about="The version that it is compared with.", example="Dense")
VIEW = Parameter(
    name="view",
    about="today: every version with today's ratings, at the time it was pushed. then: the scores as "
    "they "
    "were shown.",
    choices=("today", "then"),
    default="today",
)
AGAINST = Parameter(
    name="against",
    about="What the gate compares with: production, RANKER@VERSION, or RANKER for its newest. If not "
    "given, the "
    "version in production, else the version before.",
)
MAX_DROP = Parameter(
    name="max_drop",
    about="The drop to rule out: 0.03 is 3 points.",
    kind=float,
    low=0,
    high=1,
    default=0.03,
)
MIN_COVERAGE = Parameter(
    name="min_coverage",
    about="The lowest judged@k that both need.",
    kind=float,
    low=0,
    high=1,
    default=0.9,
)


@blueprint.get("/comparisons")
@allow(Access.READ, Scope.SCORES)
@operation(
    "What the overview says",
    about="Its sentence, and the verdict on each version against the one in production (else the leader) and "
    "against the version before it.",
    answer={
        "revision": int,
        "answer": {"sentence": str, "lines": [str]},
        "reference": (NAMED, None),
        "compared": [COMPARED],
    },
)
def get_comparisons(slug: str) -> Response:
    """Return the overview's verdicts."""
    del slug
    arguments()
    evidence, project = current_evidence(), current_project()

    def make() -> dict[str, Any]:
        context = context_for_members(read_session(), evidence, project)
        return {"revision": evidence.revision} | comparison_object(leaderboard_of(evidence, context))

    return answer_once(evidence.revision, make, besides=raters_of(read_session(), project).key)


@blueprint.get("/comparison")
@allow(Access.READ, Scope.SCORES)
@operation(
    "The verdict on two versions",
    about="Differences are the first version's minus the second's.",
    parameters=(FIRST, SECOND),
    answer=PAIR | {"revision": int, "first": NAMED, "second": NAMED, "sentence": str},
    refusals=(422,),
)
def get_comparison(slug: str) -> Response:
    """Return the verdict on a pair."""
    del slug
    given = arguments()
    evidence = current_evidence()
    first, second = (_version(evidence, given[name], name) for name in ("first", "second"))
    if first == second:
        raise InvalidError(
            "first and second name the same version.",
            code="version",
            field="second",
            value=given["second"],
            remedy="Name two versions.",
        )

    def make() -> dict[str, Any]:
        pair = verdict_between(evidence, first, second).pair
        runs = evidence.structure.runs
        names = (
            f"{runs[first].ranker} {runs[first].version}",
            f"{runs[second].ranker} {runs[second].version}",
        )
        return {
            "revision": evidence.revision,
            "first": version_object(runs[first]),
            "second": version_object(runs[second]),
            "sentence": f"{title_of(pair, names)}.",
        } | pair_object(pair)

    return answer_once(evidence.revision, make)


@blueprint.get("/gate")
@allow(Access.READ, Scope.SCORES, Scope.RUNS)
@operation(
    "May a version replace another?",
    about="Passed: with 95% certainty the score drops by less than max_drop. Failed: a drop is likely (95% "
    "interval below 0) and could exceed max_drop. Cannot tell: too few questions, too few rated answers, or "
    "the gap is uncertain. For a file that is not registered, push it as a trial run.",
    parameters=(
        Parameter(
            name="version",
            about="The version to check: RANKER@VERSION, or RANKER for its newest.",
            required=True,
            example="BM25",
        ),
        replace(AGAINST, example="Dense"),
        MAX_DROP,
        MIN_COVERAGE,
    ),
    answer=GATE,
    refusals=(422,),
)
def get_gate(slug: str) -> Response:
    """Return the gate's answer about a registered version."""
    given = arguments()
    project_id = current_project().id
    close_read_session()
    rules = GateRules(given["max_drop"], given["min_coverage"])
    try:
        found = gate_version(database(), project_id, given["version"], given["against"], rules)
    except NotFoundError as error:
        raise InvalidError(error.message, code=error.code, **error.details) from error
    told = gate_object(slug, found.answer, found.evidence, ranker=found.ranker)
    return answer(told | {"markdown": markdown_of(told)})


@blueprint.get("/history")
@allow(Access.READ, Scope.SCORES)
@operation(
    "Scores over time",
    about="The points of the overview's chart, of every ranker, oldest first. Points with different "
    "fingerprints "
    "are of different scoring settings.",
    parameters=(VIEW,),
    answer={"revision": int, "view": ("today", "then"), "points": [POINT]},
)
def get_history(slug: str) -> Response:
    """Return the points of the history."""
    del slug
    given = arguments()
    evidence = current_evidence()

    def make() -> dict[str, Any]:
        moments = moments_of(read_session(), evidence)
        if given["view"] == "then":
            found = history_as_of(evidence, moments)
        else:
            found = history_with_current_ratings(evidence)
        points = [point_object(point) for points in found.points.values() for point in points]
        return {"revision": evidence.revision, "view": given["view"], "points": points}

    return answer_once(evidence.revision, make)


def point_object(point: HistoryPoint) -> dict[str, Any]:
    """Return one ranker at one moment."""
    return version_object(point.run) | {
        "revision": point.moment.revision,
        "at": point.moment.at.isoformat(),
        "score": point.score,
        "low": point.low,
        "high": point.high,
        "judged_at_k": point.judged,
        "scored_queries": point.scored,
        "fingerprint": point.fingerprint,
    }


def _version(evidence: Evidence, name: str, field: str) -> int:
    try:
        return find_version(evidence, name, field=field)
    except NotFoundError as error:
        raise InvalidError(error.message, code=error.code, **error.details) from error


def scoreboard(evidence: Evidence, runs: list[int], measures: str, revision: int | None) -> Scoreboard:
    """Return the scores of some runs.

    :raise BodyError: A measure is not known.
    """
    try:
        return score_runs(evidence, runs, measures=measures, revision=revision, session=read_session())
    except UnknownMeasureError as error:
        raise BodyError(
            str(error),
            code="bad_value",
            field="measures",
            value=measures,
            remedy="Name measures that Touchstone knows.",
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
