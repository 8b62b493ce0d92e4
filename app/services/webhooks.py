"""Webhooks: what an address is told, and the messages that wait for it.

A message is written in the transaction of what it tells of (`announce`), and sent afterwards by
`app.jobs.webhooks`: so nothing is told that was not saved, and nothing is lost when the server stops.
No message says who rated what.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.delivery import new_message_id
from app.models.project import LedgerHead, Project
from app.models.webhook import Webhook, WebhookDelivery, WebhookWatch
from app.sentences import message
from app.services.accounts.audit import record
from app.services.bulk import lock_project
from app.services.deliveries import claim_next, is_due, note_try
from app.services.errors import ConflictError, InvalidError, NotFoundError
from config import WebhookHost

RUN_IMPORTED, QUESTION_FINISHED, REMARK = "run.imported", "question.finished", "remark.added"
VERDICT_CHANGED, SCORE_DROPPED, TEST = "verdict.changed", "score.dropped", "test"
EVENTS = (RUN_IMPORTED, QUESTION_FINISHED, VERDICT_CHANGED, SCORE_DROPPED, REMARK)
# These are known only by computing.
COMPUTED = frozenset({QUESTION_FINISHED, VERDICT_CHANGED, SCORE_DROPPED})

MOST = 10
LONGEST_ADDRESS, LONGEST_TEMPLATE = 1000, 4000
SECRET_PREFIX = "whsec_"  # noqa: S105 - it marks secrets, and is none
SHOWN = 50
# Scores are looked at again after so long.
LOOKS = timedelta(minutes=5)

ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:(?P<port>\d{1,5}))?(?P<target>/[!-~]*)?"
)
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
PLACEHOLDERS = ("event", "message", "project", "link", "time", "ranker", "version", "question", "score")
USUAL_PORTS = {"http": 80, "https": 443}
LOOPBACK = {"localhost", "::1"}


@dataclass(frozen=True)
class Target:
    """Where a webhook goes, read once: what is checked is what is connected to."""

    scheme: str
    host: str
    port: int
    path: str
    is_private: bool


def target_of(address: str, hosts: Collection[WebhookHost]) -> Target:
    """Return where an address leads.

    :raise InvalidError: It cannot be read, or the operator does not allow its host.
    """
    parts = ADDRESS.fullmatch(address)
    if parts is None or "#" in address or "\\" in address or len(address) > LONGEST_ADDRESS:
        raise _refusal(
            "address",
            address,
            message("This is not an address for a webhook."),
            message(
                "Write it like https://hooks.example.org/services/1, without a user name, a password "
                "or spaces."
            ),
        )
    scheme, host = parts["scheme"], parts["host"].lower().strip("[]")
    port = int(parts["port"] or USUAL_PORTS[scheme])
    allowed = next(
        (each for each in hosts if each.host == host and (each.port or USUAL_PORTS[scheme]) == port), None
    )
    if allowed is None:
        raise _refusal(
            "address",
            address,
            message("The operator of this site does not allow webhooks to %(host)s.", host=f"{host}:{port}"),
            message("Ask them to add it to WEBHOOK_HOSTS."),
        )
    if scheme == "http" and not (allowed.is_private and (host in LOOPBACK or host.startswith("127."))):
        raise _refusal(
            "address", address, message("http is only for this machine itself."), message("Use https.")
        )
    return Target(scheme, host, port, parts["target"] or "/", allowed.is_private)


@dataclass(frozen=True, kw_only=True)
class WebhookValues:
    """What an owner chooses about a webhook."""

    address: str
    events: Collection[str]
    template: str = ""
    points: float = 2.0
    paused: bool = False


def create_webhook(
    session: Session, project: Project, values: WebhookValues, hosts: Collection[WebhookHost]
) -> Webhook:
    """Make a webhook and return it; its secret is shown now and never again.

    :raise InvalidError: A value cannot be right.
    :raise ConflictError: There are enough already.
    """
    checked = _checked(values, hosts)
    project = lock_project(session, project.id)
    if len(webhooks_of(session, project.id)) >= MOST:
        raise ConflictError(
            message("There are %(most)s webhooks already: delete one first.", most=MOST), code="webhooks"
        )
    webhook = Webhook(project_id=project.id, **checked)
    session.add(webhook)
    session.flush()
    record(
        session,
        AuditKind.WEBHOOK_MADE,
        project_id=project.id,
        webhook=webhook.id,
        host=host_of(webhook),
        events=webhook.events.split(),
    )
    return webhook


def change_webhook(
    session: Session, webhook: Webhook, values: WebhookValues, hosts: Collection[WebhookHost]
) -> None:
    """Change what a webhook is told, and where; its secret stays.

    :raise InvalidError: A value cannot be right.
    """
    checked = _checked(values, hosts)
    what = [name for name, value in checked.items() if getattr(webhook, name) != value]
    for name in what:
        setattr(webhook, name, checked[name])
    session.flush()
    _forget_facts(session, webhook.project_id)
    if what:
        _record_change(session, webhook, what)


def renew_secret(session: Session, webhook: Webhook) -> str:
    """Give a webhook a new secret and return it; what is sent from now on is signed with it alone."""
    webhook.secret = secrets.token_bytes(len(webhook.secret))
    session.flush()
    _record_change(session, webhook, ["secret"])
    return secret_text(webhook)


def _record_change(session: Session, webhook: Webhook, what: list[str]) -> None:
    record(
        session,
        AuditKind.WEBHOOK_CHANGED,
        project_id=webhook.project_id,
        webhook=webhook.id,
        host=host_of(webhook),
        what=what,
    )


def host_of(webhook: Webhook) -> str:
    """Return where a webhook leads: what of its address is no secret."""
    parts = ADDRESS.fullmatch(webhook.address)
    return parts["host"].lower() if parts else ""


def delete_webhook(session: Session, project_id: int, number: int) -> None:
    """Delete a webhook and its messages, also those that wait; a second time it changes nothing.

    :raise NotFoundError: The project has none of this number.
    """
    webhook = _find(session, project_id, number)
    if webhook.deleted_at is not None:
        return
    record(
        session,
        AuditKind.WEBHOOK_DELETED,
        project_id=webhook.project_id,
        webhook=webhook.id,
        host=host_of(webhook),
    )
    session.execute(delete(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id))
    webhook.address, webhook.secret, webhook.events, webhook.template = "", b"", "", ""
    webhook.deleted_at = now_utc()
    session.flush()
    _forget_facts(session, webhook.project_id)


def _forget_facts(session: Session, project_id: int) -> None:
    # Else the first one after months would be told of everything since.
    if not any(COMPUTED & {*each.events.split()} for each in active_webhooks(session, project_id)):
        session.execute(delete(WebhookWatch).where(WebhookWatch.project_id == project_id))


def secret_text(webhook: Webhook) -> str:
    """Return the secret as receivers are given it."""
    return SECRET_PREFIX + base64.b64encode(webhook.secret).decode("ascii")


def webhooks_of(session: Session, project_id: int) -> list[Webhook]:
    """Return the webhooks of a project, oldest first."""
    wanted = select(Webhook).where(Webhook.project_id == project_id, Webhook.deleted_at.is_(None))
    return list(session.scalars(wanted.order_by(Webhook.id)))


def active_webhooks(session: Session, project_id: int) -> list[Webhook]:
    """Return those that are told what happens now."""
    return [each for each in webhooks_of(session, project_id) if not each.paused]


def get_webhook(session: Session, project_id: int, number: int) -> Webhook:
    """Return a webhook of a project.

    :raise NotFoundError: The project has none of this number.
    """
    webhook = _find(session, project_id, number)
    if webhook.deleted_at is not None:
        raise NotFoundError("There is no such webhook.")
    return webhook


def _find(session: Session, project_id: int, number: int) -> Webhook:
    webhook = session.scalar(select(Webhook).where(Webhook.id == number, Webhook.project_id == project_id))
    if webhook is None:
        raise NotFoundError("There is no such webhook.")
    return webhook


def deliveries_of(session: Session, webhook: Webhook) -> list[WebhookDelivery]:
    """Return the newest messages for an address, newest first."""
    wanted = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook.id)
    return list(session.scalars(wanted.order_by(WebhookDelivery.id.desc()).limit(SHOWN)))


def announce(session: Session, project: Project, event: str, **data: Any) -> int:
    """Write a message for each webhook that wants to be told of this, and return for how many.

    Parameters
    ----------
    data
        `message`, a sentence; `path`, a page of this site; and names and numbers of what happened.
    """
    wanted = [each for each in active_webhooks(session, project.id) if event in each.events.split()]
    for webhook in wanted:
        _write(session, webhook, project, event, data)
    return len(wanted)


def announce_to(session: Session, webhook: Webhook, event: str, **data: Any) -> None:
    """Write a message for one webhook."""
    _write(session, webhook, session.get_one(Project, webhook.project_id), event, data)


def send_test(session: Session, webhook: Webhook) -> None:
    """Write a message that says that it is a test.

    :raise ConflictError: The webhook is paused.
    """
    _refuse_paused(webhook)
    announce_to(session, webhook, TEST, message="This is a test of a webhook.", path="")


def send_again(session: Session, webhook: Webhook, number: int) -> WebhookDelivery:
    """Let a message be sent once more now, under the same id, and return it.

    :raise NotFoundError: There is no such message for this address.
    :raise ConflictError: The webhook is paused.
    """
    _refuse_paused(webhook)
    sent = session.scalar(
        update(WebhookDelivery)
        .where(WebhookDelivery.id == number, WebhookDelivery.webhook_id == webhook.id)
        .values(state="waiting", attempts=0, next_at=now_utc())
        .returning(WebhookDelivery)
        .execution_options(populate_existing=True)
    )
    if sent is None:
        raise NotFoundError("There is no such message.")
    return sent


def _refuse_paused(webhook: Webhook) -> None:
    if webhook.paused:
        raise ConflictError(
            "This webhook is paused: switch it on first.",
            code="paused",
            field="paused",
            value="true",
            remedy="Set paused to false first.",
        )


def _write(session: Session, webhook: Webhook, project: Project, event: str, data: Mapping[str, Any]) -> None:
    named = {"project": {"slug": project.slug, "name": project.name}}
    session.add(
        WebhookDelivery(
            webhook_id=webhook.id, message_id=new_message_id(), event=event, data={**data, **named}
        )
    )
    session.flush()


@dataclass(frozen=True)
class Outgoing:
    """A message as it is about to be sent."""

    number: int
    message_id: str
    address: str
    secret: bytes
    template: str
    event: str
    created_at: datetime
    data: dict[str, Any]
    attempts: int

    def body(self, site: str) -> bytes:
        """Return what is sent; `site` is the address of this site, for links."""
        values = self._values(site)
        if self.template:
            return filled(self.template, values).encode("utf-8", "replace")
        more = {
            name: value for name, value in self.data.items() if name not in {"message", "path", "project"}
        }
        content = {
            "type": self.event,
            "timestamp": values["time"],
            "message": values["message"],
            "project": self.data["project"],
            "link": values["link"] or None,
            "data": more,
        }
        return json.dumps(content).encode()

    def _values(self, site: str) -> dict[str, str]:
        path = self.data.get("path") or f"/p/{self.data['project']['slug']}/"
        found = {name: str(self.data.get(name, "")) for name in PLACEHOLDERS}
        return found | {
            "event": self.event,
            "project": self.data["project"]["name"],
            "link": site + path if site else "",
            "time": self.created_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        }


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its placeholders replaced, each value as it stands within quotes of JSON."""
    return PLACEHOLDER.sub(
        lambda found: json.dumps(values[found[1]])[1:-1] if found[1] in values else found[0],
        template,
    )


