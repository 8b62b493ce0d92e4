"""Webhooks over the API: made with a secret that is told once, listed with their messages, deleted."""

from dataclasses import replace

import pytest

from config import WebhookHost

PATH = "/api/v1/projects/demo/webhooks"
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
