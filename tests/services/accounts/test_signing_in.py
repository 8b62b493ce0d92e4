"""The throttle and ended sessions, on both databases: what one process counts, all others see."""

import pytest
from sqlalchemy import func, select

from app.database import Database
from app.models import EndedSession, SignInAttempt, now_utc
from app.services.accounts.sign_in import (
    PER_ACCOUNT,
    PER_ADDRESS,
    SESSION_LIFE,
    WINDOW,
    check_password,
    check_throttle,
    end_session,
    forget_tries,
    record_try,
    session_hash,
)
from app.services.errors import TooManyError

ADA, HERE = "ada@example.org", "192.0.2.1"


def tries(session):
    return session.scalar(select(func.count()).select_from(SignInAttempt))


def test_the_throttle_is_shared_by_all_processes(database):
    other_process = Database(database.url)
    for number in range(PER_ACCOUNT):
        with (database, other_process)[number % 2].write() as session:
            check_throttle(session, ADA, HERE)
            record_try(session, ADA, HERE)

    for process in (database, other_process):
        with process.read() as session, pytest.raises(TooManyError) as refused:
            check_throttle(session, ADA, "192.0.2.99")
        assert refused.value.retry_after == WINDOW.total_seconds()
    other_process.dispose()


def test_a_try_that_is_counted_already_does_not_count_against_itself(session):
    for _ in range(PER_ACCOUNT):
        record_try(session, ADA, HERE)

    check_throttle(session, ADA, HERE, counted=True)
    with pytest.raises(TooManyError):
        check_throttle(session, ADA, HERE)


@pytest.mark.parametrize("spelling", ["ADA@example.org", " ada@example.org", "ａda@example.org"])
def test_another_spelling_is_the_same_account(session, spelling):
    for _ in range(PER_ACCOUNT):
        record_try(session, spelling, HERE)

    with pytest.raises(TooManyError):
        check_throttle(session, ADA, "192.0.2.99")


def test_other_accounts_and_addresses_are_not_held_up(session):
    for _ in range(PER_ACCOUNT):
        record_try(session, ADA, HERE)

    check_throttle(session, "bo@example.org", HERE)


def test_an_address_has_more_tries_than_an_account(session):
    for number in range(PER_ADDRESS):
        record_try(session, f"{number}@example.org", HERE)

    with pytest.raises(TooManyError):
        check_throttle(session, "new@example.org", HERE)
    check_throttle(session, "new@example.org", "192.0.2.2")


def test_success_forgets_the_account_and_nothing_else(session):
    for email in (ADA, ADA, "bo@example.org"):
        record_try(session, email, HERE)

    forget_tries(session, " ADA@example.org")

    assert tries(session) == 1


def test_old_tries_are_removed(session):
    session.add(SignInAttempt(account="a", address="b", at=now_utc() - WINDOW - WINDOW))
    session.flush()

    record_try(session, ADA, HERE)

    assert tries(session) == 1


@pytest.mark.parametrize("text", ["", "\0", "x" * 10_000, "\ud800", "🙂", "'; DROP TABLE person; --"])
def test_whatever_is_typed_can_be_counted(session, text):
    record_try(session, text, text)
    check_throttle(session, text, text)
    forget_tries(session, text)

    assert tries(session) == 0


def test_nobody_and_somebody_erased_have_no_password(make):
    from app.services.accounts.sign_in import hash_password

    hashed = hash_password("correct horse battery")
    there, erased = make.person(password_hash=hashed), make.person(password_hash=hashed, erased_at=now_utc())

    assert check_password(there, "correct horse battery")
    assert not check_password(erased, "correct horse battery")
    assert not check_password(None, "correct horse battery")


def test_an_ended_session_is_remembered_for_as_long_as_its_cookie(session):
    session.add(EndedSession(key_hash="old", at=now_utc() - SESSION_LIFE - WINDOW))
    session.flush()

    end_session(session, "key")
    end_session(session, "key")
    end_session(session, "another")

    ended = set(session.scalars(select(EndedSession.key_hash)))
    assert ended == {session_hash("key"), session_hash("another")}
    assert "key" not in ended
