"""Assignment and checks: what is rated next, what is rated twice, and what that shows about the ratings."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.languages import ngettext, translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_evidence, current_project, write_project
from app.http.sessions import read_session
from app.models import Project, Reason
from app.services.assignment.checks import gold_answers
from app.services.assignment.passes import passed_on, release_passed_on
from app.services.assignment.report import assigned_batches
from app.services.errors import ConflictError, InvalidError
from app.services.projects.assignment_settings import Quality, change_quality, quality_of
from app.services.quality.check_results import ENOUGH_GOLD, ENOUGH_REPEATS, check_results
from app.web.projects import blueprint
from app.web.projects.forms import QualityForm
from app.web.reasons import WHY
from app.web.responses import flash_refusals

SHARES = ("share_twice", "repeats", "gold")


@blueprint.route("/p/<slug>/settings/quality", methods=["GET", "POST"])
@allow(Access.OWN)
def quality(slug: str) -> Response | str:
    """Show how answers are assigned and checked, and change it."""
    project = current_project()
    form = _form(project)
    if form.validate_on_submit() and _change(form):
        flash(_("Saved. It applies from the next question on. No score has changed."))
        return redirect(url_for("projects.quality", slug=slug))
    evidence = current_evidence()
    return render_template(
        "projects/quality.html",
        form=form,
        slug=slug,
        assigned=assigned_batches(read_session(), project.id, limit=12),
        results=check_results(read_session(), evidence),
        gold=gold_answers(read_session(), project.id),
        passed=[(one, WHY[one.reason]) for one in passed_on(read_session(), project)],
        enough_gold=ENOUGH_GOLD,
        enough_repeats=ENOUGH_REPEATS,
    )


@blueprint.post("/p/<slug>/settings/quality/release")
@allow(Access.OWN)
def release(slug: str) -> Response:
    """Ask again what was passed on for one reason."""
    name = request.form.get("reason", "").upper()
    if name not in {reason.name for reason in WHY}:
        raise InvalidError("Choose one of the reasons.")
    with flash_refusals(ConflictError, level="warn"):
        with write_project() as (session, project):
            answers, queries = release_passed_on(session, project, Reason[name], actor_id=current_person_id())
        flash(
            _(
                "%(answers)s and %(questions)s can be assigned to them again.",
                answers=ngettext("%(num)s answer", "%(num)s answers", answers),
                questions=ngettext("%(num)s question", "%(num)s questions", queries),
            )
        )
    return redirect(url_for("projects.quality", slug=slug))


def _form(project: Project) -> QualityForm:
    chosen = quality_of(project)
    percent = {name: round(getattr(chosen, name) * 100, 4) for name in SHARES}
    return QualityForm(data={"dealing": chosen.dealing, "feedback": chosen.feedback, **percent})


def _change(form: QualityForm) -> bool:
    shares = {name: form[name].data / 100 for name in SHARES}
    try:
        with write_project() as (session, project):
            wanted = Quality(dealing=form.dealing.data, feedback=form.feedback.data, **shares)
            change_quality(session, project, wanted, actor_id=current_person_id())
    except InvalidError as error:
        form[error.code if error.code in form else "dealing"].errors = [translated(error.message)]
        return False
    return True
