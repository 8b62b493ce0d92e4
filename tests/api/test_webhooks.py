"""Webhooks over the API: made with a secret that is told once, listed with their messages, deleted."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from app.models import Webhook, WebhookDelivery
from app.services.webhooks import claim_delivery
from config import WebhookHost

ROOT = "/api/v1/projects/demo"
PATH = f"{ROOT}/webhooks"
NEW = {"address": "https://hooks.example.org/1", "events": ["run.imported"], "points": 3}


@pytest.fixture(autouse=True)
def allowed(app, demo):
    state = app.extensions["touchstone"]
    state.settings = replace(state.settings, webhook_hosts=frozenset({WebhookHost("hooks.example.org")}))


def test_a_webhook_is_made_listed_and_deleted(program):
    made = program.post(PATH, json=NEW)

    assert made.status_code == 201
    secret, number = made.json["secret"], made.json["webhook_id"]
    assert secret.startswith("whsec_")
    listed = program.get(PATH)
    assert [item["points"] for item in listed.json["items"]] == [3.0]
    assert secret not in listed.text
    program.post("/api/v1/projects/demo/runs?ranker=Early", data=b"q1 Q0 d1 1 1 early\n")
    (sent,) = program.get(f"{PATH}/{number}/deliveries").json["items"]
    assert (sent["event"], sent["state"]) == ("run.imported", "waiting")

    assert (
        program.delete(f"{PATH}/{number}").json
        == program.delete(f"{PATH}/{number}").json
        == {"deleted": True}
    )
    assert program.get(PATH).json == {"items": []}
    assert program.get(f"{PATH}/{number}/deliveries").status_code == 404


@pytest.mark.parametrize(
    ("wrong", "status", "field"),
    [
        ({"address": "https://elsewhere.example/"}, 422, "address"),
        ({"events": "run.imported"}, 400, "events"),
        ({"events": ["run.imported", 1]}, 400, "events"),
        ({"events": []}, 422, "events"),
        ({"points": True}, 400, "points"),
        ({"template": "{password}"}, 422, "template"),
    ],
)
def test_what_cannot_be_right_names_its_field(program, wrong, status, field):
    refused = program.post(PATH, json=NEW | wrong)

    assert (refused.status_code, refused.json["field"]) == (status, field)
    assert program.get(PATH).json == {"items": []}


def test_a_webhook_is_changed_paused_and_its_message_sent_again(program, stored):
    number = program.post(PATH, json=NEW | {"template": '{"text": "{message}"}'}).json["webhook_id"]
    push = f"{ROOT}/runs?ranker=Early"
    program.post(push, data=b"q1 Q0 d1 1 1 early\n")
    (sent,) = program.get(f"{PATH}/{number}/deliveries").json["items"]
    with stored.write() as session:
        session.execute(update(WebhookDelivery).values(state="failed", attempts=7))

    again = program.post(f"{PATH}/{number}/deliveries/{sent['delivery_id']}/again")
    missing = program.post(f"{PATH}/{number}/deliveries/999/again")
    changed = program.patch(
        f"{PATH}/{number}", json={"events": ["remark.added"], "template": "", "paused": True}
    )
    refused = program.post(f"{PATH}/{number}/deliveries/{sent['delivery_id']}/again")
    program.patch(f"{PATH}/{number}", json={"events": ["run.imported"]})
    program.post(push, data=b"q1 Q0 d2 1 1 early\n")

    assert (again.status_code, again.json["state"], again.json["attempts"]) == (200, "waiting", 0)
    assert again.json["message_id"] == sent["message_id"]
    assert changed.json | {"created_at": ""} == NEW | {
        "webhook_id": number,
        "events": ["remark.added"],
        "template": "",
        "paused": True,
        "created_at": "",
    }
    assert missing.status_code == 404
    assert (refused.status_code, refused.json["code"]) == (409, "paused")
    with stored.read() as session:
        assert claim_delivery(session, session.get_one(Webhook, number).project_id) is None
    assert len(program.get(f"{PATH}/{number}/deliveries").json["items"]) == 1
    assert program.patch(f"{PATH}/{number}", json={"address": "http://10.0.0.1/"}).json["field"] == "address"
