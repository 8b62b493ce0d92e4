"""Who takes part in a project: roles and invitations."""

from __future__ import annotations

from functools import partial

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.background import worker
from app.http.permissions import Access, allow, current_access, current_identity_or_404, current_person_id
from app.http.project import current_project
from app.http.proxies import public_link
from app.http.sessions import read_session, settings, write_session
from app.models import Person, PersonKind, Role
from app.services.accounts.confirming import unconfirmed_among
from app.services.accounts.invitations import invite, open_invitations, revoke_invitation
from app.services.accounts.memberships import change_role as change_role_of
from app.services.accounts.memberships import members_of
from app.services.errors import InvalidError, NotFoundError
from app.services.judging.adjudication import name_adjudicator
from app.services.mail import invitations_sent, invite_by_mail, may_invite_by_mail
from app.web.projects import blueprint
from app.web.projects.forms import InviteForm, address_in


@blueprint.route("/p/<slug>/people", methods=["GET", "POST"])
@allow(Access.OWN)
def people(slug: str) -> str:
    """Show everybody who takes part, and make invitation links: one for each person."""
    access = current_access()
    form = InviteForm()
    links: list[tuple[str, str]] = []
    mailed = addresses = 0
    if form.validate_on_submit():
        invited = form.invited or [""]
        addresses = sum(address_in(whom) is not None for whom in invited)
        with write_session() as session:
            if settings().mail and may_invite_by_mail(session, current_person_id(), addresses):
                mailed = addresses
            tokens = [
                (whom, _invite(session, access.project.id, form.role.data, whom, by_mail=mailed > 0))
                for whom in invited
            ]
        if mailed:
            worker().mail()
        # Shown once, on this answer only: the database holds hashes.
        links = [(whom, public_link("auth.invitation", token=token)) for whom, token in tokens]
        form.whom.data = ""
    members = members_of(read_session(), access.project.id)
    return render_template(
        "projects/people.html",
        form=form,
        links=links,
        mailed=mailed,
        mails=settings().mail is not None,
        is_over_limit=settings().mail is not None and addresses > mailed,
        sent=invitations_sent(read_session(), access.project.id),
        slug=slug,
        unconfirmed=unconfirmed_among(read_session(), [person.id for person, _membership in members]),
        sees_as_admin=current_identity_or_404().is_admin
        and current_person_id() not in {person.id for person, _membership in members},
        accounts=[row for row in members if row[0].kind == PersonKind.PERSON],
        sources=[row for row in members if row[0].kind != PersonKind.PERSON],
        invitations=open_invitations(read_session(), access.project.id),
    )


@blueprint.post("/p/<slug>/people/<public_id>/role")
@allow(Access.OWN)
def change_role(slug: str, public_id: str) -> Response:
    """Give somebody another role, or none; either way they sign in again."""
    wanted = request.form.get("role", "")
    if wanted not in {*Role, "none"}:
        raise InvalidError("Choose owner, annotator, viewer or none.")
    access = current_access()
    role = None if wanted == "none" else Role(wanted)
    with write_session() as session:
        person = _member(session, access.project.id, public_id)
        changed = change_role_of(session, access.project.id, person.id, role)
    if changed:
        flash(
            _(
                "%(name)s is no longer part of this project and has been signed out everywhere.",
                name=person.name,
            )
            if role is None
            else _("The role is changed. %(name)s has been signed out everywhere.", name=person.name)
        )
    return redirect(url_for("projects.people", slug=slug))


@blueprint.post("/p/<slug>/people/<public_id>/adjudicates")
@allow(Access.OWN)
def adjudicates(slug: str, public_id: str) -> Response:
    """Name a member who adjudicates, or name them no more."""
    named = request.form.get("named") == "y"
    with write_session() as session:
        person = _member(session, current_project().id, public_id)
        name_adjudicator(session, current_project().id, person.id, named=named)
    flash(
        _("%(name)s can now decide on answers under Review.", name=person.name)
        if named
        else _("%(name)s can no longer decide on answers under Review.", name=person.name)
    )
    return redirect(url_for("projects.people", slug=slug))


@blueprint.post("/p/<slug>/invitations/<int:invitation_id>/revoke")
@allow(Access.OWN)
def revoke(slug: str, invitation_id: int) -> Response:
    """Take an invitation back."""
    with write_session() as session:
        revoke_invitation(session, current_project().id, invitation_id)
    flash(_("The invitation is revoked. Its link no longer works."))
    return redirect(url_for("projects.people", slug=slug))


def _invite(session: Session, project_id: int, role: str, whom: str, *, by_mail: bool) -> str:
    """Make an invitation and return its token; if it is for an address, it may be sent there as well."""
    address = address_in(whom)
    sends = by_mail and address is not None
    make = partial(invite_by_mail, session, settings().secret_key) if sends else partial(invite, session)
    return make(
        project_id=project_id, role=Role(role), email=address, note=whom, created_by=current_person_id()
    )


def _member(session: Session, project_id: int, public_id: str) -> Person:
    for person, _membership in members_of(session, project_id):
        if person.public_id == public_id and person.kind == PersonKind.PERSON:
            return person
    raise NotFoundError("There is no such person in this project.")
