"""The pages of webhooks: owners make, change, try and delete them; a secret is shown once."""

import dataclasses
import re

import pytest
from sqlalchemy import select

from app.models import Webhook, WebhookDelivery
from app.services.webhooks import REMARK, RUN_IMPORTED, secret_text
from config import WebhookHost

HOST = "hooks.example.org"
PAGE = "/p/help-centre/settings/webhooks"
FORM = {"address": f"https://{HOST}/1", "events": [RUN_IMPORTED, REMARK], "points": "2.5", "template": ""}


@pytest.fixture
def allowed(app, monkeypatch):
    monkeypatch.setenv("WEBHOOK_HOSTS", "")  # what is sent in a test goes nowhere
    state = app.extensions["touchstone"]
    state.settings = dataclasses.replace(state.settings, webhook_hosts=frozenset({WebhookHost(HOST)}))


@pytest.fixture
def owner(rated, client_of):
    return client_of(rated.owner)


def rows(app, model):
    with app.extensions["touchstone"].database.read() as session:
        return list(session.scalars(select(model).order_by(model.id)))


def test_without_allowed_hosts_the_page_says_so_and_makes_nothing(app, owner):
    assert "WEBHOOK_HOSTS" in owner.get(PAGE).text

    assert "does not allow" in owner.post(PAGE, data=FORM).text
    assert rows(app, Webhook) == []


@pytest.mark.usefixtures("allowed")
def test_a_secret_is_shown_once(app, owner):
    made = owner.post(PAGE, data=FORM).text

    (webhook,) = rows(app, Webhook)
    assert secret_text(webhook) in made
    for page in (PAGE, f"{PAGE}/{webhook.id}", "/p/help-centre/trail"):
        assert secret_text(webhook) not in owner.get(page).text
    assert f"webhook no. {webhook.id}, to {HOST}, for run.imported, remark.added" in owner.get(page).text
    assert (webhook.address, webhook.events, webhook.points) == (
        FORM["address"],
        "run.imported remark.added",
        2.5,
    )


@pytest.mark.usefixtures("allowed")
def test_a_new_secret_takes_the_place_of_the_old_one_and_is_shown_once(app, owner):
    owner.post(PAGE, data=FORM)
    (before,) = rows(app, Webhook)

    page = owner.post(f"{PAGE}/{before.id}/secret").text

    (after,) = rows(app, Webhook)
    assert after.secret != before.secret
    assert secret_text(after) in page
    assert FORM["address"] in page
    assert secret_text(after) not in owner.get(f"{PAGE}/{before.id}").text
    assert f"to {HOST}, secret" in owner.get("/p/help-centre/trail").text


@pytest.mark.usefixtures("allowed")
def test_what_cannot_be_right_is_said_beside_its_field(app, owner):
    for name, value, why in (
        ("address", "http://127.0.0.1/x", "does not allow"),
        ("address", "nothing", "not an address for a webhook"),
        ("events", [], "at least one"),
        ("points", "many", "Enter a number."),
        ("points", "0", "0.1 to 100"),
        ("template", '{"text": "{password}"}', "{password} is not known"),
        ("template", "{message}", "not JSON"),
    ):
        page = owner.post(PAGE, data={**FORM, name: value})
        found = re.search(rf'id="{name}-error">.*?</span>([^<]*)', page.text)
        assert found and why in found[1], name
    assert rows(app, Webhook) == []


@pytest.mark.usefixtures("allowed")
def test_a_webhook_is_changed_tried_sent_again_and_deleted(app, owner):
    owner.post(PAGE, data=FORM)
    (webhook,) = rows(app, Webhook)
    address = f"{PAGE}/{webhook.id}"

    owner.post(address, data={**FORM, "events": [REMARK], "template": '{"text": "{message}"}'})
    owner.post(f"{address}/test")
    (delivery,) = rows(app, WebhookDelivery)
    owner.post(f"{address}/{delivery.id}/again")

    (changed,) = rows(app, Webhook)
    assert (changed.events, changed.template, changed.secret) == (
        REMARK,
        '{"text": "{message}"}',
        webhook.secret,
    )
    page = owner.get(address).text
    assert "This is a test of a webhook." in page
    # The operator allows nothing now, and that is the last answer.
    assert "does not allow webhooks to hooks.example.org:443" in page

    owner.post(address, data={**FORM, "paused": "y"})
    assert "This webhook is paused" in owner.get(address).text
    assert owner.post(f"{address}/test").status_code == 409
    assert len(rows(app, WebhookDelivery)) == 1

    assert owner.post(f"{address}/delete").status_code == 302
    (gone,) = rows(app, Webhook)
    assert (gone.address, gone.secret, gone.template, rows(app, WebhookDelivery)) == ("", b"", "", [])
    assert FORM["address"] not in owner.get(PAGE).text
    assert owner.get(address).status_code == owner.post(f"{address}/test").status_code == 404


@pytest.mark.usefixtures("allowed")
def test_an_answer_is_shown_as_text(app, owner):
    owner.post(PAGE, data=FORM)
    (webhook,) = rows(app, Webhook)
    owner.post(f"{PAGE}/{webhook.id}/test")
    with app.extensions["touchstone"].database.write() as session:
        (delivery,) = session.scalars(select(WebhookDelivery))
        delivery.status, delivery.answer = 200, "<script>alert(1)</script>"

    page = owner.get(f"{PAGE}/{webhook.id}").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
