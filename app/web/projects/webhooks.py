"""Webhooks of a project: which there are, what each is told, and what came of its messages."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response
from wtforms.fields import SelectChoice

from app.http.background import worker
from app.http.languages import later as _l
from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.project import current_project, write_project
from app.http.sessions import read_session, settings, write_session
from app.models import Webhook
from app.services.errors import ConflictError, InvalidError
from app.services.webhooks import (
    PLACEHOLDERS,
    QUESTION_FINISHED,
    REMARK,
    RUN_IMPORTED,
    SCORE_DROPPED,
    TEST,
    VERDICT_CHANGED,
    WebhookValues,
    change_webhook,
    create_webhook,
    delete_webhook,
    deliveries_of,
    get_webhook,
    renew_secret,
    secret_text,
    send_again,
    send_test,
    webhooks_of,
)
from app.web.projects import blueprint
from app.web.projects.forms import WebhookForm

MEANINGS = {
    RUN_IMPORTED: _l("Results of a ranker were imported"),
    QUESTION_FINISHED: _l("All answers to a question are rated"),
    VERDICT_CHANGED: _l("A verdict on the overview changed"),
    SCORE_DROPPED: _l("The score in production dropped"),
    REMARK: _l("Someone left a note or reported a problem"),
}
NAMES = {**MEANINGS, TEST: _l("Test")}


@blueprint.route("/p/<slug>/settings/webhooks", methods=["GET", "POST"])
@allow(Access.OWN)
def webhooks(slug: str) -> str:
    """Show the webhooks of a project, and make one; its secret is shown on this answer only."""
    form, made = _form(), None
    if form.validate_on_submit():
        try:
            with write_project() as (session, project):
                made = secret_text(create_webhook(session, project, _values(form), settings().webhook_hosts))
            form = _form(fresh=True)
            worker().start()
        except (InvalidError, ConflictError) as error:
            _say(form, error)
    return render_template(
        "projects/webhooks.html",
        form=form,
        made=made,
        rows=webhooks_of(read_session(), current_project().id),
        hosts=sorted({each.host for each in settings().webhook_hosts}),
        names=NAMES,
        placeholders=PLACEHOLDERS,
        slug=slug,
    )


@blueprint.route("/p/<slug>/settings/webhooks/<int:webhook_id>", methods=["GET", "POST"])
@allow(Access.OWN)
def webhook(slug: str, webhook_id: int) -> Response | str:
    """Show a webhook with its last messages, and change it."""
    found = get_webhook(read_session(), current_project().id, webhook_id)
    form = _form(found)
    if form.validate_on_submit():
        try:
            with write_session() as session:
                chosen = get_webhook(session, current_project().id, webhook_id)
                change_webhook(session, chosen, _values(form), settings().webhook_hosts)
            flash(_("Saved."))
            return redirect(url_for("projects.webhook", slug=slug, webhook_id=webhook_id))
        except InvalidError as error:
            _say(form, error)
            found = get_webhook(read_session(), current_project().id, webhook_id)
    return _page(slug, found, form)


@blueprint.post("/p/<slug>/settings/webhooks/<int:webhook_id>/test")
@allow(Access.OWN)
def test_webhook(slug: str, webhook_id: int) -> Response:
    """Send a message that says that it is a test."""
    with write_session() as session:
        send_test(session, get_webhook(session, current_project().id, webhook_id))
    return _sent(slug, webhook_id)


@blueprint.post("/p/<slug>/settings/webhooks/<int:webhook_id>/secret")
@allow(Access.OWN)
def renew_webhook_secret(slug: str, webhook_id: int) -> str:
    """Give a webhook a new secret, which is shown on this answer only."""
    with write_session() as session:
        made = renew_secret(session, get_webhook(session, current_project().id, webhook_id))
    found = get_webhook(read_session(), current_project().id, webhook_id)
    return _page(slug, found, _form(found, fresh=True), made)


@blueprint.post("/p/<slug>/settings/webhooks/<int:webhook_id>/<int:delivery_id>/again")
@allow(Access.OWN)
def send_webhook_again(slug: str, webhook_id: int, delivery_id: int) -> Response:
    """Send a message once more."""
    with write_session() as session:
        send_again(session, get_webhook(session, current_project().id, webhook_id), delivery_id)
    return _sent(slug, webhook_id)


@blueprint.post("/p/<slug>/settings/webhooks/<int:webhook_id>/delete")
@allow(Access.OWN)
def remove_webhook(slug: str, webhook_id: int) -> Response:
    """Delete a webhook with its messages."""
    with write_session() as session:
        delete_webhook(session, current_project().id, webhook_id)
    flash(_("The webhook is deleted. Nothing more is sent to it."))
    return redirect(url_for("projects.webhooks", slug=slug))


def _page(slug: str, webhook: Webhook, form: WebhookForm, made: str = "") -> str:
    return render_template(
        "projects/webhook.html",
        form=form,
        webhook=webhook,
        made=made,
        deliveries=deliveries_of(read_session(), webhook),
        names=NAMES,
        placeholders=PLACEHOLDERS,
        slug=slug,
    )


def _sent(slug: str, webhook_id: int) -> Response:
    worker().send(current_project().id)
    flash(_("The message is on its way. Reload this page in a few seconds to see the answer."))
    return redirect(url_for("projects.webhook", slug=slug, webhook_id=webhook_id, _anchor="messages-h"))


def _form(webhook: Webhook | None = None, *, fresh: bool = False) -> WebhookForm:
    """Return the form; a fresh one holds nothing of what this request has sent."""
    values: dict[str, Any] = {}
    if webhook is not None:
        values = {"address": webhook.address, "template": webhook.template, "points": f"{webhook.points:g}"}
        values["paused"] = webhook.paused
        values["events"] = webhook.events.split()
    form = WebhookForm(formdata=None, data=values) if fresh else WebhookForm(data=values)
    form.events.choices = [SelectChoice(name, words) for name, words in MEANINGS.items()]
    return form


def _values(form: WebhookForm) -> WebhookValues:
    return WebhookValues(
        address=form.address.data or "",
        events=form.events.data or [],
        template=form.template.data or "",
        points=form.points.data,
        paused=form.paused.data,
    )


def _say(form: WebhookForm, error: InvalidError | ConflictError) -> None:
    form[error.code if error.code in form else "address"].errors = [translated(error.message)]
