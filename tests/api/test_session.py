"""Who is signed in on this device, and how they like to rate."""

import pytest

from app.models import Person


@pytest.fixture
def ada(making):
    with making() as make:
        return make.person("Ada Example")


def test_the_session_names_its_person_and_gives_a_token_that_works(client_of, ada):
    client = client_of(ada)

    reply = client.get("/api/v1/session")

    assert reply.json["person"] == ada.public_id
    client.sends_token = False
    changed = client.patch(
        "/api/v1/session/preferences", json={"keys": False}, headers={"X-CSRFToken": reply.json["csrf"]}
    )
    assert changed.json["keys"] is False


def test_nobody_signed_in_is_told_so(client):
    assert client.get("/api/v1/session").status_code == 401


def test_preferences_are_kept_with_the_account(client_of, ada, stored):
    client = client_of(ada)

    client.patch("/api/v1/session/preferences", json={"keys": False})
    client.patch("/api/v1/session/preferences", json={"advance": False})
    client.patch("/api/v1/session/preferences", json={"tap": "never", "single": True, "marks": True})

    with stored.read() as session:
        kept = session.get_one(Person, ada.id).preferences
    assert kept == {"keys": False, "advance": False, "tap": "never", "single": True, "marks": True}


@pytest.mark.parametrize(
    "sent",
    [
        {"is_admin": True},
        {"keys": "no"},
        {"guidelines": {}},
        {"remap": "x"},
        {"remap": {"next": 1}},
        {"tap": "on"},
    ],
)
def test_nothing_else_of_a_person_is_changed_here(client_of, ada, sent):
    assert client_of(ada).patch("/api/v1/session/preferences", json=sent).status_code == 400


def test_keys_that_collide_are_refused_with_a_sentence(client_of, ada):
    client = client_of(ada)

    refused = client.patch("/api/v1/session/preferences", json={"remap": {"next": "k"}})
    taken = client.patch("/api/v1/session/preferences", json={"remap": {"next": "x"}})

    assert (refused.status_code, refused.json["code"]) == (422, "key_taken")
    assert "k cannot mean both" in refused.json["detail"]
    assert taken.json["remap"] == {"next": "x"}


def test_what_scripts_send_renews_the_cookie_once_an_hour(client_of, ada, monkeypatch):
    now = [1_800_000_000]
    monkeypatch.setattr("time.time", lambda: now[0])
    client = client_of(ada)
    client.get("/account")

    renewed = []
    for _ in range(3):
        renewed.append("Set-Cookie" in client.get("/api/v1/session").headers)
        now[0] += 1801

    assert renewed == [False, False, True]
