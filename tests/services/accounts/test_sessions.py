"""The list of sessions: what a device is called, when it was last used, and that ended ones do not come back."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import OpenSession, now_utc
from app.services.accounts.people import end_sessions
from app.services.accounts.sessions import (
    Use,
    device_of,
    end_one_session,
    end_session,
    note_uses,
    open_session,
    sessions_of,
)
from app.services.accounts.sign_in import SESSION_LIFE, session_hash
from app.services.errors import NotFoundError

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36",
            "Chrome on Windows",
        ),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari on iPhone",
        ),
        (f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.5", "curl"),
        ("", ""),
        ("<script>alert(1)</script>", ""),
    ],
)
def test_a_device_is_named_by_browser_and_system_alone(header, name):
    assert device_of(header) == name


def use_of(person, **changes):
    values = {"person_id": person.id, "epoch": person.session_epoch, "device": "Edge", "network": "192.0.2.1"}
    return Use(**{**values, "at": now_utc(), **changes})


def test_a_use_moves_the_moment_and_a_session_from_before_the_list_joins_it(session, make):
    ada = make.person()
    open_session(session, ada, "known", device="Edge", by="password")
    later = now_utc() + timedelta(hours=1)

    note_uses(session, {session_hash("known"): use_of(ada, at=later), session_hash("old"): use_of(ada)})

    moments = {row.key_hash: row.last_used_at for row in sessions_of(session, ada.id)}
    assert moments[session_hash("known")] == later
    assert session_hash("old") in moments


def test_a_session_that_ended_does_not_come_back_by_a_late_use(session, make):
    ada = make.person()
    open_session(session, ada, "one", device="Edge", by="password")
    late = {session_hash("one"): use_of(ada), session_hash("two"): use_of(ada)}
    end_session(session, "one")
    end_sessions(session, ada.id)

    note_uses(session, late)

    assert sessions_of(session, ada.id) == []


def test_sessions_that_nobody_used_for_a_month_are_forgotten(session, make):
    ada = make.person()
    open_session(session, ada, "old", device="Edge", by="password")
    session.scalars(select(OpenSession)).one().last_used_at = now_utc() - SESSION_LIFE - timedelta(days=1)
    session.flush()

    open_session(session, ada, "new", device="Edge", by="password")

    assert [row.key_hash for row in session.scalars(select(OpenSession))] == [session_hash("new")]


def test_one_ends_only_ones_own(session, make):
    ada, bo = make.person(), make.person()
    open_session(session, ada, "hers", device="Edge", by="password")
    (hers,) = sessions_of(session, ada.id)

    with pytest.raises(NotFoundError):
        end_one_session(session, bo.id, hers.id)

    end_one_session(session, ada.id, hers.id)
    assert sessions_of(session, ada.id) == []
