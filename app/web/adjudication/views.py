"""The queue, and one question of it."""

from __future__ import annotations

from uuid import uuid4

from flask import render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session
from app.services.adjudication import PASSED_BY, decided_of, question_order, question_page
from app.services.adjudication.decided import EACH
from app.services.preferences import ACTIONS, keys_of, preferences_of
from app.services.projects import find_guideline
from app.services.rulers import get_ruler
from app.web.adjudication import blueprint
from app.web.adjudication.asking import current_adjudicator, current_queue, may_see_names
from app.web.answers import shown_texts
from app.web.markdown import render_markdown
from app.web.texts import minutes_to_read

NAMED_KEYS = ("next", "previous", "clear", "undo", "note", "full", "guide", "help")


@blueprint.get("", endpoint="index")
@allow(Access.ADJUDICATE)
def index(slug: str) -> str:
    """Show how much waits, why, and what was decided."""
    queue, project = current_queue(), current_place().project
    pages = max(1, -(-len(queue.decided) // EACH))
    wanted = request.args.get("page", "1")
    page = min(max(int(wanted[:9]), 1), pages) if wanted.isascii() and wanted.isdigit() else 1
    adjudicator = current_adjudicator()
    order = question_order(queue, project, adjudicator.person_id)
    return render_template(
        "adjudication/index.html",
        queue=queue,
        first=order[0] if order else None,
        questions=len(order),
        decided=decided_of(read_session(), queue, page=page, with_names=may_see_names()),
        left_out=not adjudicator.blind and get_ruler(read_session(), project.id).only_blind,
        passed_by=PASSED_BY,
        new_id=uuid4,
        page=page,
        pages=pages,
        page_url=lambda number: url_for("adjudication.index", slug=slug, page=number),
        words=_words(),
        slug=slug,
    )


@blueprint.get("/<int:query_id>", endpoint="question")
@allow(Access.ADJUDICATE)
def question(slug: str, query_id: int) -> str:
    """Show the answers of one question that wait, blind and in an order of their own."""
    project, identity = current_place().project, current_identity_or_404()
    page = question_page(
        read_session(), project, current_queue(), identity.id, query_id, with_names=may_see_names()
    )
    preferences = preferences_of(identity.preferences)
    guideline = find_guideline(read_session(), project.id)
    return render_template(
        "adjudication/question.html",
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
