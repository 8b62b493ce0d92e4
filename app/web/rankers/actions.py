"""What owners do to rankers and versions; each is an event of the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import write_session
from app.models import Project, Ranker
from app.services.errors import InvalidError, NotFoundError, ServiceError
from app.services.runs import (
    delete_run,
    end_production,
    move_run,
    rename_ranker,
    rename_version,
    restore_run,
    set_production,
    withdraw_run,
)
from app.web.rankers import blueprint
from app.web.rankers.views import run_in_project
from app.web.targets import local_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session
    from werkzeug.wrappers import Response

    from app.models import Run


@blueprint.post("/p/<slug>/rankers/<int:ranker_id>/name")
@allow(Access.OWN)
def rename(slug: str, ranker_id: int) -> Response:
    """Call a ranker otherwise.

    Raises
    ------
    NotFoundError
        The project has no such ranker.
    """
    name = request.form.get("name", "")
    with write_session() as session:
        ranker = session.get(Ranker, ranker_id)
        if ranker is None or ranker.project_id != current_place().project.id:
            raise NotFoundError("There is no such ranker.")
        try:
            rename_ranker(session, ranker, name, actor_id=current_identity_or_404().id)
        except ServiceError as error:
            flash(error.message, "error")
        else:
            flash(f"The ranker is called {ranker.name}.")
    return redirect(url_for("rankers.index", slug=slug))


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/production")
@allow(Access.OWN)
def production(slug: str, run_id: int) -> Response:
    """Mark a version as the one in production, or take its mark away."""
    marked = request.form.get("marked") == "y"

    def mark(session: Session, run: Run, actor: int) -> str:
        name = f"{session.get_one(Ranker, run.ranker_id).name} {run.version}"
        if marked:
            set_production(session, session.get_one(Project, run.project_id), run, actor_id=actor)
            return f"{name} is marked as in production."
        end_production(session, run, actor_id=actor)
        return f"{name} is not marked as in production any more."

    return _changed(slug, run_id, mark)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/name")
@allow(Access.OWN)
def rename_one(slug: str, run_id: int) -> Response:
    """Call a version otherwise."""
    label = request.form.get("version", "")

    def name(session: Session, run: Run, actor: int) -> str:
        rename_version(session, run, label, actor_id=actor)
        return f"The version is called {run.version}."

    return _changed(slug, run_id, name, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/move")
@allow(Access.OWN)
def move(slug: str, run_id: int) -> Response:
    """Move a version to another ranker: one of the list, or a new one where nothing is chosen there."""
    chosen, new = request.form.get("ranker", ""), request.form.get("new", "")

    def to(session: Session, run: Run, actor: int) -> str:
        if chosen and new.strip():
            raise InvalidError("Choose a ranker of the list or name a new one, not both.", code="ranker")
        move_run(session, run, chosen or new, new=not chosen, actor_id=actor)
        return f"The version belongs to {session.get_one(Ranker, run.ranker_id).name} now, as {run.version}."

    return _changed(slug, run_id, to, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/withdraw")
@allow(Access.OWN)
def withdraw(slug: str, run_id: int) -> Response:
    """Take a version out of the pool and out of today's scores."""

    def out(session: Session, run: Run, actor: int) -> str:
        withdraw_run(session, run, actor_id=actor)
        return "The version is withdrawn. It can be restored at any time."

    return _changed(slug, run_id, out, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/restore")
@allow(Access.OWN)
def restore(slug: str, run_id: int) -> Response:
    """Bring a withdrawn version back."""

    def back(session: Session, run: Run, actor: int) -> str:
        restore_run(session, run, actor_id=actor)
        return "The version is back: its answers are in the pool and it is scored again."

    return _changed(slug, run_id, back)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/delete")
@allow(Access.OWN)
def delete(slug: str, run_id: int) -> Response:
    """Delete a version on which nothing rests."""

    def away(session: Session, run: Run, actor: int) -> str:
        delete_run(session, run, actor_id=actor)
        return "The version is deleted."

    return _changed(slug, run_id, away)


def _changed(
    slug: str, run_id: int, change: Callable[[Session, Run, int], str], *, here: bool = False
) -> Response:
    """Change a version, say what was done or why it was not, and go on.

    That is to where the form says, else to the list, or back to the version's own page. What is refused is
    said on the version's page, which holds the other ways.
    """
    page = url_for("rankers.version", slug=slug, run_id=run_id)
    back = local_target(request.form.get("next"), url_for("rankers.index", slug=slug))
    with write_session() as session:
        run = run_in_project(session, run_id)
        try:
            flash(change(session, run, current_identity_or_404().id))
        except ServiceError as error:
            flash(error.message, "error")
            here = True
    return redirect(page if here else back)
