"""Every number on the pages is what plain Python works out from the rows; what was shown then stays."""

from __future__ import annotations

import csv
import html
import io
import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, LedgerHead, Project, Ranker, Run
from app.scoring.intervals import MeanInterval, mean_interval
from app.services.collection.queries import retire_queries
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.scores.verdict_text import signed_gap
from app.services.scoring_settings import get_ruler, set_ruler, settings_of
from tests.furniture.plain_scores import plain_scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person, Query
    from app.models import Run as RunRow
    from tests.furniture.factories import Make
    from tests.furniture.plain_scores import PlainScores

K = 3
RANKERS = ("First", "Second", "Third")


@dataclass
class Varied:
    """Fourteen questions, three rankers, two annotators who often disagree; some answers unrated."""

    database: Database
    client: FlaskClient
    project: Project
    queries: list[Query]
    runs: list[RunRow]
    annotators: list[Person]
    making: Callable[[], AbstractContextManager[Make]]

    def plain(self) -> PlainScores:
        return plain_scores(self.database, "varied", K)

    def page(self, path: str = "") -> str:
        answer = self.client.get(f"/p/varied/{path}")
        assert answer.status_code == 200
        return html.unescape(answer.text)

    def history(self, view: str) -> list[dict[str, str]]:
        text = self.client.get(f"/p/varied/overview/history.csv?view={view}").text
        return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))

    def rate(self, seed: int, share: float) -> None:
        rng = random.Random(seed)
        with self.making() as make:
            for candidate in make.session.scalars(
                select(Candidate).where(Candidate.project_id == self.project.id).order_by(Candidate.id)
            ):
                for annotator in self.annotators:
                    if rng.random() < share:
                        make.judgment(candidate, annotator, rng.choice([0, 0, 1, 2, 3]))


@pytest.fixture
def varied(
    stored: Database,
    making: Callable[[], AbstractContextManager[Make]],
    client_of: Callable[[Person], FlaskClient],
) -> Varied:
    rng = random.Random(5)
    with making() as make:
        project = make.project(slug="varied", name="Varied", k=K, pool_depth=4)
        owner = make.member(project, "owner")
        annotators = [make.member(project, "annotator") for _ in range(2)]
        queries = [make.query(project, f"q{number:02}") for number in range(14)]
        documents = {query: [make.document(project) for _ in range(6)] for query in queries}
        runs = [
            make.run(
                make.ranker(project, name),
                {query: rng.sample(found, 5) for query, found in documents.items()},
            )
            for name in RANKERS
        ]
    found = Varied(stored, client_of(owner), project, queries, runs, annotators, making)
    found.rate(1, 0.5)
    return found


