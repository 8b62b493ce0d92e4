"""An archived project says so on every page."""

from __future__ import annotations

import re

import pytest

from app.models import Project, Reason, Request
from tests.furniture.assigning import assign_best_batch
from tests.furniture.routes import rows_of

BAR = "This project is archived: nobody can rate, decide or import."


@pytest.fixture
def archived(making, rated):
    with making() as make:
        make.session.get(Project, rated.project.id).state = "archived"
        viewer = make.member(rated.project, "viewer")
    return rated, viewer


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page",
    [
        "",
        "questions",
        "compare",
        "compare/changes",
        "next",
        "quality",
        "quality/annotators",
        "quality/work",
        "import",
        "rankers",
        "people",
        "share",
        "settings",
        "settings/quality",
        "review",
        "export",
        "report",
        "trail",
    ],
)
def test_every_page_of_an_archived_project_says_so_and_leads_to_the_settings(client_of, archived, page):
    shown = client_of(archived[0].owner).get(f"/p/help-centre/{page}").text

    assert BAR in shown
    assert "/p/help-centre/settings#state" in shown


def test_the_rating_page_and_its_preview_say_so(client_of, making, archived):
    rated, _ = archived
    with making() as make:
        project = make.session.get(Project, rated.project.id)
        project.state = "open"
        batch = assign_best_batch(make.session, project.id, rated.annotator.id).batch
        project.state = "archived"

    page = client_of(rated.annotator).get(f"/p/help-centre/rate/{batch}").text
    preview = client_of(rated.owner).get("/p/help-centre/rate/preview").text

    assert BAR in page
    assert "An owner can restore it." in page
    assert BAR in preview
    assert "/p/help-centre/settings#state" in preview


SENT = {
    "next/finishing": {"depth": "2", "overlap": "3"},
    "next/rate": {"query": "12"},
    "next/requests": {"query": "12"},
    "next/requests/1/withdraw": {},
    "answers/{answer}/gold": {"grade": "3"},
    "review/answers/{answer}/send": {"turn": "send"},
    "review/remarks": {"turn": "release", "scope": "all"},
    "rankers/versions/1/withdraw": {},
    "rankers/versions/1/delete": {},
    "import/undo/{run}": {},
    "settings/answers/fetch": {},
    "settings/answers/upload": {},
    "settings/quality/release": {"reason": "expertise"},
}


@pytest.fixture
def full(making, archived):
    """One request, and an answer that the annotator could not judge."""
    rated, _ = archived
    with making() as make:
        last, answer = rated.queries[-1], rated.candidates[-1]
        make.session.add(
            Request(
                project_id=rated.project.id, query_id=last.id, person_id=rated.owner.id, revision=1, answers=3
            )
        )
        make.judgment(answer, rated.annotator, None, reason=Reason.EXPERTISE)
    return {"answer": answer.public_id, "run": rated.runs[0].revision}


@pytest.mark.parametrize("path", SENT)
def test_what_changes_what_is_rated_decided_or_imported_is_refused(client_of, archived, full, stored, path):
    owner, before = client_of(archived[0].owner), rows_of(stored)

    reply = owner.post(f"/p/help-centre/{path.format(**full)}", data=SENT[path])

    said = reply.text if reply.status_code == 409 else owner.get(reply.location).text
    assert re.search(
        r"project help-centre is archived: restore it first|nothing is decided in it any more", said
    )
    assert {name for name, rows in rows_of(stored).items() if rows != before[name]} <= {"open_session"}


def test_what_next_offers_nothing_that_changes_something(client_of, archived, full):
    page = client_of(archived[0].owner).get("/p/help-centre/next").text

    assert "Show the time" in page
    assert re.findall(r'<form[^>]*method="post" action="/p/help-centre/[^"]*"', page) == []


def test_the_printed_report_says_so_too(client_of, archived):
    shown = client_of(archived[0].owner).get("/p/help-centre/report").text

    assert " · archived" in " ".join(shown[shown.index("report__head") :].split())


def test_whoever_cannot_restore_it_is_told_who_can(client_of, archived):
    shown = client_of(archived[1]).get("/p/help-centre/questions").text

    assert BAR in shown
    assert "An owner can restore it." in shown
    assert "Restore it in Settings" not in shown


def test_a_project_in_use_says_nothing(client_of, rated):
    assert BAR not in client_of(rated.owner).get("/p/help-centre/questions").text


def test_home_asks_nobody_to_set_an_archived_project_up(client_of, making):
    with making() as make:
        project = make.project(k=1, slug="alone", name="Alone")
        owner = make.member(project, "owner")
    assert "Being set up" in client_of(owner).get("/").text

    with making() as make:
        make.session.get(Project, project.id).state = "archived"

    assert "Being set up" not in client_of(owner).get("/").text
