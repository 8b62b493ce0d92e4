"""Password hashes: argon2id as promised, two at a time, and the others wait their turn."""

import threading

import pytest
from argon2 import PasswordHasher

from app.services.accounts import sign_in as passwords
from app.services.accounts.sign_in import LONGEST, SHORTEST, hash_password, matches
from app.services.errors import InvalidError, TooManyError

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def stored():
    return hash_password(PASSWORD)


def test_the_hash_is_argon2id_with_19_mib_and_two_passes(real_passwords):
    stored = hash_password(PASSWORD)

    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert matches(stored, PASSWORD)
    assert passwords._nobody.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_equal_passwords_have_different_hashes(stored):
    assert hash_password(PASSWORD) != stored


def test_only_the_same_password_matches(stored):
    assert matches(stored, PASSWORD)
    for other in ("", "x", PASSWORD + " ", PASSWORD[:-1], PASSWORD.upper(), PASSWORD + "\0", "x" * 10_000):
        assert not matches(stored, other)


@pytest.mark.parametrize("nothing", [None, "", "$argon2id$broken", "plain text", "!"])
def test_without_a_hash_nothing_matches(nothing):
    assert not matches(nothing, PASSWORD)
    assert not matches(nothing, "")


def test_the_dummy_hash_belongs_to_no_password_that_is_accepted(real_passwords):
    assert not matches(None, "anything at all")


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("", "at least 10 characters"),
        ("short", "at least 10 characters"),
        ("x" * (SHORTEST - 1), "at least 10 characters"),
        ("x" * (LONGEST + 1), "at most 500 characters"),
    ],
)
def test_a_password_that_is_too_short_or_too_long_is_refused(password, message):
    with pytest.raises(InvalidError, match=message):
        hash_password(password)


@pytest.mark.parametrize("password", ["x" * SHORTEST, "x" * LONGEST, "ünïcödé 密码 🙂🙂", " spaces around "])
def test_everything_else_is_a_password(password):
    assert matches(hash_password(password), password)


def test_no_more_than_two_hash_at_once(monkeypatch):
    running, most, lock = [0], [0], threading.Lock()
    together = threading.Barrier(2)

    class Slow:
        def hash(self, _password):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            together.wait(20)  # goes on as soon as there are two
            with lock:
                running[0] -= 1
            return "hash"

    monkeypatch.setattr(passwords, "_hasher", Slow())
    threads = [threading.Thread(target=hash_password, args=(PASSWORD,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [2]


def test_a_hundred_and_forty_at_once_wait_their_turn_and_none_is_refused():
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(matches(cheap, PASSWORD))) for _ in range(140)]
    with passwords._Place(), passwords._Place():
        for thread in threads:
            thread.start()
        assert answers == []
    for thread in threads:
        thread.join()

    assert answers == [True] * 140


def test_whoever_waits_too_long_comes_back_and_leaves_no_place_taken(monkeypatch):
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    with passwords._Place(), passwords._Place(), pytest.raises(TooManyError) as refused:
        hash_password(PASSWORD)

    assert refused.value.retry_after == 5
    monkeypatch.undo()
    assert hash_password(PASSWORD)
