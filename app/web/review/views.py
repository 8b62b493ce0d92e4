"""Review: remarks of annotators, and answers that need a decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from flask import flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import later as _
from app.http.languages import ngettext, translated
from app.http.permissions import Access, allow, current_access, current_identity_or_404
from app.http.sessions import close_read_session, database, read_session, write_session
from app.models.person import Role
from app.models.project import Project
from app.services.accounts.preferences import ACTIONS, keys_of, preferences_of
from app.services.assignment.passes import AskedAgain
from app.services.errors import ConflictError, InvalidError
from app.services.evidence.store import evidence_of
from app.services.judging.adjudication_queue import (
    AdjudicationQueue,
    DecidedAnswer,
    WaitingAnswer,
    decided_of,
    question_order,
    question_page,
    queue_of,
    waiting_of,
)
from app.services.judging.inbox import (
    KINDS,
    STATES,
    Remark,
    RemarkFilter,
    count_open,
    count_remarks,
    handle_remarks,
    mark_replies_seen,
    people_of,
    remarks_of,
)
from app.services.judging.rating import Annotator
from app.services.projects.projects import find_guideline
from app.services.scoring_settings import get_ruler
from app.web.answer_text import minutes_to_read, render_markdown, shown_texts
from app.web.grades import grades_of, words_of
from app.web.reasons import REASONS
from app.web.review import blueprint


def current_adjudicator() -> Annotator:
    """Return who adjudicates; blind unless they could ever see rankers here, or may be somebody else."""
    access = current_access()
    return Annotator(access.project, current_identity_or_404().id, access.is_blind)


def may_see_names() -> bool:
    """Return whether who asks may learn who rated what: owners only."""
    return current_access().role is Role.OWNER


def current_queue() -> AdjudicationQueue:
    """Return what waits in the project of this request."""
    project = current_access().project
    close_read_session()
    return queue_of(read_session(), evidence_of(database(), project.id), project)


DECIDE = "decide"
EACH = 30


@dataclass(frozen=True)
class Filter:
    """What the list shows: `kind` is empty for everything, `DECIDE`, or a kind of remark."""

    state: str
    kind: str
    person: str

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filter:
        """Return what an address or a form asks for; words it does not know are ignored."""
        state, kind = given.get("state", ""), given.get("kind", "")
        return cls(
            state=state if state in STATES else "open",
            kind=kind if kind in {*KINDS, DECIDE} else "",
            person=given.get("person", "")[:64],
        )

    @property
    def has_decisions(self) -> bool:
        """Whether answers to decide are listed: those of nobody in particular."""
        return self.kind in {"", DECIDE} and not self.person

    @property
    def remarks(self) -> RemarkFilter | None:
        """The remarks that are listed; None for none of them."""
        if self.kind == DECIDE:
            return None
        return RemarkFilter(state=self.state, kind=self.kind, person=self.person)

    @property
    def address(self) -> dict[str, Any]:
        """What an address of this list holds."""
        return {"state": self.state, "kind": self.kind or None, "person": self.person or None}


@dataclass(frozen=True)
class ReviewPage:
    """One page of the list; `remarked` counts all remarks that the filter lets through."""

    waiting: list[WaitingAnswer]
    decided: list[DecidedAnswer]
    remarks: list[Remark]
    total: int
    remarked: int
    people: list[tuple[str, str, int]]
    page: int
    pages: int


def review_page(
    session: Session,
    adjudicator: Annotator,
    queue: AdjudicationQueue,
    chosen: Filter,
    page: int,
    *,
    owner: bool,
) -> ReviewPage:
    """Return one page of the list; a page beyond the last is the last. Remarks are for owners."""
    project = adjudicator.project
    wanted = chosen.remarks if owner else None
    answers = queue.waiting if chosen.state == "open" else queue.decided
    listed = len(answers) if chosen.has_decisions else 0
    remarked = count_remarks(session, project.id, wanted) if wanted else 0
    pages = max(1, -(-(listed + remarked) // EACH))
    page = min(max(page, 1), pages)
    first = (page - 1) * EACH
    most = min(max(listed - first, 0), EACH)
    order = question_order(queue, project, adjudicator.person_id)
    return ReviewPage(
        waiting=waiting_of(session, queue, order, first=first, most=most)
        if most and chosen.state == "open"
        else [],
        decided=decided_of(session, queue, with_names=owner, first=first, most=most)
        if most and chosen.state != "open"
        else [],
        remarks=remarks_of(session, project.id, wanted, first=max(first - listed, 0), most=EACH - most)
        if wanted and most < EACH
        else [],
        total=listed + remarked,
        remarked=remarked,
        people=people_of(session, project.id, wanted) if wanted else [],
        page=page,
        pages=pages,
    )


DONE: dict[str, Callable[[int], str]] = {
    "reply": lambda n: ngettext("%(num)s remark replied to.", "%(num)s remarks replied to.", n),
    "resolve": lambda n: ngettext("%(num)s remark resolved.", "%(num)s remarks resolved.", n),
    "reopen": lambda n: ngettext("%(num)s remark open again.", "%(num)s remarks open again.", n),
    "erase": lambda n: ngettext("%(num)s remark erased.", "%(num)s remarks erased.", n),
}


# Why a "can't judge" was not asked again.
NOT_ASKED: dict[str, Callable[[int], str]] = {
    "decided": lambda n: ngettext(
        "%(num)s answer was not asked again: it is decided. Undo the decision first.",
        "%(num)s answers were not asked again: they are decided. Undo the decisions first.",
        n,
    ),
    "rated": lambda n: ngettext(
        "%(num)s answer was not asked again: others have rated it.",
        "%(num)s answers were not asked again: others have rated them.",
        n,
    ),
    "gone": lambda n: ngettext(
        "%(num)s answer was not asked again: it or its question is no longer rated.",
        "%(num)s answers were not asked again: they or their questions are no longer rated.",
        n,
    ),
    "query": lambda n: ngettext(
        "%(num)s question was not asked again: it has no answer left to rate.",
        "%(num)s questions were not asked again: they have no answers left to rate.",
        n,
    ),
    "nobody": lambda _n: str(_("People without an account here are not asked again.")),
}


def _flash_asked(asked: AskedAgain) -> None:
    """Say who is asked again about what, and what is not."""
    answers = ngettext("%(num)s answer", "%(num)s answers", asked.answers)
    whole = ngettext("%(num)s whole question", "%(num)s whole questions", asked.queries)
    if asked.answers and asked.queries:
        what = str(_("%(answers)s and %(questions)s", answers=answers, questions=whole))
    else:
        what = answers if asked.answers else whole
    if asked.people:
        flash(
            ngettext(
                "%(num)s annotator is asked again about %(what)s.",
                "%(num)s annotators are asked again about %(what)s.",
                asked.people,
                what=what,
            )
        )
    for why, count in sorted(asked.refused.items()):
        flash(NOT_ASKED[why](count), "warn")


@blueprint.post("/remarks", endpoint="act")
@allow(Access.OWN)
def act(slug: str) -> Response:
    """Do one thing about the remarks that are ticked, or about all that the filter lets through."""
    chosen = Filter.of(request.form)
    wanted = chosen.remarks if request.form.get("scope") == "all" else None
    if wanted is None:
        wanted = RemarkFilter(keys=tuple(request.form.getlist("remark")[:500]))
    turn = request.form.get("turn", "")
    try:
        with write_session() as session:
            project = session.get_one(Project, current_access().project.id)
            handled = handle_remarks(
                session,
                project,
                wanted,
                turn,
                actor_id=current_identity_or_404().id,
                reply=request.form.get("reply", ""),
            )
        if handled.asked:
            _flash_asked(handled.asked)
        else:
            flash(DONE[turn](handled.done))
    except (InvalidError, ConflictError) as error:
        flash(translated(error.message), "warn")
    return redirect(url_for("review.index", slug=slug, **chosen.address))


@blueprint.post("/replies/seen", endpoint="seen")
@allow(Access.RATE)
def seen(slug: str) -> Response:
    """Mark the replies to one's own remarks as read."""
    del slug
    with write_session() as session:
        mark_replies_seen(session, current_access().project.id, current_identity_or_404().id)
    return redirect(url_for("projects.home"))


