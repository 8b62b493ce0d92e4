"""The audit trail: who, what, whom, where and from where; nothing in it changes, and only what is old goes."""

import sqlite3
from contextlib import closing
from datetime import date, timedelta

import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import DBAPIError

from app.database import path_of
from app.models import AuditEntry, AuditKind, Erasure, Role, now_utc
from app.services.accounts.audit import (
    EACH,
    AuditFilter,
    all_entries,
    entries_of,
    forget_old_entries,
    people_in_trail,
    record,
)
from app.services.accounts.invitations import invite, issue_reset, revoke_invitation
from app.services.accounts.memberships import change_role, give_role
from app.services.accounts.people import change_password
from app.services.accounts.redeeming import accept_as, accept_reset
from app.services.accounts.sharing import revoke_shared_link, share
from tests.furniture.factories import making_in


def kinds_of(session, **wanted):
    return [row.kind.value for row in entries_of(session, AuditFilter(**wanted), 1)[1]]


def test_an_entry_says_who_did_what_to_whom_where_and_from_where(session, make):
    project, ada, bo = make.project(slug="shop"), make.person("Ada"), make.person("Bo")
    session.info.update(actor=ada.id, network="192.0.2.7")

    record(
        session, AuditKind.ROLE_CHANGED, person_id=bo.id, project_id=project.id, before=None, role="viewer"
    )

    _, (row, *_) = entries_of(session, AuditFilter(), 1)
    assert (row.actor, row.person, row.project, row.network) == ("Ada", "Bo", "shop", "192.0.2.7")
    assert row.details == {"before": None, "role": "viewer"}
    assert now_utc() - row.at < timedelta(minutes=1)


def test_what_people_do_with_roles_and_links_is_recorded(session, make):
    project, ada, bo = make.project(), make.person("Ada"), make.person("Bo")
    give_role(session, project.id, ada.id, Role.OWNER)
    token = invite(session, project_id=project.id, role=Role.VIEWER, note="bo@example.org")
    link = accept_as(session, token, bo.id)
    change_role(session, project.id, bo.id, Role.ANNOTATOR)
    change_role(session, project.id, bo.id, None)
    invite(session, project_id=project.id, role=Role.VIEWER)
    revoke_invitation(session, project.id, link.id + 1)
    share(session, project.id, days=7, note="the board")
    revoke_shared_link(session, project.id, 1)
    accept_reset(session, issue_reset(session, bo), "new hash")

    found = kinds_of(session)[::-1]

    assert found == [
        "role_changed",
        "invitation_made",
        "role_changed",
        "invitation_taken",
        "role_changed",
        "role_changed",
        "invitation_made",
        "invitation_revoked",
        "shared_link_made",
        "shared_link_revoked",
        "password_link_made",
        "password_link_used",
        "password_changed",
    ]
    stored = str(session.scalars(select(AuditEntry.details)).all())
    assert "bo@example.org" not in stored
    assert "board" not in stored


def test_the_same_role_again_is_no_entry(session, make):
    project, ada = make.project(), make.person()
    give_role(session, project.id, ada.id, Role.VIEWER)
    before = len(kinds_of(session))

    give_role(session, project.id, ada.id, Role.VIEWER)

    assert len(kinds_of(session)) == before


@pytest.mark.parametrize("change", [update(AuditEntry).values(network="elsewhere"), delete(AuditEntry)])
def test_nobody_changes_or_deletes_an_entry(database, change):
    with database.write() as session:
        record(session, AuditKind.SIGNED_OUT)

    with pytest.raises(DBAPIError, match="the audit trail is append-only"), database.write() as session:
        session.execute(change)

    with database.read() as session:
        assert session.scalars(select(AuditEntry.network)).all() == [""]


