"""What next: requests, the questions that come next, and the price of finishing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import ngettext, translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_context, current_evidence, current_project, write_project
from app.http.sessions import close_read_session, current_network, database, read_session
from app.jobs.assignment import assign_question
from app.jobs.settings import change_settings
from app.models.base import now_utc
from app.models.project import Project
from app.sentences import SECONDS_EACH
from app.services.assignment.batch_lifecycle import unfinished_questions
from app.services.assignment.coming import (
    BegunBatch,
    NextQuery,
    RequestSummary,
    begun_batches,
    count_reserved,
    next_queries_for,
    request_summaries,
)
from app.services.assignment.cost import Finishing, FinishPrice, finishing_of
from app.services.assignment.pool_price import left_to_rate
from app.services.assignment.query_assignments import queries_for
from app.services.assignment.requests import (
    request_answer,
    request_pair,
    request_question,
    withdraw_request,
)
from app.services.collection.files import refuse_archived
from app.services.errors import ConflictError, InvalidError
from app.services.evidence.state import Evidence
from app.services.projects.assignment_settings import quality_of
from app.services.projects.settings import SettingChanges
from app.services.scores.context import ScoringContext
from app.web.arguments import whole_number
from app.web.navigation import local_target
from app.web.next_answers import blueprint
from app.web.responses import flash_refusals

USUAL_DEPTHS = (3, 5, 10, 20, 50)


@dataclass(frozen=True)
class FinishingChoice:
    """What the address asks for: a depth and an overlap."""

    depth: int
    overlap: int


@dataclass(frozen=True)
class NextPage:
    """Everything the template needs; it asks nobody anything."""

    asked: list[RequestSummary]
    begun: list[BegunBatch]
    # How many pages the person has left for later.
    later: int
    coming: list[NextQuery]
    finishing: Finishing
    price: FinishPrice
    now: FinishPrice
    prices: list[FinishPrice]
    is_random: bool
    k: int
    # Whether unrated answers count as not relevant.
    is_finished: bool
    told: str
    # How many of the unrated answers are on other people's pages.
    reserved: int

    @property
    def is_other(self) -> bool:
        """Whether the price shown is of another choice than today's."""
        return (self.price.depth, self.price.overlap) != (self.now.depth, self.now.overlap)

    @property
    def table(self) -> str:
        """The prices as JSON: what the script reads while a slider moves."""
        found = self.finishing
        return json.dumps(
            {
                "answers": found.answers.tolist(),
                "unrated": found.unrated.tolist(),
                "ratings": found.ratings.tolist(),
                "seconds": SECONDS_EACH,
            },
            separators=(",", ":"),
        )


def asked_from(given: Mapping[str, str], project: Project) -> FinishingChoice:
    """Return what an address asks for; what is no number is as it is in force."""
    return FinishingChoice(
        depth=_number(given.get("depth"), project.pool_depth),
        overlap=_number(given.get("overlap"), project.overlap),
    )


def next_page(
    session: Session, project: Project, context: ScoringContext, person_id: int, asked: FinishingChoice
) -> NextPage:
    """Return what the page shows to a person."""
    now, evidence = now_utc(), context.evidence
    finishing = finishing_of(session, evidence, project)
    least, deepest = evidence.ruler_at().k, finishing.deepest
    depths = sorted({*(one for one in USUAL_DEPTHS if least <= one <= deepest), project.pool_depth})
    price = finishing.at(asked.depth, asked.overlap)
    in_force = finishing.at(project.pool_depth, project.overlap)
    return NextPage(
        asked=request_summaries(session, evidence, project),
        begun=begun_batches(session, project.id, person_id, now),
        later=sum(one.is_parked for one in unfinished_questions(session, project.id, person_id, now)),
        coming=next_queries_for(session, context, project, person_id, now),
        finishing=finishing,
        price=price,
        now=in_force,
        prices=[finishing.at(depth, price.overlap) for depth in depths],
        is_random=quality_of(project).dealing == "random",
        k=evidence.ruler_at().k,
        is_finished=evidence.ruler_at().unjudged == "complete",
        told=left_to_rate(in_force, project.share_twice),
        reserved=count_reserved(session, evidence, project, person_id),
    )


def _number(text: str | None, usual: int) -> int:
    number = whole_number((text or "").strip(), digits=4)
    return usual if number is None else number


@blueprint.post("/p/<slug>/next/requests", endpoint="ask")
@allow(Access.OWN)
def ask(slug: str) -> Response:
    """Ask for a question, an answer or what two versions need to be rated first, and go back."""
    evidence = current_evidence()
    with flash_refusals(ConflictError, level="warn"):
        with write_project() as (session, project):
            count = _ask(session, project, evidence)
        flash(_said(evidence, count), "good")
    return _back(slug)


