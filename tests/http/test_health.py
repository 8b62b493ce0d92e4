"""What programs ask of a server: whether it answers, whether it may be sent people, and how it is doing."""

import re
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select, text

from app import create_app
from app.http import health
from app.http.health import KEY, load_rest, warm_up
from app.jobs.worker import Worker
from app.models import Candidate, Upload
from tests.furniture.assigning import assign_best_batch
from tests.furniture.rating import make_workshop
from tests.furniture.site import Visitor

TOKEN = "0123456789abcdef0123456789abcdef"
LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+.e0-9]+')


@pytest.fixture
def measured(settings):
    app = create_app(replace(settings, metrics_token=TOKEN))
    yield app
    app.extensions["touchstone"].database.dispose()


def ask(app, path, **headers):
    return app.test_client().get(path, headers=headers)


def values_of(app):
    """Return what a scrape finds, by name and labels."""
    reply = ask(app, "/metrics", Authorization=f"Bearer {TOKEN}")
    assert reply.status_code == 200
    lines = reply.text.splitlines()
    wrong = [line for line in lines if not line.startswith("# ") and not LINE.fullmatch(line)]
    assert wrong == []
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_a_process_that_answers_is_alive_whatever_the_database_does(settings):
    app = create_app(replace(settings, database_url="postgresql+psycopg://nobody@127.0.0.1:9/none"))

    alive, ready = ask(app, "/healthz"), ask(app, "/readyz")

    assert (alive.status_code, alive.text) == (200, "ok\n")
    assert (ready.status_code, ready.text) == (503, "not ready: the database cannot be reached\n")


def test_a_server_that_can_be_used_is_ready(app):
    reply = ask(app, "/readyz")

    assert (reply.status_code, reply.text) == (200, "ready\n")
    assert "Set-Cookie" not in reply.headers


def behind(app, monkeypatch):
    with app.extensions["touchstone"].database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))


def lost(app, monkeypatch):
    app.extensions["touchstone"].database._files.are_lost = True


def read_only(app, monkeypatch):
    monkeypatch.setattr("app.http.health.os.access", lambda path, mode: not str(path).endswith(".sqlite3"))


def closed_folder(app, monkeypatch):
    monkeypatch.setattr(
        "app.http.health.os.access", lambda path, mode: not mode or str(path).endswith(".sqlite3")
    )


def full(app, monkeypatch):
    monkeypatch.setattr(health, "LEAST_FREE", 1 << 60)


def idle(app, monkeypatch):
    monkeypatch.setattr(Worker, "is_alive", False)


def starting(app, monkeypatch):
    app.extensions[KEY].is_starting = True


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (behind, "the database is not at the version of the code"),
        (lost, "files of the database were removed or replaced"),
        (read_only, "the database takes no changes"),
        (closed_folder, "a folder of the site cannot be written"),
        (full, "the disk is full"),
        (idle, "the background worker does not run"),
        (starting, "the process is starting"),
    ],
)
def test_a_server_that_cannot_be_used_says_why(fresh_app, monkeypatch, wrong, reason):
    wrong(fresh_app, monkeypatch)

    reply = ask(fresh_app, "/readyz")

    assert (reply.status_code, reply.text) == (503, f"not ready: {reason}\n")


def test_a_server_is_ready_once_it_is_warm(fresh_app):
    warm_up(fresh_app)
    assert fresh_app.extensions[KEY].is_starting
    load_rest(fresh_app)

    assert ask(fresh_app, "/readyz").status_code == 200
    assert "auth/sign_in.html" in {name for _, name in fresh_app.jinja_env.cache}


def test_asking_often_makes_no_work(fresh_app, monkeypatch):
    looked = []
    monkeypatch.setattr(health, "is_current", lambda _: looked.append(1) or True)

    for _ in range(20):
        ask(fresh_app, "/readyz")

    assert len(looked) <= 2


def test_the_worker_is_dead_before_it_begins_and_after_it_failed(tmp_path, database, monkeypatch):
    worker = Worker(database, tmp_path)
    assert not worker.is_alive

    monkeypatch.setattr("app.jobs.worker.tidy_uploads", lambda *_: 1 / 0)
    worker.start()
    worker._thread.join(10)
    assert not worker.is_alive
    worker.stop()