def claim_delivery(session: Session, project_id: int) -> Outgoing | None:
    """Return the next message of a project that is due; for a while nobody else gets it."""
    mine = select(Webhook.id).where(Webhook.project_id == project_id, Webhook.paused.is_(False))
    found = claim_next(session, WebhookDelivery, WebhookDelivery.webhook_id.in_(mine))
    if found is None:
        return None
    webhook = session.get_one(Webhook, found.webhook_id)
    return Outgoing(
        found.id,
        found.message_id,
        webhook.address,
        webhook.secret,
        webhook.template,
        found.event,
        found.created_at,
        found.data,
        found.attempts,
    )


def note_answer(session: Session, sent: Outgoing, status: int, answer: str) -> None:
    """Write down what came of a try, and when the next one is; of a message that is gone nothing."""
    found = session.get(WebhookDelivery, sent.number)
    if found is None:
        return
    note_try(found, sent.attempts, status, answer, has_arrived=200 <= status < 300)
    session.flush()


def projects_with_due_deliveries(session: Session) -> list[int]:
    """Return the projects with messages that are due."""
    due = (
        select(Webhook.project_id)
        .join(WebhookDelivery, WebhookDelivery.webhook_id == Webhook.id)
        .where(is_due(WebhookDelivery), Webhook.paused.is_(False))
    )
    return list(session.scalars(due.distinct()))


