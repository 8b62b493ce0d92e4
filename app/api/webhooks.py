"""Webhooks over HTTP: those of a project, new ones, and what came of their messages."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, jsonify

from app.api.bodies import read_object
from app.api.conditional import answer
from app.api.idempotency import once
from app.api.operations import Parameter, arguments, chosen_values, operation
from app.http import Access, allow, read_session
from app.http.background import worker
from app.http.project import current_project, write_project
from app.http.sessions import settings
from app.models import Webhook, WebhookDelivery
from app.services.accounts.tokens import Scope
from app.services.webhooks import (
    EVENTS,
    LONGEST_ADDRESS,
    LONGEST_TEMPLATE,
    WebhookValues,
    change_webhook,
    create_webhook,
    delete_webhook,
    deliveries_of,
    get_webhook,
    secret_text,
    send_again,
    webhooks_of,
)

blueprint = Blueprint("api_webhooks", __name__, url_prefix="/api/v1/projects/<slug>/webhooks")

NEW = (
    Parameter(
        name="address",
        about="Where messages are sent; the operator must allow the host.",
        longest=LONGEST_ADDRESS,
        required=True,
        example="https://hooks.example.org/services/123",
    ),
    Parameter(
        name="events",
        about="What it is told.",
        choices=EVENTS,
        several=True,
        required=True,
        example=[EVENTS[0]],
    ),
    Parameter(
        name="template",
        about="JSON to send instead of the usual, on one line; {message} and {link} are replaced.",
        longest=LONGEST_TEMPLATE,
        shortest=0,
        example='{"text": "{message} {link}"}',
    ),
    Parameter(
        name="points", about="The drop of a score that is told, out of 100.", kind=float, low=0.1, high=100
    ),
)
PAUSED = Parameter(name="paused", about="Nothing is sent while it is paused.", kind=bool, example=False)
CHANGES = (*(replace(each, required=False, example=None) for each in NEW), PAUSED)
WEBHOOK = {
    "webhook_id": int,
    "address": str,
    "events": [str],
    "template": str,
    "points": float,
    "paused": bool,
    "created_at": str,
}
DELIVERY = {
    "delivery_id": int,
    "message_id": str,
    "event": str,
    "message": str,
    "created_at": str,
    "state": ("waiting", "delivered", "failed"),
    "attempts": int,
    "tried_at": (str, None),
    "status": int,
    "answer": str,
}


@blueprint.get("")
@allow(Access.OWN, Scope.MANAGE)
@operation("Webhooks", answer={"items": [WEBHOOK]})
def get_webhooks(slug: str) -> Response:
    """Return the webhooks of a project."""
    del slug
    arguments()
    return answer({"items": [_webhook(each) for each in webhooks_of(read_session(), current_project().id)]})


@blueprint.post("")
@allow(Access.OWN, Scope.MANAGE)
@operation(
    "Make a webhook",
    about="The answer holds its secret, which signs messages and is never shown again.",
    body=NEW,
    answer=WEBHOOK | {"secret": str},
    statuses=(201,),
)
@once
def post_webhook(slug: str) -> Response:
    """Make a webhook."""
    del slug
    arguments()
    names = {each.name for each in NEW}
    values = chosen_values(read_object({each.name for each in NEW if each.required}, names), NEW)
    with write_project() as (session, project):
        made = create_webhook(session, project, WebhookValues(**values), settings().webhook_hosts)
    worker().start()
    response = jsonify(_webhook(made) | {"secret": secret_text(made)})
    response.status_code = 201
    return response


@blueprint.patch("/<int:webhook_id>")
@allow(Access.OWN, Scope.MANAGE)
@operation(
    "Change a webhook",
    about="What is not named stays as it is; its secret stays.",
    body=CHANGES,
    answer=WEBHOOK,
)
@once
def patch_webhook(slug: str, webhook_id: int) -> Response:
    """Change what a webhook is told, where, or whether it is paused."""
    del slug
    arguments()
    chosen = chosen_values(read_object(set(), {each.name for each in CHANGES}), CHANGES)
    with write_project() as (session, project):
        webhook = get_webhook(session, project.id, webhook_id)
        now = {each.name: getattr(webhook, each.name) for each in CHANGES}
        values = now | {"events": webhook.events.split()} | chosen
        change_webhook(session, webhook, WebhookValues(**values), settings().webhook_hosts)
    worker().send(current_project().id)
    return jsonify(_webhook(webhook))


@blueprint.delete("/<int:webhook_id>")
@allow(Access.OWN, Scope.MANAGE)
@operation("Delete a webhook", about="Its messages go with it.", answer={"deleted": bool})
def delete_one_webhook(slug: str, webhook_id: int) -> Response:
    """Delete a webhook; a second time it changes nothing."""
    del slug
    arguments()
    with write_project() as (session, project):
        delete_webhook(session, project.id, webhook_id)
    return jsonify({"deleted": True})


@blueprint.get("/<int:webhook_id>/deliveries")
@allow(Access.OWN, Scope.MANAGE)
@operation("Messages of a webhook", about="The newest 50, newest first.", answer={"items": [DELIVERY]})
def get_deliveries(slug: str, webhook_id: int) -> Response:
    """Return the last messages of a webhook, and what came of them."""
    del slug
    arguments()
    webhook = get_webhook(read_session(), current_project().id, webhook_id)
    sent = deliveries_of(read_session(), webhook)
    return answer({"items": [_delivery(each) for each in sent]})


@blueprint.post("/<int:webhook_id>/deliveries/<int:delivery_id>/again")
@allow(Access.OWN, Scope.MANAGE)
@operation(
    "Send a message again", about="Now, and under the same id; its tries begin again.", answer=DELIVERY
)
@once
def post_again(slug: str, webhook_id: int, delivery_id: int) -> Response:
    """Send a message once more."""
    del slug
    arguments()
    with write_project() as (session, project):
        sent = send_again(session, get_webhook(session, project.id, webhook_id), delivery_id)
    worker().send(current_project().id)
    return jsonify(_delivery(sent))


def _delivery(sent: WebhookDelivery) -> dict[str, Any]:
    return _object(sent, DELIVERY, delivery_id=sent.id, message=sent.data["message"])


def _webhook(webhook: Webhook) -> dict[str, Any]:
    return _object(webhook, WEBHOOK, webhook_id=webhook.id, events=webhook.events.split())


def _object(row: Webhook | WebhookDelivery, shape: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return what a row holds, in the shape of an answer."""
    found = {name: other[name] if name in other else getattr(row, name) for name in shape}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in found.items()
    }
