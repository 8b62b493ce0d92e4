"""A new project: blank, or from a template of settings and words."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.demo.paper_loading import load_paper_sample
from app.http.languages import translated
from app.http.permissions import Access, allow, current_identity_or_404
from app.http.sessions import write_session
from app.models import Role
from app.services.accounts.memberships import give_role
from app.services.errors import ConflictError, InvalidError
from app.services.projects.projects import GRADE_WORDS, create_project
from app.services.projects.templates import TEMPLATES, project_from_template, template_settings
from app.web.grades import words_of
from app.web.projects import blueprint
from app.web.projects.forms import NewProjectForm, words_in

# Where a refusal of the service is shown.
FIELDS = {
    "slug": "slug",
    "slug_taken": "slug",
    "k_above_depth": "depth",
    "depth": "depth",
    "off_scale": "threshold",
}


@blueprint.route("/projects/new", methods=["GET", "POST"])
@allow(Access.MAKE)
def new() -> Response | str:
    """Show the form, and create the project with its maker as owner."""
    wanted = request.args.get("template", "")
    template = wanted if wanted in TEMPLATES else None
    form = NewProjectForm(data=_defaults(template))
    if form.validate_on_submit():
        slug = form.slug.data or slug_of(form.name.data)
        told = _create(form, slug, template)
        if told is not None:
            flash(told)
            return redirect(url_for("imports.index", slug=slug))
    return render_template(
        "projects/new.html",
        form=form,
        template=template,
        usual_words=_usual_words(template),
        shares_twice=template is None or template_settings(template)["share_twice"] > 0,
    )


def _usual_words(template: str | None) -> dict[str, str]:
    """Return for each scale the words of its grades, lowest first, where a project is given none."""
    usual = dict(GRADE_WORDS)
    if template is not None:
        settings = template_settings(template)
        usual[settings["scale"]] = settings["grade_words"]
    return {
        scale: ", ".join(words_of(entries, range(len(entries))).values()) for scale, entries in usual.items()
    }


def slug_of(name: str) -> str:
    """Return a short name for addresses, made from the name people gave."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:80].strip("-") or "project"


def _defaults(template: str | None) -> dict[str, Any]:
    if template is None:
        return {}
    settings = template_settings(template)
    return {name: settings[name] for name in ("scale", "k", "gain", "guidelines")} | {
        "depth": settings["pool_depth"]
    }


def _grade_words(form: NewProjectForm) -> list[dict[str, str]] | None:
    words = words_in(form.words.data or "")
    return [{"word": word, "meaning": ""} for word in words] or None


def _create(form: NewProjectForm, slug: str, template: str | None) -> str | None:
    """Create the project and return what to say of it, or None with the form's errors set."""
    identity = current_identity_or_404()
    chosen = {
        "scale": form.scale.data,
        "k": form.k.data,
        "gain": form.gain.data,
        "discount": form.discount.data,
        "pool_depth": form.depth.data or form.k.data,
        "overlap": form.overlap.data,
        "threshold": form.threshold.data,
        "grade_words": _grade_words(form),
        "guidelines": (form.guidelines.data or "").replace("\r\n", "\n"),
    }
    try:
        with write_session() as session:
            new_project = project_from_template(template, slug, form.name.data, chosen)
            project = create_project(session, new_project, actor_id=identity.id)
            give_role(session, project.id, identity.id, Role.OWNER)
            if template is not None and form.sample.data:
                return translated(load_paper_sample(session, project, actor_id=identity.id))
    except (InvalidError, ConflictError) as error:
        getattr(form, FIELDS.get(error.code, "name")).errors = [translated(error.message)]
        return None
    return str(_("The project is created. Next, import its questions."))
