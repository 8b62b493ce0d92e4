"""Who rates what: assignment of questions, and the answers that were passed on."""

from __future__ import annotations

from typing import NamedTuple

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import later as _l
from app.http.languages import translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_evidence, current_project, write_project
from app.http.sessions import read_session
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import Project
from app.models.query import Query
from app.sentences import message
from app.services.assignment.query_assignments import (
    QueryAssignment,
    assign_queries,
    clear_query_assignment,
    queries_of,
    query_assignments_of,
)
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.state import Evidence
from app.services.projects.settings import change_rating
from app.services.quality.annotators import rated_of
from app.web.arguments import whole_number
from app.web.quality import blueprint
from app.web.responses import flash_refusals

LONGEST = 2_000
DIGITS = 7
TURNED = {
    "open": _l("People can rate again."),
    "paused": _l("Rating is paused. Questions that are open or left for later can be finished."),
    "closed": _l("Rating is closed. Nobody can rate until you open it again; imports still count."),
}


class OwnShare(NamedTuple):
    """What one annotator is given: the names of its questions, how many are open to them, how many done."""

    public_id: str
    name: str
    allotment: QueryAssignment
    queries: list[str]
    open_to: int
    settled: int


@blueprint.get("/p/<slug>/quality/work")
@allow(Access.OWN)
def work(slug: str) -> str:
    """Show whether people can rate, and who is given what."""
    return _page(slug)


@blueprint.post("/p/<slug>/quality/rating")
@allow(Access.OWN)
def turn(slug: str) -> Response:
    """Pause, close or open rating."""
    state = request.form.get("state", "")
    with flash_refusals(level="warn"):
        with write_project() as (session, project):
            change_rating(session, project, state, actor_id=current_person_id())
        flash(str(TURNED[state]))
    return redirect(url_for("quality.work", slug=slug))


@blueprint.post("/p/<slug>/quality/shares")
@allow(Access.OWN)
def give(slug: str) -> Response | str:
    """Give somebody certain questions, or any again."""
    entered = {
        name: request.form.get(name, "").strip()[:LONGEST] for name in ("who", "tags", "queries", "target")
    }
    try:
        with write_project() as (session, project):
            _change(session, project, entered, take_back=bool(request.form.get("take_back")))
    except (InvalidError, NotFoundError) as error:
        return _page(slug, entered=entered, error=translated(error.message))
    flash(_("Saved. People keep the questions they have open."))
    return redirect(url_for("quality.work", slug=slug))


def _change(session: Session, project: Project, entered: dict[str, str], *, take_back: bool) -> None:
    person = session.scalar(select(Person.id).where(Person.public_id == entered["who"]))
    if person is None:
        raise InvalidError("Choose an annotator.")
    actor_id = current_person_id()
    if take_back:
        clear_query_assignment(session, project, person, actor_id=actor_id)
        return
    assign_queries(
        session,
        project,
        person,
        tags=_listed(entered["tags"], ";"),
        queries=_listed(entered["queries"]),
        target=_number(entered["target"]),
        actor_id=actor_id,
    )


def _listed(entered: str, between: str = ",") -> list[str]:
    return [part.strip() for part in entered.replace("\n", between).split(between) if part.strip()]


def _number(entered: str) -> int | None:
    number = whole_number(entered, digits=DIGITS)
    if entered and number is None:
        raise InvalidError(
            message(
                "A target of %(target)s answers is not possible: give a whole number.", target=repr(entered)
            )
        )
    return number


def _page(slug: str, *, entered: dict[str, str] | None = None, error: str = "") -> str:
    project = current_project()
    evidence = current_evidence()
    session = read_session()
    rows = session.execute(
        select(Person.id, Person.public_id, Person.name)
        .join(Membership, Membership.person_id == Person.id)
        .where(
            Membership.project_id == project.id,
            Membership.role.in_([Role.ANNOTATOR.value, Role.OWNER.value]),
            Person.kind == PersonKind.PERSON.value,
        )
        .order_by(Person.name, Person.id)
    ).all()
    tags = sorted(
        {
            tag
            for own in session.scalars(select(Query.tags).where(Query.project_id == project.id))
            for tag in own or ()
        }
    )
    return render_template(
        "quality/work.html",
        people=rows,
        shares=_shares(session, evidence, project, {row.id: (row.public_id, row.name) for row in rows}),
        tags=tags,
        entered=entered or {},
        error=error,
        slug=slug,
    )


def _shares(
    session: Session, evidence: Evidence, project: Project, people: dict[int, tuple[str, str]]
) -> list[OwnShare]:
    given = {number: one for number, one in query_assignments_of(project).items() if number in people}
    named = {number for one in given.values() for number in one.queries}
    rows = session.execute(select(Query.id, Query.external_id).where(Query.id.in_(named)))
    names = {row.id: row.external_id for row in rows}
    rated = rated_of(session, evidence)
    shares = []
    for number, one in given.items():
        found = queries_of(session, project, one)
        queries = [names[query] for query in one.queries if query in names]
        shares.append(OwnShare(*people[number], one, queries, len(found), rated.settled(number, found)))
    return sorted(shares, key=lambda share: share.name)
