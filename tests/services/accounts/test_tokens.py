"""Tokens: shown once, stored hashed, recognised without the database, revoked for good."""

from datetime import timedelta
from zlib import crc32

import pytest

from app.cli.token import SCOPES
from app.models import ApiToken, Role, now_utc
from app.services.accounts.memberships import change_role
from app.services.accounts.secrets import token_hash
from app.services.accounts.tokens import (
    LENGTH,
    LETTERS,
    MEANINGS,
    MOST,
    Scope,
    create_token,
    is_api_token,
    new_api_token,
    revoke_token,
    scopes_of,
    tokens_of,
)
from app.services.errors import ConflictError, InvalidError, NotFoundError

KEY = "only for tests, and long enough for it"


def test_a_token_is_known_by_its_prefix_and_checksum():
    text = new_api_token(KEY)

    assert text.startswith("tsk_")
    assert len(text) == LENGTH == 50
    number = 0
    for letter in text[-6:]:
        number = number * 62 + LETTERS.index(letter)
    assert number == crc32(text[:-6].encode())


def test_only_tokens_of_this_site_are_looked_up():
    text = new_api_token(KEY)

    assert is_api_token(text, KEY)
    assert not is_api_token(text, "the key of another site, as long as ours")
    for wrong in ("", "tsk_", text[:-1], text + "0", text[:10] + "é" + text[11:], "x" * LENGTH):
        assert not is_api_token(wrong, KEY)
    changed = text[:8] + ("0" if text[8] != "0" else "1") + text[9:]
    assert not is_api_token(changed, KEY)


def test_the_database_holds_a_hash_and_the_last_letters(session, make):
    ada = make.person()
    row, text = create_token(
        session, KEY, name="  weekly \n run ", scopes=["runs", "scores"], person_id=ada.id, days=30
    )

    stored = session.get_one(ApiToken, row.id)
    assert (stored.token_hash, stored.ending) == (token_hash(text), text[-4:])
    assert (stored.name, stored.scopes) == ("weekly run", "scores runs")
    assert timedelta(days=29) < stored.expires_at - now_utc() <= timedelta(days=30)
    assert [
        (listed.person, listed.slug, listed.state) for listed in tokens_of(session, person_id=ada.id)
    ] == [(ada.name, "", "works")]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"scopes": []}, "needs a scope"),
        ({"scopes": ["scores", "everything"]}, "no scope 'everything': choose from scores, runs"),
        ({"scopes": ["scores"], "days": 0}, "1 to 3660 days, not 0"),
        ({"scopes": ["scores"], "days": 9999}, "not 9999"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_remedy(session, values, sentence):
    with pytest.raises(InvalidError, match=sentence):
        create_token(session, KEY, name="x", **values)


def test_scopes_can_be_written_together():
    assert scopes_of(["runs, scores"]) == [Scope.SCORES, Scope.RUNS]


def test_a_token_reaches_only_a_project_in_which_its_person_has_a_role(session, make):
    project, ada = make.project(), make.person()

    with pytest.raises(NotFoundError):
        create_token(session, KEY, name="x", scopes=["scores"], project_id=project.id, person_id=ada.id)


def test_a_token_is_revoked_once_and_by_whose_it_is(session, make):
    ada, eve = make.person(), make.person()
    row, _ = create_token(session, KEY, name="x", scopes=["scores"], person_id=ada.id)

    with pytest.raises(NotFoundError):
        revoke_token(session, row.id, person_id=eve.id)
    revoke_token(session, row.id, person_id=ada.id)
    with pytest.raises(ConflictError):
        revoke_token(session, row.id, anybody=True)
    assert tokens_of(session, person_id=ada.id)[0].state == "revoked"


def test_whose_role_changes_loses_the_tokens_of_that_project(session, make):
    project = make.project()
    make.member(project, "owner")
    ada = make.member(project, "owner")
    here, _ = create_token(session, KEY, name="x", scopes=["scores"], project_id=project.id, person_id=ada.id)
    everywhere, _ = create_token(session, KEY, name="x", scopes=["scores"], person_id=ada.id)

    change_role(session, project.id, ada.id, Role.ANNOTATOR)

    session.expire_all()
    assert (here.revoked_at is None, everywhere.revoked_at is None) == (False, True)


@pytest.mark.thorough
def test_there_is_an_end_to_tokens(session, make):
    ada = make.person()
    for number in range(MOST):
        create_token(session, KEY, name=str(number), scopes=["scores"], person_id=ada.id)

    with pytest.raises(ConflictError, match="revoke one first"):
        create_token(session, KEY, name="x", scopes=["scores"], person_id=ada.id)


def test_the_command_offers_the_scopes_there_are():
    assert tuple(Scope) == SCOPES
    assert set(MEANINGS) == set(Scope)