def projects_to_look_at(session: Session) -> list[int]:
    """Return the projects whose scores must be looked at: something happened since, and some time passed."""
    found = session.execute(
        select(Webhook.project_id, Webhook.events)
        .join(LedgerHead, LedgerHead.project_id == Webhook.project_id)
        .outerjoin(WebhookWatch, WebhookWatch.project_id == Webhook.project_id)
        .where(
            Webhook.paused.is_(False),
            WebhookWatch.project_id.is_(None)
            | ((LedgerHead.revision > WebhookWatch.revision) & (WebhookWatch.looked_at <= now_utc() - LOOKS)),
        )
    )
    return sorted({number for number, events in found if COMPUTED & {*events.split()}})


def _checked(values: WebhookValues, hosts: Collection[WebhookHost]) -> dict[str, Any]:
    address, template = values.address.strip(), values.template.replace("\r\n", "\n").strip()
    target_of(address, hosts)
    return {
        "address": address,
        "events": " ".join(_known(values.events)),
        "template": _template(template),
        "points": _points(values.points),
        "paused": values.paused,
    }


def _known(events: Iterable[str]) -> list[str]:
    given = {*events}
    if not given or not given <= {*EVENTS}:
        raise _refusal(
            "events",
            ", ".join(sorted(given)),
            "",
            message("Choose at least one of %(events)s.", events=", ".join(EVENTS)),
        )
    return [each for each in EVENTS if each in given]