@pytest.mark.parametrize("database_kind", ["sqlite"])  # PostgreSQL has no REPLACE.
def test_replacing_an_entry_is_refused_too(database):
    with database.write() as session:
        record(session, AuditKind.SIGNED_OUT)

    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(
            text(
                "INSERT OR REPLACE INTO audit_entry (id, at, kind, network, details) "
                "SELECT id, at, 'exported', network, details FROM audit_entry"
            )
        )
    # Other programs do not have the setting by which REPLACE counts as a deletion.
    statement = "REPLACE INTO audit_entry (id, at, kind, network, details) VALUES (1, '', '', '', '')"
    with (
        closing(sqlite3.connect(path_of(database.url))) as other,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        other.execute(statement)


def test_an_erasure_takes_the_network_of_that_person_alone(database):
    with making_in(database)() as make:
        ada, erased = make.person("Ada"), make.person("Grace")
        record(make.session, AuditKind.SIGNED_OUT, person_id=ada.id, actor_id=ada.id)
        make.session.add(Erasure(person_id=erased.id, is_open=True))

    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(update(AuditEntry).values(network=""))


def test_old_entries_go_where_that_is_wished_and_new_ones_never(database):
    with database.write() as session:
        for days in (400, 200, 89, 0):
            session.add(
                AuditEntry(
                    kind="signed_out", at=now_utc() - timedelta(days=days), network=str(days), details={}
                )
            )

    with database.write() as session:
        assert forget_old_entries(session, 365) == 1
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        forget_old_entries(session, 30)

    with database.read() as session:
        assert session.scalars(select(AuditEntry.network).order_by(AuditEntry.id)).all() == ["200", "89", "0"]


def test_owners_read_their_project_and_the_password_links_of_its_members(session, make):
    mine, other = make.project(slug="mine"), make.project(slug="other")
    member = make.member(mine, "annotator", name="Ada")
    stranger = make.member(other, "annotator", name="Bo")
    for person in (member, stranger):
        record(session, AuditKind.SIGNED_IN, person_id=person.id, by="password")
        record(session, AuditKind.PASSWORD_LINK_MADE, person_id=person.id)
    record(session, AuditKind.EXPORTED, project_id=mine.id, what="qrels", format="trec")
    record(session, AuditKind.EXPORTED, project_id=other.id, what="qrels", format="trec")

    _, rows = entries_of(session, AuditFilter(project_id=mine.id), 1)

    shown = {(row.kind.value, row.project, row.person) for row in rows}
    assert ("exported", "mine", None) in shown
    assert ("password_link_made", None, member.name) in shown
    assert {project for _, project, _ in shown} == {"mine", None}
    assert not [row for row in rows if row.kind is AuditKind.SIGNED_IN or row.person == stranger.name]


def test_a_filter_takes_a_person_a_kind_and_days(session, make):
    ada, bo = make.person("Ada"), make.person("Bo")
    record(session, AuditKind.PASSWORD_LINK_MADE, person_id=bo.id, actor_id=ada.id)
    record(session, AuditKind.SIGNED_IN, person_id=bo.id, actor_id=bo.id, by="password")
    today = now_utc().date()

    assert kinds_of(session, person=ada.public_id) == ["password_link_made"]
    assert kinds_of(session, person=bo.public_id) == ["signed_in", "password_link_made"]
    assert kinds_of(session, kind="signed_in") == ["signed_in"]
    assert len(kinds_of(session, since=today, until=today)) == 2
    assert kinds_of(session, since=today + timedelta(days=1)) == []
    assert kinds_of(session, until=date(2020, 1, 1)) == []


def test_long_trails_are_read_by_pages_and_written_whole(session, make, monkeypatch):
    monkeypatch.setattr("app.services.accounts.audit.READ_AT_ONCE", 7)
    for _ in range(EACH + 3):
        record(session, AuditKind.SIGNED_OUT)

    page, rows = entries_of(session, AuditFilter(), 2)

    assert (page.pages, page.total, len(rows)) == (2, EACH + 3, 3)
    numbers = [row.id for row in all_entries(session, AuditFilter())]
    assert numbers == sorted(set(numbers), reverse=True)
    assert len(numbers) == EACH + 3


def test_the_filter_of_a_project_offers_its_people_only(session, make):
    project = make.project()
    ada = make.member(project, "annotator", name="Ada")
    make.person("Bo")

    assert people_in_trail(session, project.id) == [(ada.public_id, "Ada")]
    assert [name for _, name in people_in_trail(session, None)] == ["Ada", "Bo"]


def test_a_password_that_somebody_changes_is_in_the_trail(session, make):
    ada = make.person()
    session.info["actor"] = ada.id

    change_password(session, ada.id, "new hash")

    _, (row,) = entries_of(session, AuditFilter(kind="password_changed"), 1)
    assert (row.actor, row.person) == (ada.name, ada.name)
