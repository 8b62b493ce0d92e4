"""Projects over HTTP: which there are, a new one, and changes of its settings."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from sqlalchemy import select

from app.api.bodies import read_object
from app.api.conditional import answer
from app.api.contents import PROJECT
from app.api.idempotency import once
from app.api.operations import Parameter, arguments, chosen_values, operation
from app.http import Access, allow, read_session, write_session
from app.http.permissions import current_actor_id, current_identity_or_404
from app.http.project import current_project
from app.http.sessions import close_read_session, current_network, database
from app.http.tokens import current_token
from app.jobs.settings import change_settings
from app.models import Person, Project, Role
from app.scoring.choices import CONSENSUS_RULES, DISCOUNTS, GAINS, PROJECT_UNJUDGED, SCALES
from app.services.accounts.memberships import give_role
from app.services.accounts.people import projects_of
from app.services.accounts.tokens import Scope
from app.services.collection.pool import DEEPEST_POOL
from app.services.exports.listing import project_object
from app.services.projects.projects import LARGEST_OVERLAP, NewProject, create_project
from app.services.projects.settings import SettingChanges
from app.services.scoring_settings import CHOSEN

blueprint = Blueprint("api_projects", __name__, url_prefix="/api/v1/projects")

NEW = (
    Parameter(
        name="slug",
        about="Its short name in addresses: small letters, digits and hyphens.",
        longest=60,
        required=True,
        example="kettles",
    ),
    Parameter(name="name", about="The name people see.", longest=200, required=True, example="Kettles"),
    Parameter(
        name="scale", about="The grades.", choices=tuple(SCALES), required=True, example=next(iter(SCALES))
    ),
    Parameter(name="k", about="The cutoff of the measure.", kind=int, low=1, high=1000, example=10),
    Parameter(name="gain", about="What a grade is worth.", choices=tuple(GAINS), example="linear"),
    Parameter(name="discount", about="What a place is worth.", choices=tuple(DISCOUNTS), example="log2"),
    Parameter(
        name="pool_depth",
        about="How many top answers of each run are rated.",
        kind=int,
        low=1,
        high=DEEPEST_POOL,
    ),
    Parameter(name="overlap", about="Ratings per answer.", kind=int, low=1, high=LARGEST_OVERLAP, example=2),
    Parameter(name="threshold", about="The grade from which an answer is relevant.", kind=int, low=0, high=5),
)


CHANGES = (
    *(each for each in NEW if each.name not in {"slug", "scale"}),
    Parameter(
        name="scale",
        about="The grades, until the first rating. A new scale has words of its own.",
        choices=tuple(SCALES),
    ),
    Parameter(name="headline", about="What the overview says first.", longest=300, example="How good is it?"),
    Parameter(
        name="consensus",
        about="What counts if several people rated an answer.",
        choices=CONSENSUS_RULES,
        example="median",
    ),
    Parameter(
        name="unjudged",
        about="Unrated answers: keep them open, or treat them as not relevant (complete).",
        choices=PROJECT_UNJUDGED,
        example="open",
    ),
    Parameter(
        name="only_blind",
        about="Leave out ratings by people who could see rankers.",
        kind=bool,
        example=False,
    ),
)


@blueprint.get("")
@allow(Access.SIGNED_IN, *Scope)
@operation(
    "Projects",
    about="Those that this token reaches, with the role in each.",
    answer={"items": [{"slug": str, "name": str, "state": str, "role": ("owner", "annotator", "viewer")}]},
)
def get_projects() -> Response:
    """Return the projects of whoever asks."""
    arguments()
    identity, token, session = current_identity_or_404(), current_token(), read_session()
    if identity.actor_id is None:
        every = select(Project).where(Project.is_complete()).order_by(Project.name)
        found = [(each, Role.OWNER) for each in session.scalars(every)]
    else:
        found = projects_of(session, session.get_one(Person, identity.id))
    only = None if token is None else token.project_id
    items = [
        {"slug": each.slug, "name": each.name, "state": each.state, "role": role.value}
        for each, role in found
        if only in {None, each.id}
    ]
    return answer({"items": items})


@blueprint.post("")
@allow(Access.MAKE, Scope.MANAGE)
@operation("Make a project", body=NEW, answer=PROJECT, statuses=(201,))
@once
def post_project() -> Response:
    """Make a project; whoever makes it owns it."""
    arguments()
    body = read_object({each.name for each in NEW if each.required}, {each.name for each in NEW})
    chosen = chosen_values(body, NEW)
    actor_id = current_identity_or_404().actor_id
    with write_session() as session:
        project = create_project(session, NewProject(**chosen), actor_id=actor_id)
        if actor_id is not None:
            give_role(session, project.id, actor_id, Role.OWNER)
        made = project_object(session, project)
    response = jsonify(made)
    response.status_code = 201
    return response


@blueprint.patch("/<slug>")
@allow(Access.OWN, Scope.MANAGE)
@operation(
    "Change a project",
    about="What is not named stays as it is. All changes are made, or none.",
    body=CHANGES,
    answer=PROJECT,
)
@once
def patch_project(slug: str) -> Response:
    """Change settings of a project, as its settings page does."""
    del slug
    arguments()
    chosen = chosen_values(read_object(set(), {each.name for each in CHANGES}), CHANGES)
    ruler = {name: chosen.pop(name) for name in CHOSEN if name in chosen}
    project_id = current_project().id
    close_read_session()
    change_settings(
        database(),
        project_id,
        SettingChanges(ruler=ruler, **chosen),
        actor_id=current_actor_id(),
        network=current_network(),
    )
    session = read_session()
    return jsonify(project_object(session, session.get_one(Project, project_id)))
