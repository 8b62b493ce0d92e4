"""What is said of an installation before people are sent to it: each shortcoming, with its remedy."""

import json
import os
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import NamedTuple

import pytest
from sqlalchemy import text

from app.cli import check_deploy
from app.cli.check_deploy import findings_of, postgresql_findings
from app.database import Database
from app.schema import check_schema
from app.services.accounts.people import create_person
from config import MailSettings, SignInSettings
from tests.furniture.site import plain_settings

NOBODY = MailSettings(host="127.0.0.1", port=9, is_tls=False, sender="ratings@example.org")
SOUND = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_connections": "100",
    "is_superuser": "off",
}


class Disk(NamedTuple):
    total: int
    used: int
    free: int


class Ready(BaseHTTPRequestHandler):
    answer = (200, b"ready\n")

    def do_GET(self):
        status, body = self.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def running(monkeypatch):
    """Give the port of a server that is ready."""
    monkeypatch.setattr(Ready, "answer", (200, b"ready\n"))
    with closing(HTTPServer(("127.0.0.1", 0), Ready)) as server:
        server.close = server.server_close
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def sound(tmp_path, sqlite_url, running, monkeypatch):
    """Return settings with which nothing is wrong."""
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid or 1)
    monkeypatch.setattr(check_deploy.shutil, "disk_usage", lambda _: Disk(100 * 10**9, 0, 50 * 10**9))
    backups = tmp_path / "backups"
    for folder in (tmp_path, backups, tmp_path / "uploads"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o700)
    (backups / "touchstone-20260301T120000Z.sqlite3").touch(0o600)
    os.chown(tmp_path, os.geteuid(), -1) if os.getuid() == 0 else None
    settings = replace(
        plain_settings(tmp_path, sqlite_url),
        public_url="https://rate.example.org",
        trusted_proxies=1,
        port=running,
        backup_path=backups,
    )
    path = check_deploy.path_of(sqlite_url)
    path.chmod(0o600)
    monkeypatch.setattr(check_deploy, "_disk_of", lambda of: 2 if of == backups else 1)
    # To compare all tables takes longest; tests of that do it.
    monkeypatch.setattr("app.schema.check_schema", lambda _: [])
    database = Database(sqlite_url)
    with database.write() as session:
        create_person(session, email="ada@example.org", name="Ada").password_hash = "x"
    database.dispose()
    return settings


def wrong(settings):
    """Return what is not as it should be: check, level and what was found."""
    return [(one.check, one.level, one.found) for one in findings_of(settings) if one.level != "ok"]


@pytest.mark.thorough
def test_nothing_is_wrong_with_a_sound_installation(sound, monkeypatch):
    monkeypatch.setattr("app.schema.check_schema", check_schema)
    findings = list(findings_of(sound))

    assert wrong(sound) == []
    assert {one.check for one in findings} == {
        "https", "proxies", "secret", "modes", "user", "disk", "backups", "database", "durability", "sign-up", "mail",
        "server",
    }  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "check", "level", "words"),
    [
        ({"public_url": None}, "https", "error", "PUBLIC_URL is not set"),
        ({"public_url": "http://rate.example.org"}, "https", "error", "can be read on the way"),
        ({"public_url": "http://localhost:8000"}, "https", "warning", "for this machine"),
        ({"trusted_proxies": 0}, "proxies", "error", "TRUSTED_PROXIES is 0"),
        ({"host": "0.0.0.0"}, "proxies", "warning", "past the proxy"),
        ({"backup_path": None}, "backups", "error", "no backups by schedule"),
        ({"project_makers": "everybody"}, "sign-up", "warning", "Everybody with an account"),
        (
            {"sign_in": SignInSettings(issuer="https://x.example")},
            "sign-up",
            "warning",
            "of the organisation",
        ),
        ({"mail": NOBODY}, "mail", "error", "127.0.0.1:9 takes no e-mails from here"),
        ({"port": 9}, "server", "warning", "No server answers"),
    ],
)
def test_each_setting_that_is_unfit_is_named(sound, changes, check, level, words):
    (found,) = wrong(replace(sound, **changes))

    assert found[:2] == (check, level)
    assert words in found[2]


def test_what_others_can_read_is_named_with_the_command_that_ends_it(sound):
    sound.instance_path.chmod(0o755)
    sound.backup_path.chmod(0o750)

    findings = [one for one in findings_of(sound) if one.check == "modes"]

    assert {one.level for one in findings} == {"error"}
    assert [one.remedy for one in findings] == [
        f"chmod 700 {sound.instance_path}",
        f"chmod 700 {sound.backup_path}",
    ]


@pytest.mark.parametrize(("free", "level"), [(10**9, "error"), (5 * 10**9, "warning")])
def test_a_disk_that_is_nearly_full_is_named(sound, monkeypatch, free, level):
    monkeypatch.setattr(check_deploy.shutil, "disk_usage", lambda _: Disk(100 * 10**9, 0, free))

    assert {found[:2] for found in wrong(sound)} == {("disk", level)}


