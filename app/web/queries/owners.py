"""What owners alone see and say about a question: why it was dealt, and which of its answers are gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import flash, redirect, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.models import Project, Role
from app.services.assignment import Dealt, dealt_batches
from app.services.errors import InvalidError
from app.services.quality import GoldChoice, declare_gold, gold_choices
from app.web.queries import blueprint

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@dataclass(frozen=True)
class OwnersView:
    """The batches of a question, and its answers with what this owner said about each."""

    dealt: list[Dealt]
    answers: list[GoldChoice]

    @property
    def has_gold(self) -> bool:
        """Tell whether this owner called one of them gold."""
        return any(answer.said is not None for answer in self.answers)


def owners_view(query_id: int) -> OwnersView | None:
    """Return what the owners' part of a question's page shows; None for everybody else."""
    place = current_place()
    if place.role is not Role.OWNER:
        return None
    session, me = read_session(), current_identity_or_404().id
    return OwnersView(
        dealt_batches(session, place.project.id, query_id=query_id),
        gold_choices(session, place.project.id, query_id, me),
    )


@blueprint.post("/p/<slug>/answers/<candidate_id>/gold")
@allow(Access.OWN)
def gold(slug: str, candidate_id: str) -> Response:
    """Call an answer gold, or take that back."""
    grade = request.form.get("grade", "")
    if grade and not (grade.isascii() and grade.isdigit() and len(grade) < 4):
        raise InvalidError("Choose the lowest or the highest grade, or “not gold”.")
    with write_session() as session:
        project = session.get_one(Project, current_place().project.id)
        me = current_identity_or_404().id
        said = int(grade) if grade else None
        query_id = declare_gold(session, project, candidate_id, said, actor_id=me)
    flash("Saved." if grade else "Taken back.")
    return redirect(url_for("queries.show", slug=slug, query_id=query_id, _anchor="gold-h"))