@blueprint.post("/p/<slug>/next/requests/<int:request_id>/withdraw", endpoint="withdraw")
@allow(Access.OWN)
def withdraw(slug: str, request_id: int) -> Response:
    """Take a request back."""
    with flash_refusals(ConflictError, level="warn"):
        with write_project() as (session, project):
            withdraw_request(session, project, request_id, actor_id=current_person_id())
        flash(_("Request withdrawn. Ratings that are given stay."))
    return _back(slug)


def _said(evidence: Evidence, count: int) -> str:
    """Return what was asked for; of two versions, whose answers these are."""
    asked = {_requests_number(one) for one in request.form.getlist("run")}
    names = [f"{run.ranker} {run.version}" for run in evidence.structure.runs if run.id in asked]
    if len(names) != 2:
        return ngettext("%(num)s answer will be rated first.", "%(num)s answers will be rated first.", count)
    return ngettext(
        "%(num)s answer will be rated first, from the top %(k)s of %(first)s and %(second)s.",
        "%(num)s answers will be rated first, from the top %(k)s of %(first)s and %(second)s.",
        count,
        k=evidence.ruler_at().k,
        first=names[0],
        second=names[1],
    )


def _ask(session: Session, project: Project, evidence: Evidence) -> int:
    form, me = request.form, current_person_id()
    if form.get("answer"):
        return request_answer(session, project, form["answer"], evidence=evidence, actor_id=me)
    if form.get("query"):
        query_id = _requests_number(form["query"])
        return request_question(session, project, query_id, evidence=evidence, actor_id=me)
    runs = [_requests_number(one) for one in form.getlist("run")]
    if len(runs) != 2:
        raise InvalidError("Choose what to rate first: a question, an answer, or two versions.")
    return request_pair(session, project, (runs[0], runs[1]), evidence=evidence, actor_id=me)


def _requests_number(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise InvalidError("Choose what to rate first: a question, an answer, or two versions.")
    return number


def _back(slug: str) -> Response:
    return redirect(local_target(request.form.get("next"), url_for("next_answers.index", slug=slug)))


@blueprint.get("/p/<slug>/next")
@allow(Access.READ)
def index(slug: str) -> str:
    """Show what was asked for, what comes next, and what finishing costs."""
    project, context = current_project(), current_context()
    asked = asked_from(request.args, project)
    page = next_page(read_session(), project, context, current_person_id(), asked)
    return render_template(
        "next_answers/index.html", page=page, slug=slug, left_out=context.evidence.ruler_at().only_blind
    )


@blueprint.post("/p/<slug>/next/rate")
@allow(Access.OWN)
def rate(slug: str) -> Response:
    """Take the answers of one question to rate now, and go to them."""
    query = whole_number(request.form.get("query"), digits=18)
    if query is None:
        raise InvalidError("Choose a question from the list.")
    refuse_archived(current_project())
    project_id, person_id = current_project().id, current_person_id()
    theirs = queries_for(read_session(), current_project(), person_id)
    close_read_session()
    batch = assign_question(database(), project_id, person_id, query)
    if batch is None:
        if theirs is None or query in theirs:
            told = _(
                "That question has nothing left for you, or others are rating it now. "
                "Here is what comes next."
            )
        else:
            told = _(
                "Under “Who rates what” you get other questions, or you have reached your target. "
                "Here is what comes next."
            )
        flash(told, "warn")
        return redirect(url_for("next_answers.index", slug=slug))
    return redirect(url_for("judging.batch", slug=slug, batch=batch))


@blueprint.post("/p/<slug>/next/finishing")
@allow(Access.OWN)
def apply(slug: str) -> Response:
    """Save another depth and overlap."""
    project = current_project()
    refuse_archived(project)
    wanted = asked_from(request.form, project)
    changes = SettingChanges(
        pool_depth=wanted.depth if wanted.depth != project.pool_depth else None,
        overlap=wanted.overlap if wanted.overlap != project.overlap else None,
    )
    address = url_for(
        "next_answers.index", slug=slug, depth=wanted.depth, overlap=wanted.overlap, _anchor="price-h"
    )
    close_read_session()
    try:
        change_settings(
            database(), project.id, changes, actor_id=current_person_id(), network=current_network()
        )
    except (InvalidError, ConflictError) as error:
        flash(translated(error.message), "warn")
        return redirect(address)
    said = ngettext(
        "Saved: depth %(depth)s, %(num)s rating per answer.",
        "Saved: depth %(depth)s, %(num)s ratings per answer.",
        wanted.overlap,
        depth=wanted.depth,
    )
    flash(said)
    return redirect(address)