STATE_WORDS = {"open": _("Waiting"), "resolved": _("Done")}
KIND_WORDS = {
    "": _("Everything"),
    DECIDE: _("Answers to decide"),
    "flag": _("Reported problems"),
    "note": _("Notes"),
    "pass": _("“Can’t judge”"),
}
WHY_WORDS = {
    "disputed": _("Ratings disagree"),
    "passed": _("Nobody could judge"),
    "sent": _("Sent by an owner"),
}
NAMED_KEYS = ("next", "previous", "clear", "undo", "note", "full", "guide", "help")


@blueprint.get("", endpoint="index")
@allow(Access.ADJUDICATE)
def index(slug: str) -> str:
    """List what waits for a decision or a reply, or what is done."""
    queue, project, adjudicator = current_queue(), current_access().project, current_adjudicator()
    chosen, wanted = Filter.of(request.args), request.args.get("page", "1")
    owner = may_see_names()
    page = int(wanted[:9]) if wanted.isascii() and wanted.isdigit() else 1
    order = question_order(queue, project, adjudicator.person_id)
    return render_template(
        "review/index.html",
        queue=queue,
        first=order[0] if order and project.state != "archived" else None,
        found=review_page(read_session(), adjudicator, queue, chosen, page, owner=owner),
        chosen=chosen,
        open_remarks=count_open(read_session(), project.id) if owner else 0,
        left_out=not adjudicator.blind and get_ruler(read_session(), project.id).only_blind,
        page_url=lambda number: url_for("review.index", slug=slug, page=number, **chosen.address),
        states=STATE_WORDS,
        kinds=KIND_WORDS,
        reasons=dict(REASONS),
        whys=WHY_WORDS,
        words=words_of(project.grade_words, project.grades),
        slug=slug,
    )


@blueprint.get("/<int:query_id>", endpoint="question")
@allow(Access.ADJUDICATE)
def question(slug: str, query_id: int) -> str:
    """Show the answers of one question that wait: blind, in random order."""
    project, identity = current_access().project, current_identity_or_404()
    queue = current_queue()  # before the session is asked for: it closes the one there is
    page = question_page(read_session(), project, queue, identity.id, query_id, with_names=may_see_names())
    preferences = preferences_of(identity.preferences)
    guideline = find_guideline(read_session(), project.id)
    grades = grades_of(project.grade_words, project.grades)
    return render_template(
        "review/question.html",
        page=page,
        words=[(grade, word) for grade, word, *_rest in grades],
        meanings=[(grade, word, meaning) for grade, word, meaning, _example in grades],
        reasons=dict(REASONS),
        guidelines=render_markdown(guideline.markdown) if guideline else None,
        preferences=preferences,
        keys=keys_of(preferences),
        actions={name: ACTIONS[name] for name in NAMED_KEYS},
        new_id=uuid4,
        shown=shown_texts(page.cases, project, page.query),
        content_language=project.options.get("language", ""),
        minutes_to_read=minutes_to_read,
        slug=slug,
    )
