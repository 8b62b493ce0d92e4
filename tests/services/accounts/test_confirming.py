"""Passwords set by somebody else's link: not blind until what the link's maker does not have proves the person."""

from datetime import timedelta

import pytest

from app.models import now_utc
from app.services.accounts.confirming import (
    confirm,
    confirm_for,
    find_unconfirmed,
    is_own_device,
    unconfirmed_among,
)
from app.services.accounts.invitations import issue_reset
from app.services.accounts.redeeming import accept_reset
from app.services.accounts.tokens import create_token
from app.services.errors import ConflictError
from tests.furniture.site import SECRET_KEY


def use_link(session, person, maker=None):
    accept_reset(session, issue_reset(session, person, created_by=maker.id if maker else None), "by link")
    return find_unconfirmed(session, person.id)


@pytest.fixture
def ada(make):
    return make.person("Ada", password_hash="before")


@pytest.fixture
def admin(make):
    return make.person("Alma", is_admin=True)


def test_a_link_leaves_a_password_that_is_not_confirmed(session, ada, admin):
    waiting = use_link(session, ada, admin)

    assert waiting.earlier_hash == "before"
    assert unconfirmed_among(session, [ada.id, admin.id]) == {ada.id}


def test_the_first_password_of_a_new_account_needs_no_confirmation(session, make):
    assert use_link(session, make.person(password_hash=None)) is None


def test_somebody_who_only_signed_in_elsewhere_has_used_the_account_too(session, make):
    assert use_link(session, make.person(password_hash=None, last_sign_in_at=now_utc())) is not None


def test_a_second_link_does_not_change_what_proves_the_person(session, ada, admin):
    first = use_link(session, ada, admin).since
    again = use_link(session, ada, admin)

    assert (again.earlier_hash, again.since) == ("before", first)


def test_a_device_from_before_the_first_link_is_the_persons(session, ada, admin):
    waiting = use_link(session, ada, admin)
    hour = timedelta(hours=1)

    assert is_own_device(session, waiting, {ada.id: waiting.since - hour})
    assert not is_own_device(session, waiting, {ada.id: waiting.since + hour})
    assert not is_own_device(session, waiting, {})


def test_a_device_that_a_maker_of_a_link_uses_proves_nothing(session, ada, admin, make):
    waiting = use_link(session, ada, admin)
    other = make.person(is_admin=True)
    use_link(session, ada, other)
    before = waiting.since - timedelta(hours=1)

    for maker in (admin, other):
        assert not is_own_device(session, waiting, {ada.id: before, maker.id: before})
    assert is_own_device(session, waiting, {ada.id: before, make.person().id: before})


def test_another_administrator_confirms(session, ada, admin, make):
    use_link(session, ada, admin)

    confirm_for(session, ada.id, make.person(is_admin=True).id)

    assert find_unconfirmed(session, ada.id) is None


def test_tokens_made_since_the_link_end_when_the_person_confirms(session, ada, admin):
    def new_token(name):
        return create_token(session, SECRET_KEY, name=name, scopes=["runs"], person_id=ada.id)[0]

    own = new_token("own")
    own.created_at = now_utc() - timedelta(hours=1)
    use_link(session, ada, admin)
    of_intruder = new_token("of whoever used the link")

    confirm(session, ada.id, "password")
    session.expire_all()

    assert (own.revoked_at is None, of_intruder.revoked_at is None) == (True, False)


def test_no_maker_of_a_link_confirms_it_not_even_through_a_second_maker(session, ada, admin, make):
    use_link(session, ada, admin)
    other = make.person(is_admin=True)
    use_link(session, ada, other)

    for maker in (admin, other):
        with pytest.raises(ConflictError, match="Another administrator"):
            confirm_for(session, ada.id, maker.id)


def test_an_administrator_confirms_neither_themselves_nor_while_unconfirmed(session, ada, make):
    alma = make.person("Alma", is_admin=True, password_hash="before")
    use_link(session, alma)
    use_link(session, ada)

    with pytest.raises(ConflictError, match="Another administrator"):
        confirm_for(session, alma.id, alma.id)
    with pytest.raises(ConflictError, match="Confirm your own"):
        confirm_for(session, ada.id, alma.id)


def test_there_must_be_something_to_confirm(session, ada):
    with pytest.raises(ConflictError, match="needs no confirmation"):
        confirm(session, ada.id, "device")
