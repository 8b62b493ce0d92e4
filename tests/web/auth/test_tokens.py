"""The page of one's tokens: made, shown once, revoked; nobody sees or revokes another's."""

import re

import pytest
from sqlalchemy import select

from app.models import ApiToken
from app.services.accounts.tokens import PREFIX
from tests.furniture.words import text_of

NEW = {"name": "Weekly run", "project": "", "scopes": ["scores", "runs"], "days": "30"}


@pytest.fixture
def app(in_two_projects):
    return in_two_projects


@pytest.fixture
def stored(in_two_projects):
    return in_two_projects.extensions["touchstone"].database


def test_a_token_is_shown_once(two_projects, client_of, stored):
    client = client_of(two_projects.here.owner)

    made = client.post("/account/tokens", data={**NEW, "project": "here"}).text

    text = re.search(PREFIX + r"\w{46}", made).group()
    assert text not in client.get("/account/tokens").text
    assert "Weekly run" in client.get("/account/tokens").text
    with stored.read() as session:
        row = session.scalars(select(ApiToken).where(ApiToken.name == "Weekly run")).one()
        assert (row.scopes, row.project_id) == ("scores runs", two_projects.here.project.id)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "Say what will use the token."),
        ({"scopes": []}, "Choose at least one thing that it may do."),
        ({"project": "there"}, "Not a valid choice"),
        ({"days": "99999"}, "Not a valid choice"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_made(two_projects, client_of, stored, changed, sentence):
    page = client_of(two_projects.here.owner).post("/account/tokens", data={**NEW, **changed}).text

    assert sentence in page
    assert PREFIX not in page
    with stored.read() as session:
        assert session.scalars(select(ApiToken.id).where(ApiToken.name == "Weekly run")).all() == []


def test_a_token_is_listed_in_the_words_of_its_form(two_projects, client_of):
    client = client_of(two_projects.here.owner)
    client.post("/account/tokens", data={**NEW, "project": "here"})

    page = client.get("/account/tokens").text
    said = text_of(page)
    assert "Read scores, ratings, questions and answers; Upload a ranker’s results" in said
    assert "works until" in said
    for address in re.findall(r'action="(/account/tokens/\d+/revoke)"', page):
        client.post(address)

    said = text_of(client.get("/account/tokens").text)
    assert "revoked" in said
    assert "works until" not in said


def test_another_s_token_does_not_exist_except_for_administrators(two_projects, client_of, stored):
    theirs, _ = two_projects.here.tokens[two_projects.here.viewer.id]

    by_owner = client_of(two_projects.here.owner).post(f"/account/tokens/{theirs}/revoke")
    seen_by_owner = client_of(two_projects.here.owner).get("/account/tokens").text
    seen_by_admin = client_of(two_projects.admin).get("/account/tokens").text
    by_admin = client_of(two_projects.admin).post(f"/account/tokens/{theirs}/revoke")

    assert (by_owner.status_code, by_admin.status_code) == (404, 302)
    assert two_projects.here.viewer.name not in seen_by_owner
    assert two_projects.here.viewer.name in seen_by_admin
    with stored.read() as session:
        assert session.get_one(ApiToken, theirs).revoked_at is not None
