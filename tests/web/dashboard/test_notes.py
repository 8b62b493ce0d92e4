"""Owners' notes and the target on the chart: written, changed and deleted with plain forms."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Bookmark, Run
from app.services.collection.rankers import set_production
from tests.furniture.databases import built_in
from tests.furniture.rankers import rankers_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/"


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    return built_in(stored, build_rankers)


def build_rankers(database: Database) -> TwoRankers:
    rankers = rankers_in(database, 12, slug="two", name="Two rankers")
    rankers.rate(rankers.queries)
    return rankers


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


def notes_of(rankers: TwoRankers) -> list[Bookmark]:
    with rankers.database.read() as session:
        return list(session.scalars(select(Bookmark).where(Bookmark.is_note).order_by(Bookmark.id)))


def test_a_note_is_numbered_on_the_chart_and_listed_beside_it(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    owner.post(f"{URL}overview/notes", data={"text": "  Reindexed \n & more "})
    page = owner.get(URL).text

    assert "Reindexed &amp; more" in page
    assert page.count('class="evb"') == 2  # in the wide drawing and in the narrow one
    assert "Reindexed &amp; more" in owner.get(f"{URL}overview/history.svg").text


def test_a_note_is_about_the_day_that_was_chosen(rankers: TwoRankers, owner: FlaskClient) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    owner.post(f"{URL}overview/notes", data={"text": "Before", "when": f"{yesterday:%Y-%m-%d}"})

    (note,) = notes_of(rankers)
    assert note.at.date() == yesterday.date()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"text": " "}, "Write what the note should say."),
        ({"text": "x" * 81}, "at most 80 characters"),
        ({"text": "Soon", "when": "2999-01-01"}, "choose a day up to today"),
        ({"text": "When", "when": "someday"}, "Choose a day for the note."),
    ],
)
def test_a_note_that_cannot_be_is_refused_with_its_reason(
    rankers: TwoRankers, owner: FlaskClient, said: dict[str, str], why: str
) -> None:
    page = owner.post(f"{URL}overview/notes", data=said, follow_redirects=True).text

    assert why in html.unescape(page)
    assert notes_of(rankers) == []


def test_a_note_in_a_replay_stands_at_its_week_and_adds_no_week(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    with rankers.making() as make:
        for week, run in enumerate(rankers.runs, start=1):
            make.session.add(
                Bookmark(project_id=rankers.project.id, revision=run.revision, label=f"Week {week}")
            )
    owner.post(f"{URL}overview/notes", data={"text": "Reindexed", "when": "1"})
    page = owner.get(URL).text

    assert notes_of(rankers)[0].revision == rankers.runs[0].revision
    assert re.search(r"Reindexed</span> <span[^>]*>Week 1<", page)
    table = page[page.index('data-ref="table"') :]
    rows = re.findall(r'<th scope="row" class="nowrap">([^<]+)<', table[: table.index("</table>")])
    assert rows == ["Week 1", "Week 2", "Now"]


def test_a_note_is_changed_and_deleted(rankers: TwoRankers, owner: FlaskClient) -> None:
    owner.post(f"{URL}overview/notes", data={"text": "Reindexd"})
    (note,) = notes_of(rankers)
    owner.post(f"{URL}overview/notes/{note.id}", data={"text": "Reindexed"})
    assert notes_of(rankers)[0].label == "Reindexed"
    owner.post(f"{URL}overview/notes/{note.id}", data={"text": "Reindexed", "do": "delete"})
    assert notes_of(rankers) == []


def test_weeks_and_notes_of_other_projects_are_out_of_reach(rankers: TwoRankers, owner: FlaskClient) -> None:
    with rankers.making() as make:
        other = make.project(slug="other", name="Other")
        foreign = Bookmark(project_id=other.id, revision=1, label="Theirs", is_note=True)
        week = Bookmark(project_id=rankers.project.id, revision=1, label="Week 1")
        make.session.add_all([foreign, week])
        make.session.flush()
        numbers = (foreign.id, week.id)

    for number in numbers:
        said = {"text": "Mine", "do": "delete"}
        assert owner.post(f"{URL}overview/notes/{number}", data=said).status_code == 404


@pytest.mark.thorough
def test_a_target_is_a_line_until_it_is_taken_back(rankers: TwoRankers, owner: FlaskClient) -> None:
    owner.post(f"{URL}overview/target", data={"target": "85"})
    assert owner.get(URL).text.count(">Target 85</text>") == 2
    refused = owner.post(f"{URL}overview/target", data={"target": "101"}, follow_redirects=True).text
    assert "A target is a whole number from 0 to 100." in refused
    assert ">Target 85</text>" in refused
    owner.post(f"{URL}overview/target", data={"target": ""})
    assert "Target 85" not in owner.get(URL).text


def test_a_viewer_reads_the_notes_and_has_no_form(
    rankers: TwoRankers, owner: FlaskClient, client_of: Callable[[Person], FlaskClient]
) -> None:
    owner.post(f"{URL}overview/notes", data={"text": "Reindexed"})
    with rankers.making() as make:
        viewer = client_of(make.member(rankers.project, "viewer"))
    page = viewer.get(URL).text

    assert "Reindexed" in page
    assert "overview/notes" not in page


def test_each_change_of_production_is_a_ring_at_the_score_of_its_version(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    def heights() -> list[str]:
        page = owner.get(URL).text
        wide = page[page.index("only-wide") : page.index("only-narrow")]
        return re.findall(r'class="ring" cx="[^"]+" cy="([^"]+)"', wide)

    rankers.put_in_production(rankers.runs[1])
    newest = rankers.add_run("Behind", good_first=True)
    (before,) = heights()
    rankers.put_in_production(newest)

    both = heights()
    assert len(both) == 2
    assert before in both
    assert len(set(both)) == 2


def test_every_point_of_a_version_is_a_link_to_its_page(rankers: TwoRankers, owner: FlaskClient) -> None:
    newest = rankers.add_run("Behind", good_first=True)
    page = owner.get(URL).text
    wide = page[page.index("only-wide") : page.index("only-narrow")]

    links = set(re.findall(r'<a href="([^"]+)" aria-label="([^"]+)"><circle class="hit"', wide))

    first, second = (run.id for run in rankers.runs[:2])
    assert links == {
        (f"/p/two/compare?first={first}", "Ahead: compare v1"),
        (f"/p/two/compare?first={second}", "Behind: compare v1"),
        (f"/p/two/compare/changes?version={newest.id}", "Behind: what changed with v2"),
    }
    assert wide.count('class="hit"') >= len(set(re.findall(r'pt" d="([^"]+)"', wide)))


def test_gaps_are_to_the_version_in_production_with_a_line_of_its_own(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    assert "Gap to <bdi>Ahead</bdi>" in owner.get(URL).text
    with rankers.database.write() as session:
        set_production(session, rankers.project, session.get_one(Run, rankers.runs[1].id))
    page = owner.get(URL).text
    assert "Gap to <bdi>Behind</bdi>" in page
    assert "Ring: a version went into production." in page
    rankers.add_run("Behind")
    page = owner.get(URL).text
    assert "Gap to <bdi>Behind v1</bdi>" in page
    gaps = dict(re.findall(r'data-key="(\w+)" data-scores="[^"]*" data-gaps="[^"]*?([^",]*)"', page))
    assert gaps[str(rankers.runs[0].ranker_id)] == "+37"
    assert gaps["production"] == ""
    # As shown then, the line of Behind ends in its newest version: a gap to it would be another one.
    assert "Gap to <bdi>" not in owner.get(f"{URL}?view=then").text
