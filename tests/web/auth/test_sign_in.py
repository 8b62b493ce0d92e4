"""Signing in and out: the same words for every failure, tries that are counted, and sessions that end."""

import base64
import re
import threading

import pytest
from argon2 import PasswordHasher
from sqlalchemy import func, select, update

from app.models import EndedSession, Person, SignInFailure, now_utc
from app.services.accounts import sign_in as passwords
from app.services.accounts.sign_in import (
    PER_ACCOUNT,
    PER_SOURCE,
    WINDOW,
    network_of,
    record_failure,
)
from tests.web.auth.conftest import EMAIL, PASSWORD


def is_signed_in(client):
    return client.get("/api/v1/session").status_code == 200


def cookie_of(client, name="touchstone"):
    cookie = client.get_cookie(name)
    return None if cookie is None else cookie.value


def with_cookie(app, value):
    client = app.test_client()
    client.set_cookie("touchstone", value)
    return client


def test_the_right_password_opens_a_session(client, ada, sign_in):
    reply = sign_in(client)

    assert (reply.status_code, reply.location) == (302, "/")
    assert client.get("/api/v1/session").json["person"] == ada.person.public_id


@pytest.mark.parametrize("email", ["ADA@example.org", "  ada@example.org ", "ａｄａ@example.org"])
def test_one_mailbox_is_one_account_however_it_is_spelled(client, ada, sign_in, email):
    assert sign_in(client, email).status_code == 302


FAILURES = [
    ("ada@example.org", "wrong"),
    ("nobody@example.org", "correct horse battery"),
    ("never-chosen@example.org", "correct horse battery"),
    ("file@example.org", "correct horse battery"),
    ("erased@example.org", "correct horse battery"),
    ("no address at all", "correct horse battery"),
    ("ada@example.org", "correct horse batter"),
    ("ada@example.org", "correct horse battery "),
    ("ada@example.org", "x" * 100_000),
]


@pytest.mark.thorough
def test_every_failure_looks_the_same(app, ada, making, password_hash, sign_in):
    with making() as make:
        make.person("Never Chosen", email="never-chosen@example.org")
        make.person("A file", email="file@example.org", kind="imported")
        make.person("Erased", email="erased@example.org", password_hash=password_hash, erased_at=now_utc())
    usual = sign_in(app.test_client(), "somebody@example.org", "something")

    for email, password in FAILURES:
        client = app.test_client()
        reply = sign_in(client, email, password)

        assert reply.status_code == 200, (email, password[:30])
        assert "This e-mail address and password do not match." in reply.text
        shown = reply.text.replace(email.strip(), "X").replace(email, "X")
        assert without_tokens(shown) == without_tokens(usual.text.replace("somebody@example.org", "X")), email
        assert not is_signed_in(client), (email, password[:30])


def without_tokens(page):
    return re.sub(r'(csrf[^>]*(?:content|value)=")[^"]*', r"\1", page)


@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org", "never-chosen@example.org"])
def test_an_unknown_account_costs_one_comparison_like_a_known_one(
    client, ada, making, sign_in, monkeypatch, email
):
    with making() as make:
        make.person("Never Chosen", email="never-chosen@example.org")
    compared = []
    verify = passwords._hasher.verify
    monkeypatch.setattr(
        passwords,
        "_hasher",
        type("Spy", (), {"verify": lambda _, *given: compared.append(given) or verify(*given)})(),
    )

    sign_in(client, email, "wrong")

    assert len(compared) == 1
    # That the hash of nobody is as slow as others is in tests/services/accounts/test_passwords.py.
    assert compared[0][0] == passwords._nobody or email == EMAIL


def test_the_password_is_never_in_the_page(client, ada, sign_in):
    assert "battery-staple" not in sign_in(client, password="battery-staple").text