def test_without_a_token_there_are_no_metrics(client):
    assert client.get("/metrics").location == "/sign-in?next=/metrics"


@pytest.mark.parametrize(
    "given", ["", "Bearer", f"Basic {TOKEN}", "Bearer wrong", f"Bearer {TOKEN}x", "Bearer ä"]
)
def test_metrics_are_told_to_whoever_has_the_token_alone(measured, given):
    reply = ask(measured, "/metrics", Authorization=given)

    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"].startswith("Bearer ")
    assert "touchstone_" not in reply.text


def test_requests_are_counted_by_route_and_status(measured):
    for path in ("/sign-in", "/sign-in", "/nowhere", "/invitation/none"):
        ask(measured, path)

    found = values_of(measured)

    assert found['touchstone_requests_total{route="/sign-in",status="200"}'] == 2
    assert found['touchstone_requests_total{route="none",status="302"}'] == 1
    assert found['touchstone_requests_total{route="/invitation/<token>",status="410"}'] == 1
    assert found['touchstone_request_seconds_count{route="/sign-in"}'] == 2
    assert found['touchstone_request_seconds_bucket{route="/sign-in",le="+Inf"}'] == 2
    assert 0 < found['touchstone_request_seconds_sum{route="/sign-in"}'] < 60
    assert found["touchstone_ratings_acknowledged_total"] == 0


def test_a_rating_is_counted_once_it_is_acknowledged_and_not_again(measured, making):
    measured.test_client_class = Visitor
    with making() as make:
        shop = make_workshop(make, queries=1, answers=3)
        assign_best_batch(make.session, shop.project.id, shop.ada.id)
        answer = make.session.scalars(select(Candidate.public_id)).first()
    client = measured.test_client()
    with client.session_transaction() as session:
        session.permanent = True
        session["person"], session["epoch"] = shop.ada.id, shop.ada.session_epoch
    rating = {"id": str(uuid4()), "grade": 2, "at": "2026-03-01T12:00:00Z", "input": "key"}
    address = f"/api/v1/candidates/{answer}/judgment"

    statuses = [
        client.put(address, json=sent).status_code for sent in (rating, rating, {**rating, "grade": 1})
    ]

    assert statuses == [201, 200, 409]
    assert values_of(measured)["touchstone_ratings_acknowledged_total"] == 1


def test_the_database_the_connections_and_the_files_are_measured(measured, making):
    with making() as make:
        project = make.project()
        person = make.member(project, "owner")
        for state in ("failed", "waiting", "waiting", "done"):
            make.session.add(
                Upload(
                    project_id=project.id, person_id=person.id, kind="run", file_name="x", size=1,
                    sha256=b"0" * 32, state=state, expires_at=project.created_at,
                )
            )  # fmt: skip

    found = values_of(measured)

    assert found["touchstone_database_up"] == 1
    assert found["touchstone_database_bytes"] > 100_000
    assert found['touchstone_files{state="waiting"}'] == 2
    assert found['touchstone_files{state="failed"}'] == 1
    assert found['touchstone_database_connections{state="idle"}'] >= 0
    assert found["touchstone_resident_bytes"] > 10_000_000
    assert found["touchstone_disk_free_bytes"] > 0


def test_the_age_of_the_newest_backup_is_told_where_there_is_one(measured, monkeypatch):
    assert "touchstone_backup_age_seconds" not in values_of(measured)

    monkeypatch.setattr(health, "backup_age", lambda _: timedelta(hours=2))
    assert values_of(measured)["touchstone_backup_age_seconds"] == 7200


def test_a_scrape_while_the_database_is_away_says_so(settings):
    app = create_app(
        replace(settings, metrics_token=TOKEN, database_url="postgresql+psycopg://nobody@127.0.0.1:9/none")
    )

    found = values_of(app)

    assert found["touchstone_database_up"] == 0
    assert "touchstone_database_bytes" not in found
