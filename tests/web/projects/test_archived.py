"""An archived project says so on every page."""

from __future__ import annotations

import pytest

from app.models import Project

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
