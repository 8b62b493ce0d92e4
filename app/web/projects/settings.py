"""Settings of a project: its ruler, how much is rated, its words, and putting it away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response
from wtforms.fields import SelectChoice

from app.http.languages import ngettext, translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project, write_project
from app.http.sessions import close_read_session, current_network, database, read_session
from app.jobs.settings import change_settings
from app.models import AuditKind, Project
from app.services.accounts.audit import record
from app.services.errors import ConflictError, InvalidError
from app.services.projects.projects import find_guideline, is_scale_frozen
from app.services.projects.purging import loss_of, purge_project
from app.services.projects.settings import SettingChanges, archive_project, restore_project
from app.services.projects.words import SHOWING, change_showing, showing_of
from app.services.scoring_settings import CHOSEN, get_ruler
from app.web.grades import words_of
from app.web.projects import blueprint
from app.web.projects.copying import may_copy
from app.web.projects.forms import CopyForm, PurgeForm, SettingsForm, WordsForm, words_form

LONGEST_EXAMPLE = 600
WORDING = ("query", "queries", "document", "documents")
FIELDS = {
    "k_above_depth": "k",
    "depth": "depth",
    "overlap": "overlap",
    "off_scale": "threshold",
    "scale_frozen": "scale",
    "gold_declared": "scale",
}


@blueprint.route("/p/<slug>/settings", methods=["GET", "POST"])
@allow(Access.OWN)
def settings(slug: str) -> Response | str:
    """Show the settings, and change the ruler, the depth and the overlap; each change is an event."""
    project = current_project()
    form = _settings_form(project)
    if form.validate_on_submit() and _change(project, form):
        flash(_("Saved. All scores now use these settings."))
        return redirect(url_for("projects.settings", slug=slug))
    return _shown(slug, project, form, PurgeForm(formdata=None))


def _shown(
    slug: str, project: Project, form: SettingsForm, purge: PurgeForm, words: WordsForm | None = None
) -> str:
    """Return the page; `words` are names and words that were sent and refused."""
    return render_template(
        "projects/settings.html",
        form=form,
        words=words or _words_form(project, formdata=None),
        grades=_grade_words(project, words) if words else project.grade_words,
        purge_form=purge,
        may_copy=may_copy(),
        copy=CopyForm(formdata=None, name=_("Copy of %(name)s", name=project.name)[:200], ratings=True),
        ruler=get_ruler(read_session(), project.id),
        guideline=find_guideline(read_session(), project.id),
        frozen=is_scale_frozen(read_session(), project.id),
        loss=loss_of(read_session(), project),
        slug=slug,
    )


@blueprint.post("/p/<slug>/settings/words")
@allow(Access.OWN)
def words(slug: str) -> Response | tuple[str, int]:
    """Change names, the words of the grades with an example of each, and how answers are shown."""
    project = current_project()
    form = _words_form(project)
    if not form.validate():
        ruler = _settings_form(project, formdata=None)
        return _shown(slug, project, ruler, PurgeForm(formdata=None), form), 422
    with write_project() as (session, project):
        project.name, project.headline = form.name.data.strip(), (form.headline.data or "").strip()
        project.grade_words = _grade_words(project, form)
        project.wording = _wording(project, form)
        record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["names and words"])
        change_showing(session, project, **{name: form[name].data or "" for name in SHOWING})
    flash(_("Saved."))
    return redirect(url_for("projects.settings", slug=slug))


@blueprint.post("/p/<slug>/settings/state")
@allow(Access.OWN)
def state(slug: str) -> Response:
    """Put the project away, or bring it back."""
    turns: dict[str, tuple[Callable[..., None], str]] = {
        "archive": (
            archive_project,
            _("The project is archived. Its members can read it. Nobody can rate; shared links do not work."),
        ),
        "restore": (restore_project, _("The project is restored.")),
    }
    turn = turns.get(request.form.get("turn", ""))
    if turn is None:
        raise InvalidError("Choose to archive or to restore.")
    with write_project() as (session, project):
        turn[0](session, project, actor_id=current_person_id())
    flash(turn[1])
    return redirect(url_for("projects.settings", slug=slug))


@blueprint.post("/p/<slug>/settings/purge")
@allow(Access.ADMIN)
def purge(slug: str) -> Response | str:
    """Delete an archived project for good; without its short name say so beside the field."""
    form = PurgeForm()
    try:
        with write_project() as (session, project):
            purge_project(session, project, typed_slug=(form.typed.data or "").strip())
    except ConflictError as error:
        if error.code != "slug_differs":
            raise
        form.typed.errors = [translated(error.message)]
        project = current_project()
        return _shown(slug, project, _settings_form(project, formdata=None), form)
    flash(_("%(name)s is deleted.", name=slug))
    return redirect(url_for("projects.home"))


def _words_form(project: Project, **source: Any) -> WordsForm:
    labels = [
        ngettext("%(num)s star: word", "%(num)s stars: word", project.scale_low + number)
        for number in range(len(project.grade_words))
    ]
    values = {"name": project.name, "headline": project.headline}
    values |= showing_of(project.options) | project.wording
    values |= {f"word-{number}": one["word"] for number, one in enumerate(project.grade_words)}
    return words_form(labels)(data=values, **source)


def _settings_form(project: Project, **source: Any) -> SettingsForm:
    ruler = get_ruler(read_session(), project.id)
    values: dict[str, Any] = {name: getattr(ruler, name) for name in CHOSEN}
    scale = f"{project.scale_low}-{project.scale_high}"
    form = SettingsForm(
        data=values | {"scale": scale, "depth": project.pool_depth, "overlap": project.overlap}, **source
    )
    if is_scale_frozen(read_session(), project.id):
        del form.scale
    form.threshold.choices = [
        SelectChoice(grade, f"{grade}: {word}")
        for grade, word in words_of(project.grade_words, project.grades).items()
        if grade > project.scale_low
    ]
    return form


def _change(project: Project, form: SettingsForm) -> bool:
    changes = SettingChanges(
        ruler={name: form[name].data for name in CHOSEN},
        scale=form.scale.data if form.scale else None,
        pool_depth=form.depth.data,
        overlap=form.overlap.data,
    )
    close_read_session()
    try:
        change_settings(
            database(), project.id, changes, actor_id=current_person_id(), network=current_network()
        )
    except (InvalidError, ConflictError) as error:
        name = FIELDS.get(error.code, "k")
        form[name if name in form else "k"].errors = [translated(error.message)]
        return False
    return True


def _wording(project: Project, form: WordsForm) -> dict[str, str]:
    """Return what the project calls its things as sent; an empty word is the usual one."""
    sent = {name: form[name].data.strip() for name in WORDING if name in request.form}
    return {name: word for name, word in {**project.wording, **sent}.items() if word}


def _grade_words(project: Project, form: WordsForm) -> list[dict[str, str]]:
    """Return the words of the grades as sent, each with its meaning and its example."""
    found = []
    for number, before in enumerate(project.grade_words):
        word = form[f"word-{number}"].data.strip()
        meaning = request.form.get(f"meaning-{number}", before.get("meaning", "")).strip()[:200]
        example = request.form.get(f"example-{number}", before.get("example", "")).strip()[:LONGEST_EXAMPLE]
        found.append({"word": word, "meaning": meaning} | ({"example": example} if example else {}))
    return found
