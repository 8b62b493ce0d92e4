"""Quality at a glance: coverage, annotators, what needs a look; the lists behind its counts; pool bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import render_template, url_for
from sqlalchemy import select

from app.http.permissions import Access, allow, current_place
from app.http.sessions import read_session
from app.models import Query, Role
from app.services.annotators import rated_of, said_of_agreement
from app.services.comparison import basis_of
from app.services.errors import NotFoundError
from app.services.health import (
    can_be_rated,
    count_alike,
    edited_answers,
    left_out,
    probes_of,
    question_health,
    ranker_health,
    search_state,
    text_health,
    textless_documents,
)
from app.services.overview import contributors_of, coverage_of
from app.web.quality import blueprint
from app.web.quality.asked import fresh_evidence, page_asked
from app.web.tones import tones_of

if TYPE_CHECKING:
    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence

EACH = 50
SHOWN = 5


@dataclass(frozen=True)
class Linked:
    """A question that a list names."""

    query_id: int
    text: str


@blueprint.get("/p/<slug>/quality")
@allow(Access.READ)
def index(slug: str) -> str:
    """Show how much is rated and by whom, and what needs a look, each with the next step."""
    place = current_place()
    evidence = fresh_evidence()
    basis = basis_of(evidence)
    session, board = read_session(), basis.board
    questions = question_health(evidence, board)
    owner = place.role is Role.OWNER
    coverage = coverage_of(evidence, board.judged)
    agreement = rated_of(session, evidence).agreements.overall if owner else None
    return render_template(
        "quality/index.html",
        slug=slug,
        k=board.ruler.k,
        complete=basis.complete,
        coverage=coverage,
        contributors=contributors_of(session, evidence, board.judged.pooled),
        agreement=agreement,
        said=said_of_agreement(agreement) if agreement else "",
        questions=questions,
        none_found=_linked(evidence, questions.none_found[:SHOWN]),
        one_level=_linked(evidence, questions.one_level[:SHOWN]),
        texts=text_health(session, evidence, board),
        rankers=ranker_health(basis),
        ratable=place.project.state == "open" and can_be_rated(evidence, basis),
        tones=tones_of(evidence, board),
        alike=count_alike(session, place.project.id) if owner else None,
        search=search_state(session, place.project.id) if owner else None,
        probes=probes_of(session, evidence, board),
    )


LISTS = {
    "one-level": "Questions with the same grade for all answers",
    "edited": "Answers whose text changed after they were rated",
    "no-text": "Answers without a text",
}


@blueprint.get("/p/<slug>/quality/list/<what>")
@allow(Access.READ)
def listed(slug: str, what: str) -> str:
    """List what is behind one of the counts.

    Raises
    ------
    NotFoundError
        There is no such list.
    """
    if what not in LISTS:
        raise NotFoundError("There is no such list.")
    evidence = fresh_evidence()
    session, board = read_session(), basis_of(evidence).board
    texts = text_health(session, evidence, board)
    one_level = question_health(evidence, board).one_level
    total = {"one-level": len(one_level), "edited": len(texts.waiting), "no-text": texts.textless}[what]
    pages = max(1, -(-total // EACH))
    page = min(page_asked(), pages)
    part = slice((page - 1) * EACH, page * EACH)
    return render_template(
        "quality/list.html",
        slug=slug,
        what=what,
        title=LISTS[what],
        total=total,
        questions=_linked(evidence, one_level[part]) if what == "one-level" else [],
        answers=edited_answers(session, evidence, texts.waiting[part]) if what == "edited" else [],
        documents=textless_documents(session, evidence.project_id, first=part.start, most=EACH)
        if what == "no-text"
        else [],
        page=page,
        pages=pages,
        page_url=lambda number: url_for("quality.listed", slug=slug, what=what, page=number),
    )


@blueprint.get("/p/<slug>/quality/pool")
@allow(Access.READ)
def pool(slug: str) -> str:
    """Show what each ranker's score owes to its part in making the pool."""
    evidence = fresh_evidence()
    board = basis_of(evidence).board
    return render_template(
        "quality/pool.html",
        slug=slug,
        k=board.ruler.k,
        rows=left_out(evidence, board),
        rankers=len(board.runs),
        tones=tones_of(evidence, board),
    )


def _linked(evidence: Evidence, places: Ints) -> list[Linked]:
    """Return the questions of some places, in their order."""
    numbers = evidence.structure.query_id[places].tolist()
    rows = read_session().execute(select(Query.id, Query.text).where(Query.id.in_(numbers)))
    texts = {row.id: row.text for row in rows}
    return [Linked(number, texts[number]) for number in numbers]
