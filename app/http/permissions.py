"""Permissions: every route declares who may use it, and an undeclared one stops the start.

Anonymous people are sent to sign in (pages) or answered 401 (API), whatever the path, so that nothing
can be learnt from the difference. Signed in without the right and unknown are the same 404.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from flask import Flask, abort, current_app, g, redirect, request, url_for
from sqlalchemy import Select, bindparam, select
from werkzeug.wrappers import Response

from app.http.identity import (
    IDENTITY,
    Identity,
    current_identity,
    identity_of_token,
    identity_parameters,
    is_current_session,
    person_of_token,
    remember_identity,
)
from app.http.proxies import here
from app.http.sessions import ask, read_session, settings
from app.http.tokens import TOKEN, bearer_text, check_limit, current_token, is_working_token, token_parameters
from app.models import ApiToken, Candidate, Membership, Person, Project, Role, UnconfirmedPassword
from app.services.accounts.memberships import owns_a_project
from app.services.accounts.tokens import Scope
from app.services.prepared import Prepared

View = TypeVar("View", bound="Callable[..., Any]")
ATTRIBUTE, SCOPES = "access", "scopes"


class Access(Enum):
    """Who may use a route. Those about a project name it by `slug`, or by `candidate_id`; admins need not."""

    PUBLIC = "everybody"
    SIGNED_IN = "anyone signed in"
    MAKE = "anyone who may make projects (PROJECT_MAKERS)"
    ADMIN = "site admins"
    MEMBER = "anyone with a role in the project"
    RATE = "owners and annotators of the project"
    READ = "owners and viewers of the project"
    ADJUDICATE = "owners of the project, and whom they have named to adjudicate"
    OWN = "owners of the project"


ROLES: dict[Access, frozenset[Role]] = {
    Access.MEMBER: frozenset(Role),
    Access.RATE: frozenset({Role.OWNER, Role.ANNOTATOR}),
    Access.READ: frozenset({Role.OWNER, Role.VIEWER}),
    Access.ADJUDICATE: frozenset({Role.OWNER}),
    Access.OWN: frozenset({Role.OWNER}),
}


# The parts of an address that name a project.
PROJECT_ARGUMENTS = frozenset({"slug", "candidate_id"})


@dataclass(frozen=True)
class ProjectAccess:
    """The project of a request and the role of who is asking; admins own every project."""

    project: Project
    role: Role
    saw_rankers: bool
    adjudicates: bool = False
    is_confirmed: bool = True

    @property
    def is_blind(self) -> bool:
        """Whether ratings count as blind: by somebody who never saw rankers, and is who they seem to be."""
        return self.role is Role.ANNOTATOR and not self.saw_rankers and self.is_confirmed

    def allows(self, access: Access) -> bool:
        """Return whether the visitor may use a route about this project."""
        named = access is Access.ADJUDICATE and self.adjudicates
        return named or self.role in ROLES.get(access, ROLES[Access.OWN])


class PermissionNotDeclaredError(RuntimeError):
    """A route does not say who may use it."""


class ScopeError(Exception):
    """A token was made for other things; the message is one sentence."""


def allow(access: Access, *scopes: Scope) -> Callable[[View], View]:
    """Declare who may use a view; put it below the route decorator.

    Parameters
    ----------
    scopes
        A token needs one of these; without any, no token opens the view.
    """

    def declare(view: View) -> View:
        setattr(view, ATTRIBUTE, access)
        setattr(view, SCOPES, frozenset(scopes))
        return view

    return declare


def access_of(app: Flask, endpoint: str) -> Access | None:
    """Return what a route declares, or None where it declares nothing."""
    declared = getattr(app.view_functions[endpoint], ATTRIBUTE, None)
    return declared if isinstance(declared, Access) else None


def scopes_of(app: Flask, endpoint: str) -> frozenset[Scope]:
    """Return the scopes of which a token needs one."""
    found: frozenset[Scope] = getattr(app.view_functions[endpoint], SCOPES, frozenset())
    return found


def check_declarations(app: Flask) -> None:
    """Stop the start if a route does not say who may use it, or asks for a role but names no project.

    :raise PermissionNotDeclaredError: Names the routes.
    """
    rules = sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule)
    silent = [rule.rule for rule in rules if access_of(app, rule.endpoint) is None]
    if silent:
        raise PermissionNotDeclaredError(f"no declared permission: {', '.join(silent)}")
    nowhere = [
        rule.rule
        for rule in rules
        if access_of(app, rule.endpoint) in ROLES and not PROJECT_ARGUMENTS & rule.arguments
    ]
    if nowhere:
        raise PermissionNotDeclaredError(f"a role in no project: {', '.join(nowhere)}")


def install(app: Flask) -> None:
    """Check every request before anything of it is read."""
    app.before_request(_check_request)


def current_identity_or_404() -> Identity:
    """Return who is asking; for views that are never public."""
    identity = current_identity()
    if identity is None:
        abort(404)
    return identity


def current_person_id() -> int:
    """Return the number of who is asking; for views that are never public."""
    return current_identity_or_404().id


def current_actor_id() -> int | None:
    """Return whose number is written beside what this request does; None for a token without a person."""
    return current_identity_or_404().actor_id


def current_access() -> ProjectAccess:
    """Return the project of this request and the role in it."""
    access: ProjectAccess | None = g.get("access")
    if access is None:
        abort(404)
    return access


def may_make_projects(identity: Identity) -> bool:
    """Return whether somebody may make projects, and with them upload files."""
    makers = settings().project_makers
    token = current_token()
    if token is not None and token.project_id is not None:
        return False
    if identity.is_admin or makers == "everybody":
        return True
    return makers == "owners" and owns_a_project(read_session(), identity.id)


def is_api() -> bool:
    """Return whether this request wants JSON: everything under /api/."""
    return request.path.startswith("/api/")


def _check_request() -> Response | None:
    if request.endpoint is None:
        # Unknown paths are nobody's: anonymous people learn nothing, not even that they are unknown.
        return None if current_identity() else _ask_to_sign_in()
    declared = access_of(current_app, request.endpoint)
    if declared is Access.PUBLIC:
        return None
    name = _project_argument()
    access = None if name is None else _find_access(name)
    # Where a project was asked for, the same answer said who is asking.
    identity = current_identity()
    if identity is None:
        return _ask_to_sign_in()
    _check_token(current_app, request.endpoint)
    if declared is Access.ADMIN and not identity.is_admin:
        abort(404)
    if declared is Access.MAKE and not may_make_projects(identity):
        abort(404)
    if declared in ROLES or (declared is Access.ADMIN and name is not None):
        if access is None or not access.allows(declared):
            abort(404)
        # Only now: the page that says no must not show a project to people without a right in it.
        g.access = access
    return None


def _check_token(app: Flask, endpoint: str) -> None:
    """Refuse what the token of this request is not for; the same for every project, known or not."""
    token = current_token()
    if token is None:
        return
    check_limit()
    wanted = scopes_of(app, endpoint)
    if token.may(wanted) and wanted:
        return
    if not wanted:
        raise ScopeError("Tokens cannot use this address. It is for people who are signed in.")
    needed = " or ".join(scope for scope in Scope if scope in wanted)
    raise ScopeError(f"This token lacks the scope {needed}. Make a token that has it.")


def _ask_to_sign_in() -> Response:
    if is_api():
        abort(401)
    wanted = here() if request.method == "GET" and here() != url_for("projects.home") else None
    return redirect(url_for("auth.sign_in", next=wanted))


def _project_argument() -> str | None:
    arguments = request.view_args or {}
    return next((name for name in ("slug", "candidate_id") if name in arguments), None)


def _find_access(name: str) -> ProjectAccess | None:
    """Return the project that the address names and the role in it; who is asking comes with it."""
    is_token = bearer_text() is not None
    values = token_parameters() if is_token else identity_parameters()
    if values is None:
        return None
    values["name"] = (request.view_args or {})[name]
    query = (TOKEN_ACCESS if is_token else ACCESS)[name]
    row = ask(query, values)
    if row is None:
        return None
    identity = identity_of_token(row) if is_token else remember_identity(row)
    start = len(IDENTITY) + (len(TOKEN) if is_token else 0)
    project_id, role, saw_rankers, adjudicates, unconfirmed, *rest = row[start:]
    if identity is None or project_id is None or not _is_reached(project_id):
        return None
    # Made here: loading it as an object of the session, or setting values singly, takes longer than asking.
    project = Project()
    vars(project).update(zip(PROJECT, rest, strict=True), id=project_id)
    if identity.is_admin or identity.actor_id is None:
        return ProjectAccess(project, Role.OWNER, saw_rankers=True, adjudicates=True)
    if not role:
        return None
    may_decide = bool(adjudicates) or Role(role) is Role.OWNER
    return ProjectAccess(
        project, Role(role), bool(saw_rankers), adjudicates=may_decide, is_confirmed=unconfirmed is None
    )


def _is_reached(project_id: int) -> bool:
    """Return whether the token of this request, if it has one, is for this project too."""
    token = current_token()
    return token is None or token.project_id in {None, project_id}


def _access_query(name: str) -> Select[*tuple[Any, ...]]:
    wanted = select(*IDENTITY, *_access_columns()).select_from(Person)
    return _joined(wanted, name).where(*is_current_session())


def _token_access_query(name: str) -> Select[*tuple[Any, ...]]:
    wanted = select(*TOKEN, *IDENTITY, *_access_columns()).select_from(ApiToken)
    return _joined(wanted.outerjoin(Person, person_of_token()), name).where(*is_working_token())


def _access_columns() -> tuple[Any, ...]:
    columns = (
        Project.id,
        Membership.role,
        Membership.saw_rankers,
        Membership.adjudicates,
        UnconfirmedPassword.person_id,
    )
    return (*columns, *(getattr(Project, name) for name in PROJECT))


def _joined(wanted: Select[*tuple[Any, ...]], name: str) -> Select[*tuple[Any, ...]]:
    if name == "slug":
        wanted = wanted.outerjoin(Project, Project.slug == bindparam("name"))
    else:
        wanted = wanted.outerjoin(Candidate, Candidate.public_id == bindparam("name")).outerjoin(
            Project, Project.id == Candidate.project_id
        )
    is_member = (Membership.project_id == Project.id) & (Membership.person_id == Person.id)
    wanted = wanted.outerjoin(Membership, is_member)
    return wanted.outerjoin(UnconfirmedPassword, UnconfirmedPassword.person_id == Person.id)


PROJECT = tuple(column.key for column in Project.__mapper__.column_attrs if column.key != "id")
ACCESS = {name: Prepared(partial(_access_query, name)) for name in PROJECT_ARGUMENTS}
TOKEN_ACCESS = {name: Prepared(partial(_token_access_query, name)) for name in PROJECT_ARGUMENTS}
