"""The throttle and ended sessions, on both databases: what one process counts, all others see."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from app.database import Database
from app.models import EndedSession, SignInFailure, now_utc
from app.services.accounts import sign_in as signing_in
from app.services.accounts.sessions import end_session
from app.services.accounts.sign_in import (
    PER_ACCOUNT,
    PER_SOURCE,
    SESSION_LIFE,
    WINDOW,
    SignInSource,
    check_password,
    check_throttle,
    forget_failures,
    network_of,
    record_failure,
    session_hash,
)
from app.services.errors import TooManyError

ADA, HERE, ELSEWHERE = "ada@example.org", SignInSource("192.0.2.1"), SignInSource("192.0.2.99")
LAPTOP = SignInSource("device of ada", is_device=True)


class Clock:
    """The time as the throttle sees it."""

    def __init__(self):
        self.now = now_utc()

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(signing_in, "now_utc", clock)
    return clock


def failures(session):
    return session.scalar(select(func.count()).select_from(SignInFailure))


def fail(session, times, email=ADA, source=HERE):
    for _ in range(times):
        record_failure(session, email, source)


def wait_of(session, email=ADA, source=HERE):
    """Return how many seconds a try would have to wait; 0 where it is heard."""
    try:
        check_throttle(session, email, source)
    except TooManyError as refused:
        return refused.retry_after
    return 0


def guesses(session, clock, sources, hours):
    """Return how many wrong passwords are heard of somebody who never stops trying."""
    heard, end = 0, clock.now + timedelta(hours=hours)
    while clock.now < end:
        waits = []
        for source in sources:
            waits.append(wait_of(session, source=source))
            if not waits[-1]:
                record_failure(session, ADA, source)
                heard += 1
        clock.pass_by(min(waits))
    return heard


def test_the_throttle_is_shared_by_all_processes(database):
    other_process = Database(database.url)
    for number in range(PER_SOURCE.free):
        with (database, other_process)[number % 2].write() as session:
            check_throttle(session, ADA, HERE)
            record_failure(session, ADA, HERE)

    for process in (database, other_process):
        with process.read() as session:
            assert 58 <= wait_of(session) <= 60
    other_process.dispose()


def test_each_failure_doubles_the_wait_up_to_a_quarter_of_an_hour(session, clock):
    fail(session, PER_SOURCE.free)
    waits = []
    for _ in range(7):
        waits.append(wait_of(session))
        clock.pass_by(waits[-1])
        assert wait_of(session) == 0, "after the wait a try is heard: nothing is ever locked"
        fail(session, 1)

    assert waits == [60, 120, 240, 480, 900, 900, 900]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_guesses_from_one_network_are_about_a_hundred_a_day(session, clock):
    assert guesses(session, clock, [HERE], hours=24) <= 110


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_guesses_from_many_networks_are_one_a_minute(session, clock):
    networks = [SignInSource(f"192.0.2.{number}") for number in range(PER_ACCOUNT.free // 5 + 2)]
    for network in networks:
        fail(session, 5, source=network)
    clock.pass_by(PER_ACCOUNT.longest)

    assert guesses(session, clock, networks, hours=1 / 6) <= 11


def test_wrong_passwords_typed_elsewhere_keep_nobody_out(session):
    fail(session, PER_SOURCE.free)

    assert wait_of(session, source=HERE)
    assert wait_of(session, source=ELSEWHERE) == 0
    assert wait_of(session, source=LAPTOP) == 0


@pytest.mark.thorough
def test_under_attack_from_many_networks_a_new_device_waits_seconds_and_a_known_one_does_not_wait(
    session, clock
):
    for number in range(60):
        fail(session, 4, source=SignInSource(f"192.0.2.{number}"))

    assert wait_of(session, source=SignInSource("198.51.100.7")) == 5
    assert wait_of(session, source=SignInSource("192.0.2.1")) == 60
    assert wait_of(session, source=LAPTOP) == 0
    clock.pass_by(5)
    assert wait_of(session, source=SignInSource("198.51.100.7")) == 0


def test_a_device_that_is_known_is_slowed_by_its_own_failures(session):
    fail(session, PER_SOURCE.free, source=LAPTOP)

    assert wait_of(session, source=LAPTOP) > 50


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_a_network_that_tries_many_accounts_keeps_nobody_else_out(session):
    for number in range(500):
        fail(session, 1, f"{number}@example.org")

    assert wait_of(session, "new@example.org") == 0


@pytest.mark.parametrize("spelling", ["ADA@example.org", " ada@example.org", "ａda@example.org"])
def test_another_spelling_is_the_same_account(session, spelling):
    fail(session, PER_SOURCE.free, spelling)

    assert wait_of(session, ADA)


def test_other_accounts_of_the_same_network_are_not_slowed(session):
    fail(session, PER_SOURCE.free)

    assert wait_of(session, "bo@example.org") == 0


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("2001:db8:1:ffff:5:6:7:8", "2001:db8:1::/48"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("64:ff9b::192.0.2.1", "192.0.2.1"),
        ("nonsense", "nonsense"),
        ("", ""),
    ],
)
def test_one_subscriber_of_ipv6_is_one_network(address, network):
    assert network_of(address) == SignInSource(network)


def test_success_forgets_the_account_here_and_not_what_was_tried_elsewhere(session):
    for email, source in ((ADA, HERE), (ADA, HERE), (ADA, ELSEWHERE), ("bo@example.org", HERE)):
        fail(session, 1, email, source)

    forget_failures(session, " ADA@example.org", HERE)

    assert failures(session) == 2


def test_a_new_password_forgets_all_failures_of_the_account(session):
    for email, source in ((ADA, HERE), (ADA, ELSEWHERE), ("bo@example.org", HERE)):
        fail(session, 1, email, source)

    forget_failures(session, ADA)

    assert failures(session) == 1


def test_old_failures_are_removed(session):
    session.add(SignInFailure(account="a", source="b", at=now_utc() - WINDOW - WINDOW))
    session.flush()

    fail(session, 1)

    assert failures(session) == 1


@pytest.mark.parametrize("text", ["", "\0", "x" * 10_000, "\ud800", "🙂", "'; DROP TABLE person; --"])
def test_whatever_is_typed_can_be_counted(session, text):
    fail(session, 1, text, SignInSource(text))
    check_throttle(session, text, SignInSource(text))
    forget_failures(session, text)

    assert failures(session) == 0


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
