"""The overview in another measure, or on the questions of one tag: numbers of the engine, no verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, Query
from app.scoring.measures.registry import MEASURES
from app.services.evidence.store import evidence_of
from app.services.scores.scoreboard import score_runs
from tests.furniture.databases import built_in
from tests.furniture.rankers import GAP, rankers_in
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

    from app.database import Database
    from app.models import Person
    from tests.furniture.rankers import TwoRankers

URL = "/p/two/"
WORDS = ("Too early", "Not sure yet", "Too close to call", "Probably", "Sure", "Surely")


@pytest.fixture
def rankers(stored: Database) -> TwoRankers:
    return built_in(stored, build_rankers)


def build_rankers(database: Database) -> TwoRankers:
    rankers = rankers_in(database, 24, behind_wins=4, slug="two", name="Two rankers")
    with database.write() as session:
        for number, query in enumerate(rankers.queries):
            session.get_one(Query, query.id).tags = ["turned"] if number < 4 else ["usual"]
    rankers.rate(rankers.queries)
    return rankers


@pytest.fixture
def owner(rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]) -> FlaskClient:
    with rankers.making() as make:
        return client_of(make.member(rankers.project, "owner"))


def scores_in(page: str) -> list[str]:
    return re.findall(r'<div class="lb__score"><b>([^<]+)</b>', page)


@pytest.mark.thorough
def test_the_chart_follows_the_tag_and_the_measure(rankers: TwoRankers, owner: FlaskClient) -> None:
    def drawn(**chosen: str) -> list[str]:
        page = owner.get(URL, query_string=chosen).text
        table = re.search(r'<details id="history">.*?</details>', page, re.DOTALL)
        assert table is not None
        # A minute after the last version there is a row for now as well.
        newest = table[0][table[0].rindex("<tr") :]
        return re.findall(r'<td class="num">(?:<a[^>]*>)?([\d.]+)', newest)

    everything, turned = drawn(), drawn(tag="turned")

    for chosen in (
        {"tag": "turned"},
        {"tag": "usual"},
        {"measure": "P@1"},
        {"measure": "RR", "tag": "usual"},
    ):
        page = owner.get(URL, query_string=chosen).text
        lines = sorted(float(value) for value in drawn(**chosen))
        assert lines == pytest.approx(sorted(float(score) for score in scores_in(page)), abs=0.51), chosen
    assert turned != everything


def test_another_measure_shows_its_scores_and_gaps_without_a_word(
    rankers: TwoRankers, owner: FlaskClient
) -> None:
    page = owner.get(URL, query_string={"measure": "P@1"}).text
    evidence = evidence_of(rankers.database, rankers.project.id)
    board = score_runs(evidence, evidence.current_runs(), measures="P@1")

    means = [float(row.mean()) * 100 for row in board.values["P@1"]]
    assert scores_in(page) == [f"{mean:.1f}" for mean in sorted(means, reverse=True)]
    assert '<h1 id="now-h" dir="auto">Scores in P@1</h1>' in page
    assert "Verdicts use NDCG@2, so this page has none." in text_of(page)
    of_a_tag = text_of(owner.get(URL, query_string={"tag": "turned"}).text)
    assert "Verdicts are on questions of all tags, so this page has none." in of_a_tag
    stone = text_of(page[page.index('class="stone answer"') :])
    assert all(word not in stone for word in WORDS)
    assert "<b>−67</b>" in page


@pytest.mark.thorough
def test_ranges_that_leave_out_unrated_answers_say_so(
    stored: Database, client_of: Callable[[Person], FlaskClient], owner: FlaskClient
) -> None:
    said = "Unrated answers count as 0 for now; the ranges do not show what rating them could change."
    half = rankers_in(stored, 24, behind_wins=4, slug="half", name="Half")
    # One answer of each question, and so all are scored.
    with half.making() as make:
        viewer = make.member(half.project, "viewer")
        good = {documents[0].id for documents in half.answers.values()}
        for candidate in make.session.scalars(select(Candidate).where(Candidate.document_id.in_(good))):
            make.judgment(candidate, half.annotator, 3)

    visitor = client_of(viewer)
    assert said in text_of(visitor.get("/p/half/", query_string={"measure": "P@1"}).text)
    skipped = text_of(visitor.get("/p/half/", query_string={"measure": "condensed-NDCG@2"}).text)
    assert said not in skipped
    assert "if unrated answers count as 0" not in skipped
    assert (
        "This measure does not count unrated answers; the ranges do not show what rating them could"
        in skipped
    )
    assert said not in text_of(owner.get(URL, query_string={"measure": "P@1"}).text)


def test_a_measure_of_whole_lists_is_worked_out_too(owner: FlaskClient) -> None:
    assert len(scores_in(owner.get(URL, query_string={"measure": "AP"}).text)) == 2


@pytest.mark.thorough
def test_every_measure_has_a_page_whatever_its_values(owner: FlaskClient) -> None:
    for name in [measure.name for measure in MEASURES]:
        for measure in (name, f"{name}@1", f"{name}@5"):
            assert owner.get(URL, query_string={"measure": measure}).status_code == 200, measure


def test_the_questions_of_a_tag_have_their_own_scores_without_a_word(owner: FlaskClient) -> None:
    page = owner.get(URL, query_string={"tag": "turned"}).text

    assert "Scores in NDCG@2 for “turned”" in page
    assert "4 questions are scored for all rankers. Intervals need 8 questions." in text_of(page)
    assert f"<b>+{GAP * 100:.0f}</b>" in page
    assert "lb__streak" not in page
    assert all(word not in text_of(page[page.index('class="stone answer"') :]) for word in WORDS)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("measure=nonsense", "There is no measure “nonsense”, so this page shows NDCG@2."),
        (
            "measure=DCG@5",
            "DCG@5 has no highest value, and here scores go up to 100, so this page shows NDCG@2.",
        ),
        ("measure=RBP-residual", "RBP-residual is better when smaller, so this page shows NDCG@2."),
        ("tag=unknown", "No question has the tag “unknown”, so this page shows all questions."),
    ],
)
def test_what_cannot_be_shown_is_said_above_the_usual_page(
    owner: FlaskClient, query: str, message: str
) -> None:
    page = owner.get(f"{URL}?{query}").text

    assert message in text_of(page)
    assert "Ahead is better than Behind, by 25 points." in page


@pytest.mark.thorough
@pytest.mark.parametrize("query", ["measure=ndcg@2", "measure=", "tag="])
def test_the_usual_measure_by_its_name_is_the_usual_page(owner: FlaskClient, query: str) -> None:
    page = owner.get(f"{URL}?{query}").text

    assert "Ahead is better than Behind, by 25 points." in page
    assert "so this page shows" not in page


@pytest.mark.thorough
def test_every_measure_that_is_offered_is_shown(owner: FlaskClient) -> None:
    menu = re.search(r'<select class="select" name="measure">(.*?)</select>', owner.get(URL).text, re.DOTALL)
    assert menu is not None
    offered = re.findall(r"<option>([^<]+)</option>", menu[1])

    assert {"P@2", "judged@2", "AP", "AP@2", "RBP", "condensed-NDCG@2"} <= set(offered)
    for name in offered:
        page = owner.get(URL, query_string={"measure": name}).text
        assert f"Scores in {name}</h1>" in page
        assert all(0 <= float(score) <= 100 for score in scores_in(page)), name


def test_the_switch_offers_measures_and_tags_and_marks_the_chosen_ones(owner: FlaskClient) -> None:
    usual = owner.get(URL).text
    chosen = owner.get(URL, query_string={"measure": "P@7", "tag": "usual"}).text

    assert "Measure: NDCG@2" in text_of(usual)
    assert '<option value="">NDCG@2 (usual)</option>' in usual
    assert "<option>P@2</option>" in usual
    assert "<option>usual</option>" in usual
    assert "<option selected>P@7</option>" in chosen
    assert "<option selected>usual</option>" in chosen


def test_a_project_without_a_ranker_has_nothing_to_switch(
    rankers: TwoRankers, client_of: Callable[[Person], FlaskClient]
) -> None:
    with rankers.making() as make:
        client = client_of(make.member(make.project(slug="bare"), "owner"))

    assert "No ranker has been imported yet." in client.get("/p/bare/?measure=P@5").text
