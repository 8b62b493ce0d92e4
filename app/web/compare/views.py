"""The page that compares two versions."""

from __future__ import annotations

from flask import render_template, request

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.services.comparison import basis_of
from app.services.evidence import evidence_of
from app.web.compare import blueprint
from app.web.compare.choosing import choice_of
from app.web.compare.page import compare_page


@blueprint.get("/p/<slug>/compare")
@allow(Access.READ)
def index(slug: str) -> str:
    """Compare two versions: those of the address, or the two best."""
    project = current_place().project
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    basis = basis_of(evidence_of(database(), project.id))
    choice = choice_of(basis, request.args)
    if choice is None:
        return render_template("compare/empty.html", slug=slug)
    page = compare_page(read_session(), slug, basis, choice, _page(request.args.get("list", "")))
    return render_template("compare/index.html", page=page, choice=choice, slug=slug)


def _page(said: str) -> int:
    """Return a page of the list; the first for what is no number."""
    return int(said) if said.isascii() and said.isdecimal() and len(said) <= 6 else 1
