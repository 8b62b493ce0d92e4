"""The list of what waits, and one question with answers to decide."""

from __future__ import annotations

from uuid import uuid4

from flask import render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session
from app.services.adjudication import PASSED_BY, question_order, question_page
from app.services.inbox import count_open
from app.services.preferences import ACTIONS, keys_of, preferences_of
from app.services.projects import find_guideline
from app.services.rulers import get_ruler
from app.web.answers import shown_texts
from app.web.markdown import render_markdown
from app.web.review import blueprint
from app.web.review.asking import current_adjudicator, current_queue, may_see_names
from app.web.review.listing import DECIDE, Filter, review_page
from app.web.texts import minutes_to_read

STATE_WORDS = {"open": "Waiting", "resolved": "Done"}
KIND_WORDS = {
    "": "Everything",
    DECIDE: "Answers to decide",
    "flag": "Flags",
    "note": "Notes",
    "pass": "“Can’t judge”",
}
REASON_WORDS = {
    "unclear": "the question is unclear",
    "unreadable": "the answer is unreadable or missing",
    "expertise": "it needs someone who knows more",
    "language": "it is in another language",
    "harmful": "it is harmful",
    "other": "something else",
}
WHY_WORDS = {
    "disputed": "Ratings disagree",
    "passed": "Nobody could judge",
    "sent": "Sent by an owner",
}
NAMED_KEYS = ("next", "previous", "clear", "undo", "note", "full", "guide", "help")


@blueprint.get("", endpoint="index")
@allow(Access.ADJUDICATE)
def index(slug: str) -> str:
    """List what waits for a decision or a reply, or what is done."""
    queue, project, adjudicator = current_queue(), current_place().project, current_adjudicator()
    chosen, wanted = Filter.of(request.args), request.args.get("page", "1")
    owner = may_see_names()
    page = int(wanted[:9]) if wanted.isascii() and wanted.isdigit() else 1
    order = question_order(queue, project, adjudicator.person_id)
    return render_template(
        "review/index.html",
        queue=queue,
        first=order[0] if order else None,
        found=review_page(read_session(), adjudicator, queue, chosen, page, owner=owner),
        chosen=chosen,
        open_remarks=count_open(read_session(), project.id) if owner else 0,
        left_out=not adjudicator.blind and get_ruler(read_session(), project.id).only_blind,
        passed_by=PASSED_BY,
        page_url=lambda number: url_for("review.index", slug=slug, page=number, **chosen.address),
        states=STATE_WORDS,
        kinds=KIND_WORDS,
        reasons=REASON_WORDS,
        whys=WHY_WORDS,
        words=_words(),
        slug=slug,
    )


@blueprint.get("/<int:query_id>", endpoint="question")
@allow(Access.ADJUDICATE)
def question(slug: str, query_id: int) -> str:
    """Show the answers of one question that wait: blind, in random order."""
    project, identity = current_place().project, current_identity_or_404()
    page = question_page(
        read_session(), project, current_queue(), identity.id, query_id, with_names=may_see_names()
    )
    preferences = preferences_of(identity.preferences)
    guideline = find_guideline(read_session(), project.id)
    return render_template(
        "review/question.html",
        page=page,
        words=list(_words().items()),
        meanings=[
            (grade, entry["word"], entry.get("meaning", ""))
            for grade, entry in zip(project.grades, project.grade_words, strict=False)
        ],
        guidelines=render_markdown(guideline.markdown) if guideline else None,
        preferences=preferences,
        keys=keys_of(preferences),
        actions={name: ACTIONS[name] for name in NAMED_KEYS},
        new_id=uuid4,
        shown=shown_texts(page.cases, project, page.query, marks=preferences["marks"]),
        content_language=project.options.get("language", ""),
        minutes_to_read=minutes_to_read,
        slug=slug,
    )


def _words() -> dict[int, str]:
    project = current_place().project
    return {grade: entry["word"] for grade, entry in zip(project.grades, project.grade_words, strict=False)}
