"""The three views of time: what the address chooses, what is joined, why a number moved, and the files."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from app.models import Bookmark, EventKind, Project, Run
from app.services.collection.rankers import set_production
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.evidence.store import evidence_of
from app.services.evidence.structure import RunFact
from app.services.scores.history import Moment, history_as_of
from app.services.scores.jumps import score_change_between
from app.services.scores.timeline import moments_of
from app.web.dashboard.timescale import DAY, TimeScale
from tests.furniture.databases import built_in
from tests.furniture.rankers import rankers_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    """Return two rankers with a third ranker, a second version and a ruler change."""
    return built_in(stored, build_rankers)


def build_rankers(database: Database) -> TwoRankers:
    rankers = rankers_in(database, 24, behind_wins=4, slug="two", name="Two rankers")
    rankers.rate(rankers.queries[:12])
    rankers.add_run("Third", good_first=False)
    rankers.rate(rankers.queries[12:20])
    rankers.set_ruler(gain="exponential")
    rankers.add_run("Behind", good_first=True)
    rankers.rate(rankers.queries[20:])
    return rankers


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


def lines_of(page: str) -> dict[str, str]:
    """Return the markup of each line of the wide drawing, by ranker."""
    wide = page[page.index('class="chart only-wide"') : page.index('class="chart only-narrow"')]
    return dict(re.findall(r'<g data-line="[^"]*" data-name="([^"]+)"(.*?)</g>', wide, re.DOTALL))


def rings_of(page: str) -> list[str]:
    """Return the ranker of each ring of the wide drawing."""
    wide = page[page.index('class="chart only-wide"') : page.index('class="chart only-narrow"')]
    names = dict(re.findall(r'<g data-line="([^"]*)" data-name="([^"]+)"', wide))
    return [names[key] for key in re.findall(r'class="ring"[^>]* data-line="([^"]*)"', wide)]


def rows_of(page: str) -> list[str]:
    """Return the first cell of each row of the table."""
    return re.findall(r'<th scope="row" class="nowrap">([^<]+)', page)


def end_week(rankers: TwoRankers) -> None:
    """End a week here, as the demo does."""
    week = evidence_of(rankers.database, rankers.project.id).revision
    with rankers.making() as make:
        make.session.add(Bookmark(project_id=rankers.project.id, revision=week, label="Week 1"))


@pytest.mark.thorough
def test_rankers_band_and_range_are_chosen_by_the_address(rankers: TwoRankers, owner: FlaskClient) -> None:
    ahead, behind = rankers.runs[0].ranker_id, rankers.runs[1].ranker_id
    usual = lines_of(owner.get(URL).text)
    chosen = owner.get(f"{URL}?ranker={ahead}&ranker={behind}&band={behind}").text
    found = lines_of(chosen)

    assert set(usual) == {"Ahead", "Behind", "Third"}
    assert set(found) == {"Ahead", "Behind"}
    assert ("band" in found["Behind"], "band" in found["Ahead"]) == (True, False)
    # The part that follows the ledger, and both files, keep to the same choice.
    for link in ("overview/part", "history.svg", "history.csv"):
        assert re.search(rf"{link}\?ranker={ahead}&amp;ranker={behind}&amp;band={behind}", chosen)
    nothing = owner.get(f"{URL}?until=2001-01-01").text
    assert "There is nothing to show for these rankers and this time." in nothing


@pytest.mark.thorough
@pytest.mark.parametrize(
    "said", ["ranker=x&band=-1", "from=yesterday&until=99999-99-99", "view=growth&version=9"]
)
def test_an_address_that_makes_no_sense_shows_the_usual(owner: FlaskClient, said: str) -> None:
    answer = owner.get(f"{URL}?{said}")

    assert answer.status_code == 200
    assert "Score over time" in answer.text


def test_points_of_different_rulers_are_never_joined(rankers: TwoRankers, owner: FlaskClient) -> None:
    evidence = evidence_of(rankers.database, rankers.project.id)
    with rankers.database.read() as session:
        history = history_as_of(evidence, moments_of(session, evidence))
    points = history.points[rankers.runs[0].ranker_id]
    rulers = [point.fingerprint for point in points if point.score is not None]
    assert len(set(rulers)) == 2

    drawn = lines_of(owner.get(f"{URL}?view=then").text)["Ahead"]
    # One path for each ruler with two points or more: no path crosses from one to the next.
    joined = sum(rulers.count(ruler) > 1 for ruler in set(rulers))
    assert drawn.count('class="ln ') == joined


@pytest.mark.parametrize("replayed", [False, True])
def test_every_number_that_was_shown_is_a_row_of_page_and_file(
    rankers: TwoRankers, owner: FlaskClient, replayed: bool
) -> None:
    evidence = evidence_of(rankers.database, rankers.project.id)
    rulers = [event.revision for event in evidence.structure.turning if event.kind == EventKind.RULER_SET]
    if replayed:
        with rankers.making() as make:
            make.session.add(Bookmark(project_id=rankers.project.id, revision=rulers[-1] - 3, label="Week 1"))

    page = html.unescape(owner.get(f"{URL}?view=then").text)
    file = owner.get(f"{URL}overview/history.csv?view=then").text
    rows = list(csv.DictReader(io.StringIO(file.lstrip("\ufeff"))))
    ahead = [row for row in rows if row["ranker"] == "Ahead" and row["score"]]
    table = page[page.index('data-ref="table"') :]
    linked = re.findall(rf"point={rankers.runs[0].ranker_id}-(\d+)", table[: table.index("</table>")])

    assert str(rulers[-1] - 1) in linked
    assert linked == [row["revision"] for row in ahead]
    assert ", before a new version or setting" in page


def test_events_are_told_in_a_closed_list_and_not_on_the_chart(owner: FlaskClient) -> None:
    page = html.unescape(owner.get(URL).text)
    told = page[page.index('<details id="happened">') :]
    texts = re.findall(r"<li>(.*?)</li>", told[: told.index("</ol>")])

    for wanted in ("Settings: gain from linear to exponential", "Behind v2"):
        assert any(wanted in text for text in texts), (wanted, texts)
    assert 'class="evb"' not in page
    assert "Settings: gain" not in page[: page.index('<details id="happened">')]


def test_a_range_of_weeks_holds_no_week_before_it_on_page_or_in_the_file(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    ends = [run.revision for run in (rankers.runs[1], rankers.runs[2], rankers.runs[3])]
    with rankers.making() as make:
        for week, revision in enumerate(ends, start=1):
            make.session.add(Bookmark(project_id=rankers.project.id, revision=revision, label=f"Week {week}"))

    page = html.unescape(owner.get(f"{URL}?from=2").text)
    file = owner.get(f"{URL}overview/history.csv?from=2").text
    table = page[page.index('data-ref="table"') :]
    rows = re.findall(r'<th scope="row" class="nowrap">([^<]+)<', table[: table.index("</table>")])

    assert rows == ["Week 2", "Week 3", "Now"]
    told = {(row["label"], bool(row["moment"])) for row in csv.DictReader(io.StringIO(file.lstrip("\ufeff")))}
    assert told == {("Week 2", False), ("Week 3", False), ("", True)}


def test_replayed_weeks_tell_how_far_the_pool_grew_in_each(rankers: TwoRankers, owner: FlaskClient) -> None:
    for week, notes in enumerate([("",), ("", "A new idea", "")], start=1):
        with rankers.making() as make:
            for number, note in enumerate(notes):
                found = {
                    query: [make.document(rankers.project, f"{week}-{number}-{query.external_id}")]
                    for query in rankers.queries[: number + 1]
                }
                ranker = make.ranker(rankers.project, f"R{week}{number}")
                make.run(ranker, found)
                last = make.run(ranker, found, note=note).revision
            make.session.add(Bookmark(project_id=rankers.project.id, revision=last, label=f"Week {week}"))
    page = html.unescape(owner.get(URL).text)
    told = page[page.index('<ol class="happened"') :]
    told = re.sub(r"<[^>]+>", " ", told[: told.index("</ol>")])

    assert re.search(r"1 new answer to rate\s", told)
    assert "R21 v2: A new idea; 6 new answers to rate in that week" in told


def test_what_went_into_production_after_the_weeks_has_its_ring_there(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries[:15])
    end_week(rankers)
    rankers.put_in_production(rankers.runs[0])
    rankers.rate(rankers.queries[15:])

    page = html.unescape(owner.get(URL).text)

    chart = page[page.index('<svg class="chart') :]
    chart = chart[: chart.index("</svg>")]
    rings = [float(x) for x in re.findall(r'class="ring" cx="([0-9.]+)"', chart)]
    assert rings == [max(float(x) for x in re.findall(r'cx="([0-9.]+)"', chart))]


def test_what_went_into_production_after_the_last_point_has_no_ring_at_an_older_one(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    end_week(rankers)
    rankers.put_in_production(rankers.runs[0])

    charts = [
        owner.get(f"{URL}?view={view}").text.split('<svg class="chart')[1] for view in ("today", "then")
    ]

    assert [chart.split("</svg>")[0].count('class="ring"') for chart in charts] == [1, 0]


def test_a_ring_is_drawn_only_where_its_line_has_a_point(rankers: TwoRankers, owner: FlaskClient) -> None:
    def places(kind: str) -> set[tuple[float, float]]:
        found = re.findall(rf'class="{kind}" cx="([0-9.]+)" cy="([0-9.]+)"', wide)
        return {(float(x), float(y)) for x, y in found}

    rankers.put_in_production(rankers.runs[0])
    rankers.rate(rankers.queries[:5], (2, 1))

    page = owner.get(f"{URL}?view=then").text

    wide = page[page.index('class="chart only-wide"') : page.index('class="chart only-narrow"')]
    assert rings_of(page) == ["Ahead"]
    assert places("ring") <= places("hit")


def test_no_ring_is_around_the_version_that_stands_where_the_marked_one_was_withdrawn(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.rate(rankers.queries)
    end_week(rankers)
    for run in (rankers.runs[3], rankers.runs[0]):
        rankers.put_in_production(run)
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, rankers.runs[3].id))

    rings = [rings_of(owner.get(f"{URL}?view={view}").text) for view in ("today", "then")]

    assert [found.count("Behind") for found in rings] == [0, 0]
    assert rings[0].count("Ahead") == 1


def test_no_ring_is_drawn_where_the_mark_was_removed_on_the_same_day(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.put_in_production(rankers.runs[0])
    assert "Ring: a version went into production." in owner.get(URL).text
    with rankers.database.write() as session:
        set_production(session, session.get_one(Project, rankers.project.id), None)

    assert "Ring: a version went into production." not in owner.get(URL).text


def test_rings_lie_above_all_points(rankers: TwoRankers, owner: FlaskClient) -> None:
    for run in rankers.runs[:2]:
        rankers.put_in_production(run)

    page = owner.get(URL).text
    file = owner.get(f"{URL}overview/history.svg").text

    wide = page[page.index('class="chart only-wide"') : page.index('class="chart only-narrow"')]
    assert sorted(rings_of(page)) == ["Ahead", "Behind v1"]
    assert wide.rindex(' pt"') < wide.index('class="ring"')
    assert file.rindex("<path") < file.index('r="9"')
    assert "Ring: a version went into production." in " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", file))


@pytest.mark.parametrize("view", ["then", "growth"])
def test_each_row_of_a_minute_reads_differently(rankers: TwoRankers, owner: FlaskClient, view: str) -> None:
    for turn in (withdraw_run, restore_run) * 2:
        with rankers.database.write() as session:
            turn(session, session.get_one(Run, rankers.runs[3].id))

    rows = rows_of(owner.get(f"{URL}?view={view}").text)

    assert len(set(rows)) == len(rows)
    assert "Now" not in rows, "what came back last stands at its time"


def test_a_line_has_a_gap_while_its_ranker_is_withdrawn(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.rate(rankers.queries)
    before = lines_of(owner.get(f"{URL}?view=then").text)
    for turn in (withdraw_run, restore_run):
        for run in (rankers.runs[3], rankers.runs[1]):
            with rankers.database.write() as session:
                turn(session, session.get_one(Run, run.id))

    page = owner.get(f"{URL}?view=then").text
    after, table = lines_of(page), page[page.index('data-ref="table"') :]

    assert "no version" in table[: table.index("</table>")]
    assert after["Behind"].count('class="ln ') == before["Behind"].count('class="ln ') + 1


def test_what_happened_after_the_weeks_has_its_date(rankers: TwoRankers, owner: FlaskClient) -> None:
    end_week(rankers)
    rankers.put_in_production(rankers.runs[0])

    page = html.unescape(owner.get(URL).text)
    told = page[page.index('<details id="happened">') :]

    assert re.search(r"Ahead v1 in production <span[^>]*>\d+ \w+ \d{4}</span>", told)
    assert rows_of(page) == ["Week 1", "Now"]
    when = page[page.index('name="when"') :]
    choices = re.findall(r"<option[^>]*>\s*([^<]+?)\s*</option>", when[: when.index("</select>")])
    assert choices == ["Week 1", "Now"]


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("today", "Scored with today’s ratings."),
        ("then", "Each score as it was at that time. A rise can also come from new ratings."),
        ("growth", "How the score of one version moved as ratings came in."),
    ],
)
def test_page_file_and_help_say_alike_what_a_view_shows(owner: FlaskClient, view: str, words: str) -> None:
    page = html.unescape(owner.get(f"{URL}?view={view}").text)
    file = html.unescape(owner.get(f"{URL}overview/history.svg?view={view}").text)

    assert page.count(words) == 1
    assert words in " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", file))
    assert words in html.unescape(owner.get("/help/scores").text)


def test_a_week_shows_the_newest_version_then_of_those_not_withdrawn_since(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    end_week(rankers)
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, rankers.runs[3].id))

    file = owner.get(f"{URL}overview/history.csv").text
    shown = [row for row in csv.DictReader(io.StringIO(file.lstrip("\ufeff"))) if row["ranker"] == "Behind"]

    assert [(row["label"], bool(row["moment"]), row["version"]) for row in shown] == [
        ("Week 1", False, "v1"),
        ("", True, "v1"),
    ]


def test_many_versions_of_one_day_are_one_event(rankers: TwoRankers, owner: FlaskClient) -> None:
    rankers.set_ruler(k=1)
    for _ in range(4):
        rankers.add_run("Ahead")
    page = html.unescape(owner.get(URL).text)

    # The settings told between part them from an earlier version of the day.
    assert "4 new versions: Ahead v2, Ahead v3 and 2 more" in page
    assert "5 new versions" not in page


def test_the_settings_that_changed_are_named_from_what_to_what(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    rankers.set_ruler(k=1)
    rankers.set_ruler(unjudged="complete")
    rankers.set_ruler(unjudged="open")
    page = html.unescape(owner.get(URL).text)

    for words in ("k from 2 to 1", "unrated answers treated as not relevant", "unrated answers kept open"):
        assert f"Settings: {words}" in page
    newest = rankers.events(EventKind.RULER_SET)[-1].revision
    point = f"{URL}?view=then&point={rankers.runs[0].ranker_id}-{newest}"
    told = html.unescape(owner.get(point).text)
    assert "Unrated answers kept open" in told
    assert re.search(r"to [0-9.]+ \(\d+ \w+ \d{4}, \d\d:\d\d[:.\d]* UTC\)", told)


def test_evidence_grows_of_the_newest_version_of_the_leader(rankers: TwoRankers, owner: FlaskClient) -> None:
    newest = rankers.add_run("Ahead")
    with rankers.database.write() as session:
        withdraw_run(session, session.get_one(Run, rankers.runs[0].id))
    page = html.unescape(owner.get(f"{URL}?view=growth").text)

    assert (
        "could move the score, on the questions scored at that time. Other questions, new answers and second ratings can"
        in page
    )
    assert ">Ahead v1 (withdrawn)<" in page
    assert f'value="{newest.id}" selected>Ahead v2<' in page


def test_a_jump_is_told_as_the_sum_of_its_parts(rankers: TwoRankers, owner: FlaskClient) -> None:
    evidence = evidence_of(rankers.database, rankers.project.id)
    with rankers.database.read() as session:
        history = history_as_of(evidence, moments_of(session, evidence))
    before, after = [one for one in history.points[rankers.runs[1].ranker_id] if one.score is not None][-2:]
    jump = score_change_between(evidence, before, after)
    assert jump is not None
    page = html.unescape(
        owner.get(f"{URL}?view=then&point={after.run.ranker_id}-{after.moment.revision}").text
    )
    table = page[page.index('aria-label="About this number"') :]
    numbers = [
        float(text.replace("−", "-"))
        for text in re.findall(r'<td class="num">([+−]?[\d.]+)</td>', table[: table.index("</table>")])
    ]

    assert numbers[:-1] == pytest.approx([part.moved * 100 for part in jump.parts], abs=0.051)
    assert numbers[-1] == pytest.approx(jump.moved * 100, abs=0.051)
    assert [part.kind for part in jump.parts][-2:] == ["ranker", "common"]
    assert sum(part.moved for part in jump.parts) == pytest.approx(jump.moved, abs=1e-12)


@pytest.mark.parametrize(("days", "columns"), [(0, 1), (3, 3)])
def test_on_the_first_day_each_ranker_is_one_point(
    stored: Database, client_of: Callable[[Person], FlaskClient], days: int, columns: int
) -> None:
    rankers = rankers_in(stored, 12, behind_wins=2, slug="two", name="Two rankers")
    rankers.rate(rankers.queries)
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days)
    with rankers.making() as make:
        for number, run in enumerate(rankers.runs):
            make.session.get_one(Run, run.id).registered_at = day + timedelta(seconds=number * 90)
        owner = make.member(rankers.project, "owner")
    page = client_of(owner).get(URL).text

    shown = re.findall(r'data-scores="([^"]*)"', page)
    assert len(shown) == 2
    assert {len(scores.split(" ")) for scores in shown} == {columns}


@pytest.mark.thorough
@pytest.mark.parametrize("view", ["today", "growth", "then"])
def test_the_drawing_stands_alone_and_the_table_holds_its_points(
    rankers: TwoRankers, owner: FlaskClient, view: str
) -> None:
    drawing = owner.get(f"{URL}overview/history.svg?view={view}")
    table = owner.get(f"{URL}overview/history.csv?view={view}")
    root = ET.fromstring(drawing.text)
    rows = list(csv.DictReader(io.StringIO(table.text.lstrip("\ufeff"))))

    assert drawing.headers["Content-Disposition"] == 'attachment; filename="two-history.svg"'
    assert root.tag == f"{SVG}svg"
    # It needs nothing else, and nothing in it that a strict policy refuses.
    assert not re.search(r'(href|src|class|style)="|<style|<script', drawing.text)
    assert all(path.get("fill") for path in root.iter(f"{SVG}path"))
    ruler = evidence_of(rankers.database, rankers.project.id).ruler_at()
    assert ruler.fingerprint[:12] in drawing.text
    assert rows
    assert {row["band"] for row in rows} == {"exact bounds" if view == "growth" else "95% interval"}
    for row in rows:
        if row["score"] and row["low"]:
            assert float(row["low"]) - 1e-12 <= float(row["score"]) <= float(row["high"]) + 1e-12


def test_a_note_of_a_first_version_is_told_too(rankers: TwoRankers, owner: FlaskClient) -> None:
    with rankers.making() as make:
        new = {
            query: [make.document(rankers.project, f"new-{query.external_id}")] for query in rankers.queries
        }
        run = make.run(make.ranker(rankers.project, "Fourth"), new, note="Dense vectors").id
    page = html.unescape(owner.get(URL).text)
    told = page[page.index('<ol class="happened"') :]

    assert "Fourth v1: Dense vectors;" in told[: told.index("</ol>")]
    assert '<p dir="auto">Dense vectors</p>' in owner.get(f"{URL}compare/changes?version={run}").text


def imported(*runs: tuple[str, str]) -> list[RunFact]:
    """Return versions, each of a ranker (a letter) and imported at a time of one day."""
    return [
        RunFact(
            id=number,
            ranker_id=ord(ranker),
            ranker=ranker,
            kind="system",
            mark=0,
            version=f"v{number}",
            note="",
            revision=number,
            registered_at=datetime.fromisoformat(f"2026-11-20T{at}+00:00"),
        )
        for number, (ranker, at) in enumerate(runs, 1)
    ]


@pytest.mark.parametrize(
    ("runs", "labels"),
    [
        # In the table, the third was in the row of the first, half a minute before it was there.
        (
            [("a", "09:28:10"), ("a", "09:28:50"), ("b", "09:29:05")],
            ["20 Nov 2026, 09:28 UTC", "20 Nov 2026, 09:29 UTC", "20 Nov 2026, 09:29 UTC"],
        ),
        (
            [("a", "09:28:50"), ("b", "09:29:05"), ("c", "09:29:52")],
            ["20 Nov 2026, 09:29:05 UTC", "20 Nov 2026, 09:29:05 UTC", "20 Nov 2026, 09:29:52 UTC"],
        ),
        (
            [("a", "09:28:10"), ("a", "09:28:10"), ("a", "09:28:10")],
            ["20 Nov 2026, 09:28:10.000 UTC"] * 3,
        ),
    ],
)
def test_no_version_stands_at_a_time_before_it_was_imported(
    app: Flask, runs: list[tuple[str, str]], labels: list[str]
) -> None:
    facts = imported(*runs)
    moments = [Moment(run.revision, run.registered_at) for run in facts]
    scale = TimeScale([], 0, facts)

    places = [scale.place_of(moment) for moment in moments]
    with app.test_request_context("/"):
        assert [scale.label(moment) for moment in moments] == labels

    assert places == sorted(places)
    for run, place in zip(facts, places, strict=True):
        assert place * DAY >= run.registered_at.timestamp()
    # Those of one ranker have each a place of its own.
    assert len({(run.ranker, place) for run, place in zip(facts, places, strict=True)}) == len(facts)