def table_rows(page: str, marker: str) -> dict[str, list[str]]:
    """Return the cells of the rows of a table, by their first cell."""
    table = page[page.index("<tbody>", page.index(marker)) :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</tbody>")], re.DOTALL)
    cells = [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]
    return {row[0]: row[1:] for row in cells}


def shown(score: float) -> int:
    return int(score * 100 + 0.5)


def assert_is_range_of(
    likely: str, apart: MeanInterval, bounds: tuple[float, float], best: tuple[float, float]
) -> None:
    """What stands beside a gap is its interval, or what unrated answers can still make of it, if that is more."""
    ends = f"{signed_gap(apart.low)} to {signed_gap(apart.high)}"
    if likely != f"likely {ends}":
        assert likely.endswith(" once all is rated")
        told = likely.removesuffix(" once all is rated")
        low, high = (int(end.replace("−", "-")) for end in told.split(" to "))
        least, most = (int(end.replace("−", "-")) for end in ends.split(" to "))
        assert low < least or high > most
        assert (bounds[0] - best[1]) * 100 - 1 < low <= high < (bounds[1] - best[0]) * 100 + 1


def test_the_overview_agrees_with_plain_python(varied: Varied) -> None:
    plain, page = varied.plain(), varied.page()

    rows = table_rows(page, 'aria-label="Scores for experts"')
    listed = re.findall(
        r'<span dir="auto">(\w+)<small>.*?<div class="lb__score"><b>([\d.]+)</b>.*?'
        r'<div class="lb__gap ltr">(?:<b>(.*?)</b>(?:<small>(.*?)</small>)?)?</div>',
        page,
        re.DOTALL,
    )
    assert [name for name, *_ in listed] == sorted(RANKERS, key=lambda name: -plain.mean(name))
    best = listed[0][0]
    for name, number, gap, likely in listed:
        mean, judged, bounds = plain.mean(name), plain.judged(name), plain.bounds(name)
        interval = mean_interval([plain.ndcg(name, query) for query in plain.scored])
        differences = [plain.ndcg(name, query) - plain.ndcg(best, query) for query in plain.scored]
        apart = mean_interval(differences, clip=None)
        assert float(number) == pytest.approx(mean * 100, abs=0.05)
        if name == best:
            assert (gap, likely) == ("", "")
        else:
            assert gap == signed_gap(apart.mean)
            assert_is_range_of(likely, apart, bounds, plain.bounds(best))
        assert rows[name][1:5] == [
            f"{mean:.3f}",
            f"{interval.low:.3f} to {interval.high:.3f}",
            f"{bounds[0]:.3f} to {bounds[1]:.3f}",
            f"{judged:.3f}",
        ]
        assert int(rows[name][5]) == len(plain.scored)


@pytest.mark.thorough
def test_the_questions_agree_with_plain_python(varied: Varied) -> None:
    plain, page = varied.plain(), varied.page("questions")

    rows = table_rows(page, 'class="table"')
    for query in plain.scored:
        values = [plain.ndcg(name, query) for name in RANKERS]
        (row,) = (cells for text, cells in rows.items() if f"mend {plain.names[query]}?" in text)
        mean, spread = sum(values) / 3, max(values) - min(values)
        assert sorted(row[-5:-2]) == sorted(str(shown(value)) for value in values)
        assert row[-2:] == [str(shown(value)) for value in (mean, spread)]
        sheet = varied.page(f"questions/{query}?ranker={varied.runs[1].ranker_id}")
        numbers = re.findall(r'<span class="big">(\d+)</span></header>', sheet)
        assert sorted(map(int, numbers)) == sorted(shown(value) for value in values)
        assert f"= {values[1]:.3f}</span>" in sheet


def test_compare_agrees_with_plain_python(varied: Varied) -> None:
    plain = varied.plain()
    first, second = varied.runs[0], varied.runs[2]

    page = varied.page(f"compare?first={first.id}&second={second.id}")
    gaps = [plain.ndcg("First", query) - plain.ndcg("Third", query) for query in plain.scored]
    mean = sum(gaps) / len(gaps)
    assert f"{mean:+.3f}".replace("-", "−") in page or f"{-mean:+.3f}".replace("-", "−") in page
    wins, losses = sum(gap > 1e-12 for gap in gaps), sum(gap < -1e-12 for gap in gaps)
    counts = re.search(r"(\d+) better with (\w+), (\d+) the same, (\d+) better with (\w+)", page)
    assert counts is not None
    told = {counts[2]: int(counts[1]), counts[5]: int(counts[4])}
    assert {name.split()[0]: number for name, number in told.items()} == {"First": wins, "Third": losses}


@pytest.mark.thorough
def test_every_view_of_time_ends_at_the_present_score(varied: Varied) -> None:
    plain = varied.plain()

    for view in ("today", "then"):
        newest = {row["ranker"]: row for row in varied.history(view)}
        for name in RANKERS:
            assert float(newest[name]["score"]) == pytest.approx(plain.mean(name), abs=1e-12)
            assert float(newest[name]["judged"]) == pytest.approx(plain.judged(name), abs=1e-12)
    (grown,) = {row["ranker"] for row in varied.history("growth")}
    last = varied.history("growth")[-1]
    assert (float(last["low"]), float(last["high"])) == pytest.approx(plain.bounds(grown), abs=1e-12)


@pytest.mark.thorough
def test_what_was_shown_then_is_what_is_told_of_then(varied: Varied) -> None:
    ruled = [{"gain": "exponential"}, {"unjudged": "complete"}]
    told: dict[tuple[str, str], tuple[str, str]] = {}

    for number, turn in enumerate(("rule", "withdraw", "rule", "restore", "retire")):
        with varied.database.write() as session:
            project = session.get_one(Project, varied.project.id)
            if turn == "rule":
                set_ruler(
                    session, project, replace(settings_of(get_ruler(session, project.id)), **ruled.pop(0))
                )
            elif turn == "retire":
                retire_queries(session, project, [varied.queries[0].external_id])
            else:
                run = session.get_one(Run, varied.runs[2].id)
                (withdraw_run if turn == "withdraw" else restore_run)(session, run)
            revision = session.get_one(LedgerHead, project.id).revision
        if turn != "retire":
            rows = table_rows(varied.page(), 'aria-label="Scores for experts"')
            told |= {(str(revision), name): (cells[1], cells[4]) for name, cells in rows.items()}
        varied.rate(number + 10, 0.2)
    then = {(row["revision"], row["ranker"]): row for row in varied.history("then")}

    assert len(told) == 3 + 2 + 2 + 3
    assert len({row["fingerprint"] for row in then.values()}) == 3
    for moment, (score, judged) in told.items():
        assert f"{float(then[moment]['score']):.3f}" == score
        assert f"{float(then[moment]['judged']):.3f}" == judged


@pytest.mark.thorough
def test_questions_added_later_change_no_number_of_then(varied: Varied) -> None:
    with varied.making() as make:
        late = [make.query(varied.project, f"late{number}") for number in range(3)]
        documents = {
            query: [make.document(varied.project, f"{query.external_id}-{n}") for n in range(4)]
            for query in late
        }
        lists = {
            query: [
                make.session.get_one(Document, number) for number in varied.plain().lists["First"][query.id]
            ]
            for query in varied.queries
        }
        first = make.session.get_one(Ranker, varied.runs[0].ranker_id)
        make.run(first, lists | documents)
    varied.rate(3, 1.0)

    rows = table_rows(varied.page(), 'aria-label="Scores for experts"')
    newest = {row["ranker"]: row for row in varied.history("then")}
    report = table_rows(varied.page("report"), 'aria-label="Scores of all rankers"')
    for name in RANKERS:
        assert f"{float(newest[name]['score']):.3f}" == rows[name][1]
        assert (newest[name]["scored_queries"], rows[name][5]) == ("14", "14")
        assert sum(ranker.startswith(name) for ranker in report) == 1
    assert re.search(r"scored for all rankers</dt>\s*<dd>14 of ", varied.page("report"))