@pytest.mark.thorough
def test_the_ninth_wrong_password_from_one_network_has_to_wait_a_minute(client, ada, sign_in):
    statuses = [sign_in(client, password="wrong").status_code for _ in range(PER_SOURCE.free)]

    refused = sign_in(client)

    assert statuses == [200] * PER_SOURCE.free
    assert refused.status_code == 429
    assert 55 <= int(refused.headers["Retry-After"]) <= 60
    assert "Too many failed tries" in refused.text
    assert not is_signed_in(client)
    assert sign_in(client, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 302


@pytest.mark.thorough
def test_an_account_that_does_not_exist_is_throttled_like_one_that_does(app, ada, sign_in):
    known, unknown = (
        [sign_in(app.test_client(), email, "wrong") for _ in range(20)] for email in (EMAIL, "nobody@x.org")
    )

    statuses = [200] * PER_SOURCE.free + [429] * (20 - PER_SOURCE.free)
    assert [reply.status_code for reply in known] == [reply.status_code for reply in unknown] == statuses
    page, other = (without_tokens(replies[-1].text) for replies in (known, unknown))
    assert re.sub(r"wait \d+ seconds", "", page) == re.sub(r"wait \d+ seconds", "", other)


@pytest.mark.thorough
def test_a_hundred_and_forty_people_behind_one_address_sign_in(app, making, sign_in):
    people = [f"{number}@example.org" for number in range(140)]
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with making() as make:
        for email in people:
            make.person(email=email, password_hash=cheap)
    waiting, statuses = list(people), []

    def sign_some_in():
        while waiting:
            statuses.append(sign_in(app.test_client(), waiting.pop()).status_code)

    threads = [threading.Thread(target=sign_some_in) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [302] * 140


@pytest.fixture
def attack(stored):
    """Let somebody guess Ada's password from sixty networks, and from the one where she is."""
    with stored.write() as session:
        for number in range(2 * PER_ACCOUNT.free):
            record_failure(session, EMAIL, network_of(f"192.0.2.{number % 60}"))
        for _ in range(PER_SOURCE.free):
            record_failure(session, EMAIL, network_of("127.0.0.1"))


@pytest.fixture
def known(app, ada, sign_in):
    """Return a device from which Ada has signed in, and out again."""
    client = app.test_client()
    sign_in(client)
    client.post("/sign-out")
    return client


def test_the_owner_gets_in_from_a_known_device_while_an_attacker_goes_on(app, known, attack, sign_in):
    assert sign_in(app.test_client()).status_code == 429, "a new device behind the attacker's address"

    assert sign_in(known, password="typed wrong").status_code == 200
    assert sign_in(known).status_code == 302
    assert is_signed_in(known)
    assert sign_in(app.test_client(), password="wrong").status_code == 429, "the attacker gains nothing by it"


def test_a_known_device_is_neither_a_session_nor_anybody_elses(
    app, client, ada, attack, making, password_hash, sign_in
):
    with making() as make:
        make.person(email="bo@example.org", password_hash=password_hash)
    sign_in(client, "bo@example.org")
    device = cookie_of(client, "touchstone-device")

    thief = app.test_client()
    thief.set_cookie("touchstone-device", device)
    assert not is_signed_in(thief)
    assert not is_signed_in(with_cookie(app, device))
    assert sign_in(thief).status_code == 429, "Bo's device is not one of Ada's"
    assert sign_in(thief, "bo@example.org", "wrong").status_code == 200


@pytest.mark.parametrize("change", ["flip", "the session", "nonsense"])
@pytest.mark.thorough
def test_a_device_that_was_made_up_is_unknown(app, client, ada, sign_in, request, change):
    sign_in(client)
    value, session = cookie_of(client, "touchstone-device"), cookie_of(client)
    forged = {
        "flip": value[:-2] + ("A" if value[-2] != "A" else "B") + value[-1],
        "the session": session,
        "nonsense": "é" * 10,
    }[change]
    request.getfixturevalue("attack")

    forger = app.test_client()
    forger.set_cookie("touchstone-device", forged)

    assert sign_in(forger).status_code == 429


@pytest.mark.thorough
def test_one_device_knows_all_who_sign_in_there(known, attack, making, password_hash, sign_in):
    with making() as make:
        make.person(email="bo@example.org", password_hash=password_hash)
    sign_in(known, "bo@example.org")
    known.post("/sign-out")

    assert sign_in(known).status_code == 302


def test_a_device_stays_known_for_longer_than_a_session_and_names_nobody(client, ada, sign_in):
    reply = sign_in(client)

    (cookie,) = [line for line in reply.headers.getlist("Set-Cookie") if line.startswith("touchstone-device")]
    assert "Max-Age=34560000; HttpOnly; Path=/; SameSite=Lax" in cookie
    assert "ada" not in base64.urlsafe_b64decode(cookie.split("=")[1].split(".")[0] + "==").decode().lower()


@pytest.mark.thorough
def test_a_refused_try_costs_no_hashing_and_is_not_counted(client, ada, sign_in, stored, monkeypatch):
    for _ in range(PER_SOURCE.free):
        sign_in(client, password="wrong")
    monkeypatch.setattr(passwords, "_hasher", None)

    assert sign_in(client, password="wrong").status_code == 429
    with stored.read() as session:
        assert session.scalar(select(func.count()).select_from(SignInFailure)) == PER_SOURCE.free


def test_a_right_password_is_not_counted_and_forgets_the_failures_from_here(client, ada, sign_in, stored):
    for _ in range(PER_SOURCE.free - 1):
        sign_in(client, password="wrong")

    assert sign_in(client).status_code == 302
    with stored.read() as session:
        assert session.scalar(select(func.count()).select_from(SignInFailure)) == 0


@pytest.mark.thorough
def test_failures_are_forgotten_with_time(client, ada, sign_in, stored):
    for _ in range(PER_SOURCE.free):
        sign_in(client, password="wrong")
    with stored.write() as session:
        session.execute(update(SignInFailure).values(at=now_utc() - WINDOW))

    assert sign_in(client).status_code == 302


def test_the_table_of_failures_holds_neither_mail_nor_addresses(client, ada, sign_in, stored):
    sign_in(client, password="wrong")

    with stored.read() as session:
        (row,) = session.scalars(select(SignInFailure))
    assert len(row.account) == len(row.source) == 64
    assert "ada" not in row.account
    assert row.source != "127.0.0.1"


@pytest.mark.thorough
def test_of_many_guesses_at_once_only_the_first_few_are_answered(app, ada, sign_in, monkeypatch):
    together = threading.Barrier(16)
    monkeypatch.setattr("app.web.auth.views.check_password", lambda *_given: together.wait(20) == 0 and False)
    statuses = []
    threads = [
        threading.Thread(target=lambda: statuses.append(sign_in(app.test_client(), password="w").status_code))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [200] * PER_SOURCE.free + [429] * (16 - PER_SOURCE.free)


def test_a_session_from_before_signing_in_is_not_kept(app, client, ada, sign_in):
    client.get("/sign-in")
    with client.session_transaction() as session:
        session["planted"] = "by somebody else"
        token = session["csrf_token"]
    before = cookie_of(client)

    sign_in(client)

    with client.session_transaction() as session:
        assert "planted" not in session
        assert session.get("csrf_token") != token
    assert not is_signed_in(with_cookie(app, before))


def test_signing_in_as_somebody_else_ends_the_session_before(
    app, client, ada, making, password_hash, sign_in
):
    with making() as make:
        make.person("Bo", email="bo@example.org", password_hash=password_hash)
    sign_in(client)
    before = cookie_of(client)

    sign_in(client, "bo@example.org")

    assert not is_signed_in(with_cookie(app, before))
    assert is_signed_in(client)


def test_signing_out_ends_every_copy_of_the_cookie(app, client, ada, sign_in):
    sign_in(client)
    copy = with_cookie(app, cookie_of(client))
    assert is_signed_in(copy)

    client.post("/sign-out")

    assert cookie_of(client) is None or not is_signed_in(client)
    assert copy.get("/api/v1/session").status_code == 401
    assert copy.get("/").location.startswith("/sign-in")


def test_signing_out_here_leaves_other_devices_alone(app, ada, sign_in):
    here, elsewhere = app.test_client(), app.test_client()
    sign_in(here)
    sign_in(elsewhere)

    here.post("/sign-out")

    assert is_signed_in(elsewhere)


def test_an_answer_on_its_way_does_not_bring_a_session_back(app, client, ada, sign_in):
    sign_in(client)
    on_its_way = with_cookie(app, cookie_of(client))
    on_its_way.get("/help")
    client.post("/sign-out")

    client.set_cookie("touchstone", cookie_of(on_its_way))

    assert not is_signed_in(client)


def test_ended_sessions_are_stored_hashed_and_forgotten_when_their_cookie_would_be(
    client, ada, sign_in, stored
):
    with stored.write() as session:
        session.add(EndedSession(key_hash="0" * 64, at=now_utc() - 3000 * WINDOW))
    sign_in(client)
    with client.session_transaction() as held:
        key = held["key"]

    client.post("/sign-out")

    with stored.read() as session:
        (ended,) = session.scalars(select(EndedSession.key_hash))
    assert len(ended) == 64
    assert key not in ended


def test_signing_out_twice_or_without_a_session_is_no_failure(client, ada, sign_in):
    sign_in(client)
    copy = cookie_of(client)

    client.post("/sign-out")
    client.set_cookie("touchstone", copy)
    again = client.post("/sign-out")

    assert (again.status_code, again.location) == (302, "/sign-in")


def test_signing_out_everywhere_keeps_this_session_only(app, ada, sign_in):
    here, elsewhere = app.test_client(), app.test_client()
    sign_in(here)
    sign_in(elsewhere)
    old = cookie_of(here)

    here.post("/account/sign-out-everywhere")

    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
    assert not is_signed_in(with_cookie(app, old))


@pytest.mark.parametrize("end", ["erased_at", "disabled_at"])
def test_a_session_of_somebody_erased_or_disabled_is_over(client, ada, sign_in, stored, end):
    sign_in(client)
    with stored.write() as session:
        session.execute(update(Person).values({end: now_utc()}))

    assert not is_signed_in(client)
    assert sign_in(client).status_code == 200
    assert not is_signed_in(client)


def test_a_cookie_that_was_changed_is_worth_nothing(app, client, ada, sign_in):
    from itsdangerous import URLSafeTimedSerializer

    sign_in(client)
    value = cookie_of(client)
    forged = {
        "flip": value[:-2] + ("A" if value[-2] != "A" else "B") + value[-1],
        "cut": value.rpartition(".")[0],
        "other key": URLSafeTimedSerializer("another key", salt="cookie-session").dumps(
            {"person": 1, "epoch": 0}
        ),
        "nonsense": "é" * 10,
    }

    for change, cookie in forged.items():
        assert not is_signed_in(with_cookie(app, cookie)), change


def test_a_session_without_the_right_contents_is_nobodys(app, ada):
    for held in ({"person": "1", "epoch": 0}, {"person": 1}, {"person": 1, "epoch": 7}, {}):
        client = app.test_client()
        with client.session_transaction() as session:
            session.update({"epoch": None, **held})

        assert client.get("/").location.startswith("/sign-in"), held


def test_a_cookie_lives_for_thirty_days_after_it_was_last_used(app, client, ada, sign_in, monkeypatch):
    from itsdangerous import timed

    now = [1_800_000_000]
    monkeypatch.setattr(timed.time, "time", lambda: now[0])
    day = 86_400
    sign_in(client)
    unused = cookie_of(client)

    for _ in range(3):
        now[0] += 29 * day
        assert is_signed_in(client)

    assert not is_signed_in(with_cookie(app, unused))
    now[0] += 31 * day
    assert not is_signed_in(client)


@pytest.mark.thorough
def test_people_who_are_signed_in_are_sent_on(client, ada, sign_in):
    sign_in(client)

    assert client.get("/sign-in?next=/help").location == "/help"


def test_after_signing_in_people_are_where_they_wanted_to_be(client, ada, sign_in):
    asked = client.get("/account?x=1&y=ä")

    assert asked.status_code == 302
    assert sign_in(client, path=asked.location).location == "/account?x=1&y=%C3%A4"
