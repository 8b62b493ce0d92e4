"""The tokens of one's programs: what they may do, when they were last used; make and revoke them here."""

from __future__ import annotations

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.permissions import Access, allow, current_identity_or_404
from app.http.sessions import read_session, settings, write_session
from app.models.person import Person
from app.services.accounts.people import projects_of
from app.services.accounts.tokens import create_token, revoke_token, tokens_of
from app.web.auth import blueprint
from app.web.auth.forms import TokenForm
from app.web.token_rights import MEANINGS, rights_in_words


@blueprint.route("/account/tokens", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
def tokens() -> str:
    """Show one's tokens, and make one; administrators see everybody's."""
    identity = current_identity_or_404()
    projects = projects_of(read_session(), read_session().get_one(Person, identity.id))
    form = TokenForm()
    form.project.choices = [("", _("All my projects")), *((each.slug, each.name) for each, _role in projects)]
    form.scopes.choices = [(scope.value, meaning) for scope, meaning in MEANINGS.items()]
    made = None
    if form.validate_on_submit():
        numbers = {each.slug: each.id for each, _role in projects}
        with write_session() as session:
            _row, made = create_token(
                session,
                settings().secret_key,
                name=form.name.data,
                scopes=form.scopes.data,
                project_id=numbers.get(form.project.data),
                person_id=identity.id,
                days=int(form.days.data) or None,
            )
    found = tokens_of(read_session(), person_id=identity.id, everybody=identity.is_admin)
    # The token is shown once, on this answer only: the database holds a hash.
    return render_template("auth/tokens.html", form=form, made=made, rows=found, rights=rights_in_words)


@blueprint.post("/account/tokens/<int:token_id>/revoke")
@allow(Access.SIGNED_IN)
def revoke_one_token(token_id: int) -> Response:
    """Revoke a token: from now on it is unknown."""
    identity = current_identity_or_404()
    with write_session() as session:
        revoke_token(session, token_id, person_id=identity.id, anybody=identity.is_admin)
    flash(_("The token is revoked. It no longer works."))
    return redirect(url_for("auth.tokens"))
