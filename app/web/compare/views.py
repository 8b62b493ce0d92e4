"""The pages that compare two versions: any two, or a version and the one before it."""

from __future__ import annotations

from flask import render_template, request

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.services.comparison import Basis, basis_of
from app.services.evidence import evidence_of
from app.web.compare import blueprint
from app.web.compare.changes import changes_page
from app.web.compare.choosing import choice_of, step_of
from app.web.compare.page import compare_page


@blueprint.get("/p/<slug>/compare")
@allow(Access.READ)
def index(slug: str) -> str:
    """Compare two versions: those of the address, or the two best."""
    basis = _current()
    choice = choice_of(basis, request.args)
    if choice is None:
        return render_template("compare/empty.html", slug=slug)
    page = compare_page(read_session(), slug, basis, choice, _page(request.args.get("list", "")))
    return render_template("compare/index.html", page=page, choice=choice, slug=slug)


@blueprint.get("/p/<slug>/compare/changes")
@allow(Access.READ)
def changes(slug: str) -> str:
    """Show what changed in a version: that of the address, or the newest that has one before it."""
    basis = _current()
    step = step_of(basis.evidence, request.args)
    if step is None or step.old is None:
        run = None if step is None else basis.evidence.structure.runs[step.new]
        return render_template("compare/first.html", step=step, run=run, slug=slug)
    page = changes_page(read_session(), slug, basis, step.new, step.old)
    return render_template("compare/changes.html", page=page, step=step, slug=slug)


def _current() -> Basis:
    """Return the basis of the current runs of the project."""
    project = current_place().project
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    return basis_of(evidence_of(database(), project.id))


def _page(said: str) -> int:
    """Return a page of the list; the first for what is no number."""
    return int(said) if said.isascii() and said.isdecimal() and len(said) <= 6 else 1
