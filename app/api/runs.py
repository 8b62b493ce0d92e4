"""Runs over HTTP: pushed as files that the importer reads, as they are, packed, or as a JSON array."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from app.api.idempotency import once
from app.api.operations import Parameter, arguments, operation
from app.api.pushes import CHECKED, COUNTS, FILE, PUSHED, UNKNOWN_DOCUMENTS, UNKNOWN_QUERIES, outcome, push
from app.api.scores import AGAINST, GATE, MAX_DROP, MEASURES, MIN_COVERAGE, NUMBERS
from app.http import Access, allow
from app.http.limits import takes_body
from app.services.accounts.tokens import Scope

blueprint = Blueprint("api_runs", __name__, url_prefix="/api/v1/projects/<slug>")

RANKER = Parameter(
    name="ranker",
    about="The system that made the run; the one that the file names, by its tag or a column, if not given.",
    longest=200,
    example="BM25",
)
VERSION = Parameter(
    name="version",
    about="The label of this version; v1, v2, ... if not given.",
    longest=100,
    example="2026-11-22",
)
NOTE = Parameter(name="note", about="What is new in this version, on one line.", longest=300, default="")
BEST = Parameter(
    name="best",
    about="If a list repeats a document, keep only its best place; else the file is refused.",
    kind=bool,
    default=False,
)
TRIAL = Parameter(
    name="trial",
    about="Score the run and test whether it may replace another, without storing it: it is in no pool, no "
    "chart and no comparison.",
    kind=bool,
    default=False,
)
TRIED = {
    "trial": bool,
    "revision": int,
    "scoring_settings": {str: Any},
    "counts": COUNTS,
    "measures": NUMBERS,
    "judged": NUMBERS,
    "queries": COUNTS,
    "gate": (GATE, None),
    "no_gate": (str, None),
}


@blueprint.post("/runs")
@allow(Access.OWN, Scope.RUNS)
@takes_body
@operation(
    "Push a run",
    about="The same file for the same ranker again changes nothing and answers 200. A file with problems "
    "is refused "
    "as a whole: the answer lists the first 100, each with line, value, reason and remedy.",
    parameters=(
        RANKER,
        VERSION,
        NOTE,
        UNKNOWN_DOCUMENTS,
        UNKNOWN_QUERIES,
        BEST,
        *FILE,
        TRIAL,
        AGAINST,
        MAX_DROP,
        MIN_COVERAGE,
        MEASURES,
    ),
    file="A TREC run, or a table (CSV, TSV, JSON Lines) with query_id or query, doc_id, and rank or "
    "score; perhaps gzipped.",
    file_example="q1 Q0 d1 1 2.5 demo\nq1 Q0 d2 2 1.5 demo\n",
    answer=[PUSHED, CHECKED, TRIED],
    statuses=(200, 201, 202),
)
@once
def post_run(slug: str) -> Response:
    """Receive a run and register it, or only try it."""
    del slug
    given = arguments()
    names = ("ranker", "version", "note", "unknown_documents", "unknown_queries", "best")
    options = {name: given[name] for name in names if given[name] is not None}
    options["ranker"] = given["ranker"] or ""
    if given["ranker"]:
        given["file_name"] = given["file_name"] or f"{given['ranker']}.run"
    if given["trial"]:
        asked = ("against", "max_drop", "min_coverage", "measures")
        options["trial"] = {name: given[name] for name in asked}
    return outcome(
        push("run", given, options, state="checking" if given["trial"] else "importing"), given["wait"]
    )