def test_root_and_another_owner_are_named(sound, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert [found[:2] for found in wrong(sound)] == [("user", "warning")]

    monkeypatch.setattr("os.geteuid", lambda: 4711)
    assert [found[:2] for found in wrong(sound)] == [("user", "error")]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("age", "trouble", "level", "words"),
    [
        (None, "", "warning", "There is no backup yet."),
        (timedelta(days=3), "", "error", "The newest backup is 3 days old."),
        (timedelta(hours=30), "", None, ""),
        (timedelta(hours=1), "The disk is full.", "error", "The last backup failed: The disk is full."),
    ],
)
def test_old_and_failed_backups_are_named(sound, monkeypatch, age, trouble, level, words):
    monkeypatch.setattr("app.jobs.backups.backup_age", lambda _: age)
    monkeypatch.setattr("app.jobs.backups.backup_trouble", lambda _: trouble)

    assert wrong(sound) == ([("backups", level, words)] if level else [])


def test_an_hour_is_one_hour(sound, monkeypatch):
    monkeypatch.setattr("app.jobs.backups.backup_age", lambda _settings: timedelta(minutes=70))

    assert "The newest backup is 1 hour old." in [one.found for one in check_deploy.check_backups(sound)]


def test_backups_beside_the_database_are_named(sound, monkeypatch):
    monkeypatch.setattr(check_deploy, "_disk_of", lambda _: 1)

    assert [found[:2] for found in wrong(sound)] == [("backups", "warning")]


def test_a_database_of_another_version_is_named(sound):
    database = Database(sound.database_url)
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    database.dispose()

    assert [found[:2] for found in wrong(sound)] == [("database", "error")]


@pytest.mark.thorough
def test_tables_that_differ_are_named(sound, monkeypatch):
    monkeypatch.setattr("app.schema.check_schema", check_schema)
    database = Database(sound.database_url)
    with database.write() as session:
        session.execute(text("DROP TABLE disclosure"))
    database.dispose()

    ((check, level, found),) = wrong(sound)
    assert (check, level) == ("database", "error")
    assert "differ from the code" in found


def test_a_database_that_is_away_is_one_error_without_its_password(sound):
    away = replace(sound, database_url="postgresql+psycopg://ada:hunter2@127.0.0.1:9/none")

    ((check, level, found),) = wrong(away)

    assert (check, level) == ("database", "error")
    assert "hunter2" not in found


def test_open_set_up_is_named(sound):
    database = Database(sound.database_url)
    with database.write() as session:
        session.execute(text("UPDATE person SET password_hash = NULL"))
    database.dispose()

    ((check, level, found),) = wrong(sound)
    assert (check, level) == ("sign-up", "warning")
    assert "set-up link" in found


def test_a_server_that_is_not_ready_is_named(sound, monkeypatch):
    monkeypatch.setattr(Ready, "answer", (503, b"not ready: the disk is full\n"))

    assert wrong(sound) == [("server", "error", "The server is not ready: the disk is full.")]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, []),
        ({"fsync": "off"}, [("durability", "error")]),
        ({"full_page_writes": "off", "synchronous_commit": "off"}, [("durability", "error")] * 2),
        ({"synchronous_commit": "local"}, []),
        ({"max_connections": "40"}, [("connections", "warning")]),
        ({"is_superuser": "on"}, [("connections", "warning")]),
    ],
)
def test_a_postgresql_that_forgets_or_has_too_few_places_is_named(settings, values, found):
    several = replace(settings, web_workers=2)
    findings = postgresql_findings(several, {**SOUND, **values})

    assert [(one.check, one.level) for one in findings if one.level != "ok"] == found


@pytest.mark.postgresql
def test_the_careless_postgresql_of_these_tests_is_told_on(sound, postgresql_url):
    careless = [
        found for found in wrong(replace(sound, database_url=postgresql_url)) if found[0] == "durability"
    ]

    assert {level for _, level, _ in careless} == {"error"}
    assert len(careless) == 3


@pytest.mark.thorough
def test_the_command_prints_findings_and_fails_on_errors(app, run_command, monkeypatch):
    shown = run_command("check-deploy")
    as_json = run_command("check-deploy", "--json")

    assert shown.exit_code == as_json.exit_code == 1
    assert "error   https       PUBLIC_URL is not set" in shown.output
    assert "                    Remedy: Set PUBLIC_URL" in shown.output
    found = json.loads(as_json.output)
    assert {one["level"] for one in found} <= {"ok", "warning", "error"}
    assert all(set(one) == {"check", "level", "found", "remedy"} for one in found)
    assert [one["check"] for one in found if one["level"] != "ok" and not one["remedy"]] == []


def test_the_command_succeeds_with_warnings_alone(app, run_command, monkeypatch):
    monkeypatch.setattr(
        check_deploy,
        "findings_of",
        lambda _: [check_deploy.Finding("disk", "warning", "Little room.", "Make room.")],
    )

    assert run_command("check-deploy").exit_code == 0