def _points(points: float) -> float:
    if not 0.1 <= points <= 100:  # also refuses what is no number
        raise _refusal("points", str(points), "", message("Choose 0.1 to 100 points."))
    return float(points)


def _template(template: str) -> str:
    if len(template) > LONGEST_TEMPLATE:
        raise _refusal(
            "template", template[:80], "", message("Use at most %(n)s characters.", n=LONGEST_TEMPLATE)
        )
    unknown = sorted({*PLACEHOLDER.findall(template)} - {*PLACEHOLDERS})
    if unknown:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise _refusal(
            "template",
            template[:80],
            message("%(name)s is not known.", name=f"{{{unknown[0]}}}"),
            message("Use %(names)s.", names=known),
        )
    if template:
        try:
            json.loads(filled(template, dict.fromkeys(PLACEHOLDERS, "x")))
        except (ValueError, RecursionError) as error:
            remedy = message('Write, for example, {"text": "{message}"}: placeholders go within quotes.')
            raise _refusal("template", template[:80], message("This is not JSON."), remedy) from error
    return template


def _refusal(field: str, value: str, fault: str, remedy: str) -> InvalidError:
    return InvalidError(
        message("%(fault)s %(remedy)s", fault=fault, remedy=remedy) if fault else remedy,
        code=field,
        field=field,
        value=visible(value),
        remedy=remedy,
    )
