"""The page of one's tokens: made, shown once, revoked; nobody sees or revokes another's."""

import re

import pytest
from sqlalchemy import select

from app.models import ApiToken
from app.services.accounts.tokens import PREFIX

NEW = {"name": "Weekly run", "project": "", "scopes": ["scores", "runs"], "days": "30"}


@pytest.fixture
def app(in_town):
    return in_town


@pytest.fixture
def stored(in_town):
    return in_town.extensions["touchstone"].database


def test_a_token_is_shown_once(town, client_of, stored):
    client = client_of(town.here.owner)

    made = client.post("/account/tokens", data={**NEW, "project": "here"}).text

    text = re.search(PREFIX + r"\w{46}", made).group()
    assert text not in client.get("/account/tokens").text
    assert "Weekly run" in client.get("/account/tokens").text
    with stored.read() as session:
        row = session.scalars(select(ApiToken).where(ApiToken.name == "Weekly run")).one()
        assert (row.scopes, row.project_id) == ("scores runs", town.here.project.id)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "Say what will use the token."),
        ({"scopes": []}, "Choose at least one thing that it may do."),
        ({"project": "there"}, "Not a valid choice"),
        ({"days": "99999"}, "Not a valid choice"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_made(town, client_of, stored, changed, sentence):
    page = client_of(town.here.owner).post("/account/tokens", data={**NEW, **changed}).text

    assert sentence in page
    assert PREFIX not in page
    with stored.read() as session:
        assert session.scalars(select(ApiToken.id).where(ApiToken.name == "Weekly run")).all() == []


def test_another_s_token_does_not_exist_except_for_administrators(town, client_of, stored):
    theirs, _ = town.here.tokens[town.here.viewer.id]

    by_owner = client_of(town.here.owner).post(f"/account/tokens/{theirs}/revoke")
    seen_by_owner = client_of(town.here.owner).get("/account/tokens").text
    seen_by_admin = client_of(town.admin).get("/account/tokens").text
    by_admin = client_of(town.admin).post(f"/account/tokens/{theirs}/revoke")

    assert (by_owner.status_code, by_admin.status_code) == (404, 302)
    assert town.here.viewer.name not in seen_by_owner
    assert town.here.viewer.name in seen_by_admin
    with stored.read() as session:
        assert session.get_one(ApiToken, theirs).revoked_at is not None
