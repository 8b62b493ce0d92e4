"""What a project holds, over HTTP: queries, documents, rankers, runs, the pool, judgments, qrels, events."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, Response

from app.api.bodies import BodyError
from app.api.conditional import answer
from app.api.exports import MIDDLE, UNRATED, streamed
from app.api.idempotency import once
from app.api.operations import Parameter, arguments, operation
from app.api.paging import CURSOR, LIMIT, PAGE, page_of, paged
from app.api.pushes import (
    CHECKED,
    FILE,
    PUSHED,
    UNKNOWN_DOCUMENTS,
    UNKNOWN_QUERIES,
    outcome,
    push,
)
from app.formats.errors import BadValueError, visible
from app.formats.grades import GradeMap, pairs_of
from app.formats.schema import Kind
from app.http import Access, allow, read_session
from app.http.exporting import note_export
from app.http.lanes import streams
from app.http.limits import takes_body
from app.http.project import current_project
from app.models import Project
from app.services.accounts.tokens import Scope
from app.services.exports.judgments import export_qrels
from app.services.exports.listing import (
    documents_page,
    events_page,
    judgments_page,
    pool_page,
    project_object,
    queries_page,
    rankers_page,
    runs_page,
)
from app.services.exports.runs import export_runs, get_run_facts

blueprint = Blueprint("api_contents", __name__, url_prefix="/api/v1/projects/<slug>")

REPLACE = Parameter(
    name="replace",
    about="Rows with a known id replace what is there. Without it, different content is refused.",
    kind=bool,
    default=False,
)
SINCE = Parameter(
    name="since", about="Only what came after this revision.", kind=int, low=0, high=2**53, default=0
)
ANNOTATOR = Parameter(
    name="annotator",
    about="The name of the annotator, for a file without a column for it.",
    longest=200,
    example="Nightly judge",
)
KIND = Parameter(
    name="kind",
    about="Who gave the grades: people, or a machine, whose grades count only if the scoring settings say "
    "so.",
    choices=("imported", "machine"),
    example="machine",
)
NEGATIVE = Parameter(
    name="negative",
    about="Negative grades: refuse the file, or skip their lines.",
    choices=("reject", "skip"),
    default="reject",
)
MAP = Parameter(
    name="map",
    about="What grades of the file are on the project's scale, as 4=3,3=2, Exact=3 or 0..0.5=0. "
    "GRADE=skip leaves out the lines with that grade.",
    several=True,
    longest=2000,
    example="2=3,1=1,0=0",
)
TEXT = (str, None)
PROJECT = {
    "slug": str,
    "name": str,
    "state": str,
    "demo": bool,
    "scale": str,
    "pool_depth": int,
    "overlap": int,
    "scoring_settings": {
        "name": str,
        "fingerprint": str,
        "k": int,
        "gain": str,
        "discount": str,
        "threshold": int,
        "consensus": str,
        "unjudged": str,
        "only_blind": bool,
    },
    "revision": int,
    "queries": int,
    "documents": int,
    "pooled": int,
}
QUERY = {"query_id": str, "text": str, "intent": str, "tags": [str], "weight": float, "active": bool}
DOCUMENT = {
    "doc_id": str,
    "title": str,
    "text": str,
    "url": str,
    "source": str,
    "extra": {str: Any},
    "active": bool,
}
RUN = {
    "run_id": int,
    "ranker": str,
    "version": str,
    "kind": ("system", "manual"),
    "note": str,
    "state": ("published", "withdrawn"),
    "in_production": bool,
    "revision": int,
    "registered_at": str,
    "lines": (int, None),
    "queries": (int, None),
}
JUDGMENT = {
    "revision": int,
    "query_id": str,
    "doc_id": str,
    "annotator": str,
    "grade": (int, None),
    "reason": TEXT,
    "judged_at": str,
}


@blueprint.get("")
@allow(Access.READ, Scope.SCORES)
@operation("A project", answer=PROJECT)
def get_project(slug: str) -> Response:
    """Return what a project is, and how much is in it."""
    del slug
    arguments()
    return answer(project_object(read_session(), current_project()))


@blueprint.get("/queries")
@allow(Access.READ, Scope.SCORES, Scope.CONTENT)
@operation("Queries", parameters=PAGE, answer=paged(QUERY))
def get_queries(slug: str) -> Response:
    """Return a page of queries."""
    del slug
    note_export("questions", "json")
    return page_of(queries_page)


@blueprint.post("/queries")
@allow(Access.OWN, Scope.CONTENT)
@takes_body
@operation(
    "Push queries",
    parameters=(REPLACE, *FILE),
    file="A table (CSV, TSV, JSON Lines) with query_id and text, perhaps intent and tags. "
    "Without ids, one column named question is enough.",
    file_example="query_id,text\nq9,Where is the kettle?\n",
    answer=[PUSHED, CHECKED],
    statuses=(200, 201, 202),
)
@once
def post_queries(slug: str) -> Response:
    """Receive queries."""
    del slug
    return _pushed("queries", "replace")


@blueprint.get("/documents")
@allow(Access.READ, Scope.SCORES, Scope.CONTENT)
@operation("Documents", parameters=PAGE, answer=paged(DOCUMENT))
def get_documents(slug: str) -> Response:
    """Return a page of documents."""
    del slug
    note_export("answers", "json")
    return page_of(documents_page)


@blueprint.post("/documents")
@allow(Access.OWN, Scope.CONTENT)
@takes_body
@operation(
    "Push documents",
    parameters=(REPLACE, *FILE),
    file="A table (CSV, TSV, JSON Lines) with doc_id, title and text, perhaps url and source.",
    file_example="doc_id,title,text\nd9,Kettles,They are in the kitchen.\n",
    answer=[PUSHED, CHECKED],
    statuses=(200, 201, 202),
)
@once
def post_documents(slug: str) -> Response:
    """Receive documents."""
    del slug
    return _pushed("documents", "replace")


@blueprint.get("/rankers")
@allow(Access.READ, Scope.SCORES, Scope.RUNS)
@operation(
    "Rankers",
    parameters=PAGE,
    answer=paged({"ranker": str, "kind": ("system", "manual"), "versions": int}),
)
def get_rankers(slug: str) -> Response:
    """Return a page of rankers."""
    del slug
    return page_of(rankers_page)


@blueprint.get("/runs")
@allow(Access.READ, Scope.SCORES, Scope.RUNS)
@operation("Runs", about="The versions of all rankers.", parameters=PAGE, answer=paged(RUN))
def get_runs(slug: str) -> Response:
    """Return a page of runs."""
    del slug
    return page_of(runs_page)


@blueprint.get("/runs/<int:run_id>/file")
@allow(Access.READ, Scope.SCORES, Scope.RUNS)
@streams
@operation("A run as a TREC file", answer="text/plain", refusals=(422,))
def get_run_file(slug: str, run_id: int) -> Response:
    """Return the lists of a run."""
    del slug
    arguments()
    project_id = current_project().id
    return streamed(
        "results", lambda session: export_runs(session, [get_run_facts(session, project_id, run_id)]), "trec"
    )


@blueprint.get("/pool")
@allow(Access.READ, Scope.SCORES, Scope.JUDGMENTS)
@operation(
    "The pool",
    about="The pairs of query and document to be rated, with how many people have rated each.",
    parameters=(UNRATED, *PAGE),
    answer=paged({"query_id": str, "doc_id": str, "best_rank": int, "ratings": int}),
)
def get_pool(slug: str) -> Response:
    """Return a page of the pool."""
    del slug
    return page_of(partial(pool_page, unrated=arguments()["unrated"]))


@blueprint.get("/judgments")
@allow(Access.READ, Scope.SCORES)
@operation(
    "Judgments",
    about="The current judgment of each annotator, oldest first.",
    parameters=(SINCE, LIMIT, CURSOR),
    answer=paged(JUDGMENT),
)
def get_judgments(slug: str) -> Response:
    """Return a page of judgments."""
    del slug
    note_export("ratings", "json")
    return page_of(judgments_page)


@blueprint.post("/judgments")
@allow(Access.OWN, Scope.JUDGMENTS)
@takes_body
@operation(
    "Push judgments",
    about="Sent again, the same file changes nothing and answers 200.",
    parameters=(
        ANNOTATOR,
        KIND,
        NEGATIVE,
        MAP,
        REPLACE,
        UNKNOWN_DOCUMENTS,
        UNKNOWN_QUERIES,
        *FILE,
    ),
    file="Qrels, or a table (CSV, TSV, JSON Lines) with query_id or query, doc_id, and grade or "
    "(for “can’t judge”) reason; perhaps annotator.",
    file_example="q1 0 d1 2\nq1 0 d2 0\n",
    answer=[PUSHED, CHECKED],
    statuses=(200, 201, 202),
)
@once
def post_judgments(slug: str) -> Response:
    """Receive judgments."""
    del slug
    names = ("annotator", "kind", "negative", "replace", "unknown_documents", "unknown_queries")
    return _pushed("judgments", *names, grades=_grades(arguments()["map"]))


@blueprint.get("/qrels")
@allow(Access.READ, Scope.SCORES)
@streams
@operation(
    "The consensus grades as TREC qrels",
    parameters=(MIDDLE,),
    answer="text/plain",
    refusals=(422,),
)
def get_qrels(slug: str) -> Response:
    """Return the qrels."""
    del slug
    given, project_id = arguments(), current_project().id
    return streamed(
        "qrels",
        lambda session: export_qrels(session, session.get_one(Project, project_id), middle=given["middle"]),
        "trec",
    )


@blueprint.get("/events")
@allow(Access.READ, Scope.SCORES)
@operation(
    "Events of the ledger",
    about="What happened besides ratings, oldest first. The revisions between them are ratings.",
    parameters=(SINCE, LIMIT, CURSOR),
    answer=paged({"revision": int, "kind": str, "at": str, "payload": {str: Any}}),
)
def get_events(slug: str) -> Response:
    """Return a page of events."""
    del slug
    return page_of(events_page)


def _grades(texts: list[str]) -> dict[str, int | None]:
    """Return what the parameter `map` says.

    :raise BodyError: It is not written as it should be, or says two things of one value.
    """
    try:
        GradeMap.read(texts)
    except BadValueError as error:
        sentence = f"map is {visible(str(error.value))!r}: {error.reason}."
        raise BodyError(
            sentence, code="bad_value", field="map", value=visible(str(error.value)), remedy=error.remedy
        ) from error
    return dict(pairs_of(texts))


def _pushed(kind: Kind, *names: str, **more: Any) -> Response:
    given = arguments()
    options = {name: given[name] for name in names if given[name] is not None} | more
    return outcome(push(kind, given, options), given["wait"])
