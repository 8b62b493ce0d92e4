"""The pages of questions: found by search, shown with their lists, downloadable."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from app.models import Candidate, Project
from app.services.evidence.store import evidence_of
from app.services.projects.settings import change_ruler
from app.services.scores.scoreboard import score_runs
from app.web.queries.listing import KEYS
from tests.furniture.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from flask.testing import FlaskClient

    from app.models import Person
    from tests.furniture.factories import Make
    from tests.web.conftest import Rated

URL = "/p/help-centre/questions"


def test_questions_are_searched_and_filtered(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client = client_of(rated.owner)

    found = client.get(f"{URL}?q=mend+q03").text
    unknown = client.get(f"{URL}?state=unknown").text

    assert "How do I mend q03?" in found
    assert "How do I mend q04?" not in found
    assert "How do I mend q11?" in unknown
    assert "How do I mend q03?" not in unknown


@pytest.mark.parametrize("arguments", ["?sort=nothing", "?page=x", "?page=99999999999", "?q=%27"])
def test_an_address_that_means_nothing_still_gives_a_page(
    rated: Rated, client_of: Callable[[Person], FlaskClient], arguments: str
) -> None:
    assert client_of(rated.owner).get(URL + arguments).status_code == 200


def test_the_page_of_a_question_shows_the_working_of_the_chosen_ranker(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client = client_of(rated.owner)
    address = f"{URL}/{rated.queries[0].id}"

    best = client.get(address).text
    other = client.get(f"{address}?ranker={rated.runs[1].ranker_id}").text

    assert "How Forward got its 100" in best
    assert "How Backward got its" in other
    assert "Anna Annotator" in best


@pytest.mark.parametrize(
    ("measure", "shown"), [("CG", "CG@3 on this"), ("MNG", "MNG@3 on this"), ("F1", "F1@3 on this")]
)
def test_cumulated_and_mean_gain_and_its_f1_are_worked_out(
    rated: Rated, client_of: Callable[[Person], FlaskClient], measure: str, shown: str
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}?measure={measure}").text

    assert shown in page
    assert "Nothing relevant is known" not in page


@pytest.mark.parametrize("measure", ["MNG", "MNDCG", "F1"])
def test_what_is_divided_by_a_perfect_list_shows_that_list_place_by_place(
    rated: Rated, client_of: Callable[[Person], FlaskClient], measure: str
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}?measure={measure}").text
    working = page[page.index("A perfect answer adds") : page.index(f"{measure}@3 on this")]

    perfect = [float(one) for one in re.findall(r'<td class="num muted">([\d.]+)</td>', working)]
    total, divisor = map(float, re.findall(r'<td class="num strong">([\d.]+)</td>', working)[-2:])
    assert len(perfect) == 3
    assert divisor == pytest.approx(sum(perfect), abs=0.002)
    assert f"{total:.3f} ÷ {divisor:.3f} =" in working
    for row in re.findall(r"<tr>(.*?)</tr>", working, re.DOTALL):
        cells = re.findall(r"<t[dh]([^>]*)>", row)
        spans = [int(found.group(1)) for cell in cells if (found := re.search(r'colspan="(\d+)"', cell))]
        assert len(cells) - len(spans) + sum(spans) == 8


def test_the_four_classic_measures_are_side_by_side(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}").text

    found = re.findall(r"(CG|DCG|IDCG|NDCG)@3</span> <b class=\"mono ltr\">([\d.]+)</b>", page)
    numbers = {name: float(number) for name, number in found}
    assert list(numbers) == ["CG", "DCG", "IDCG", "NDCG"]
    assert numbers["CG"] >= numbers["DCG"] > 0
    assert numbers["NDCG"] == pytest.approx(numbers["DCG"] / numbers["IDCG"], abs=0.002)


def test_idcg_shows_the_best_possible_order_which_is_no_rankers_own(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    client, address = client_of(rated.owner), f"{URL}/{rated.queries[0].id}"
    usual = re.search(r"IDCG@3</span> <b class=\"mono ltr\">([\d.]+)</b>", client.get(address).text)
    assert usual is not None

    page = client.get(f"{address}?measure=IDCG").text

    assert "IDCG@3 of this question</h2>" in page
    assert '<option value="IDCG" selected>IDCG@3</option>' in page
    assert f'<span class="mono ltr">{usual[1]}</span>' in page
    assert re.findall(r'<td class="num strong">([\d.]+)</td></tr></tbody>', page) == [usual[1]]


def test_an_unscored_question_says_what_it_waits_for(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[-1].id}").text

    assert "3 answers are unrated" in page


def test_a_question_is_downloaded_in_full_precision(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    answer = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}.json")

    found = json.loads(answer.text)
    assert found["query"]["id"] == "q00"
    assert found["lists"][0]["nDCG@3"] == 1.0
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_unknown_questions_are_not_found(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    assert client_of(rated.owner).get(f"{URL}/999999").status_code == 404


def test_an_older_version_and_another_measure_have_their_working(
    rated: Rated, client_of: Callable[[Person], FlaskClient], making: Callable[[], Any]
) -> None:
    from app.models import Document, Query, Ranker

    with making() as make:
        ranker = make.session.get_one(Ranker, rated.runs[0].ranker_id)
        wanted = [rated.candidates[2].document_id, rated.candidates[0].document_id]
        documents = [make.session.get_one(Document, number) for number in wanted]
        make.run(ranker, {make.session.get_one(Query, rated.queries[0].id): documents}, version="v9")
    client, address = client_of(rated.owner), f"{URL}/{rated.queries[0].id}"

    older = client.get(f"{address}?run={rated.runs[0].id}").text
    reciprocal = client.get(f"{address}?measure=RR").text
    older_too = client.get(f"{address}?run={rated.runs[0].id}&measure=RR").text
    nonsense = client.get(f"{address}?run=9999999999&measure=%3Cscript").text

    assert "How Forward v1 got its 100" in older
    assert "Forward v9" in older
    assert "got its RR@3" in reciprocal
    assert (
        '<span class="mono ltr">0.500</span>'
        in client.get(f"{address}?measure=RR&ranker={rated.runs[0].ranker_id}").text
    )
    assert '<span class="mono ltr">1.000</span>' in older_too
    assert "How Backward got its" in nonsense or "How Forward got its" in nonsense


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["RBP(0.8)", "bpref", "infAP"])
def test_a_measure_of_whole_lists_is_worked_down_to_the_last_place_that_adds(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], Any],
    stored: Any,
    name: str,
) -> None:
    from app.models import Document, Project, Query

    with making() as make:
        found = [make.session.get_one(Document, rated.candidates[n].document_id) for n in range(3)]
        project = make.session.get_one(Project, rated.project.id)
        fill = [make.document(project, f"deep{number}") for number in range(12)]
        query = make.session.get_one(Query, rated.queries[0].id)
        run = make.run(
            make.ranker(rated.project, "Deep"), {query: [fill[0], found[2], *fill[1:], *found[:2]]}
        )
    evidence = evidence_of(stored, rated.project.id)
    with stored.read() as session:
        board = score_runs(evidence, evidence.current_runs(), measures=name, session=session)
    row = [one.run.id for one in board.runs].index(run.id)
    value = float(board.values[name][row, evidence.structure.query_id.tolist().index(query.id)])

    page = (
        client_of(rated.owner)
        .get(f"{URL}/{query.id}?run={run.id}&measure={name.split('(', maxsplit=1)[0]}")
        .text
    )

    assert f"How Deep got its {name}" in page
    assert f"{value:.3f}</span> <span>{name} on this question" in page
    assert re.findall(r"<tr><td>(\d+)</td><th scope=\"row\" class=\"t-ans\"", page) == ["14", "15"]
    assert "13 places that add nothing are left out" in page


def test_the_list_is_filtered_by_what_a_ranker_missed_and_by_tag(
    rated: Rated, client_of: Callable[[Person], FlaskClient], making: Callable[[], Any]
) -> None:
    from app.models import Document, Query

    with making() as make:
        make.session.get_one(Query, rated.queries[4].id).tags = ["brakes"]
        worst = [
            {
                make.session.get_one(Query, query.id): [
                    make.session.get_one(Document, rated.candidates[3 * n + 2].document_id)
                ]
            }
            for n, query in enumerate(rated.queries[:2])
        ]
        run = make.run(make.ranker(rated.project, "Poor"), worst[0] | worst[1])
    client = client_of(rated.owner)

    missed = client.get(f"{URL}?state=missed-{run.ranker_id}").text
    nobody = client.get(f"{URL}?state=missed-{rated.runs[0].ranker_id}").text
    tagged = client.get(f"{URL}?tag=brakes").text

    assert "How do I mend q00?" in missed
    # It covers all questions and is silent about the others: they are missed as well.
    assert "11 questions match" in missed
    assert "Returned nothing." in client.get(f"{URL}/{rated.queries[2].id}").text
    assert "No question matches" in nobody
    assert "How do I mend q04?" in tagged
    assert "How do I mend q00?" not in tagged


def test_a_question_of_which_all_is_rated_lowest_is_called_the_same_everywhere(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    with making() as make:
        pool = select(Candidate).where(Candidate.query_id == rated.queries[11].id)
        for candidate in make.session.scalars(pool):
            make.judgment(candidate, rated.annotator, 0)
    client = client_of(rated.owner)

    listed = text_of(client.get(f"{URL}?state=none_found").text)
    question = client.get(f"{URL}/{rated.queries[11].id}").text

    assert "How do I mend q11?" in listed
    # As a choice of the list, beside the question, and where the words are explained.
    assert len(re.findall("No good answer(?! so far)", listed)) == 3
    assert re.search(r'<span class="chip chip--warn">\s*No good answer\s*</span>', question)
    assert "No good answer" in client.get("/p/help-centre/quality").text


def test_the_state_of_a_question_says_whether_it_is_rated_at_all_and_whether_wholly(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client, query = client_of(rated.owner), rated.queries[11].id
    with making() as make:
        pool = make.session.scalars(select(Candidate).where(Candidate.query_id == query)).all()

    def states() -> set[str]:
        pages = client.get(f"{URL}?q=q11").text, client.get(f"{URL}/{query}").text
        return {
            re.search(r'<span class="chip[^"]*">\s*([A-Z][^<]*?)\s*</span>', page[page.index("<h1") :]).group(
                1
            )
            for page in pages
        }

    assert states() == {"Not rated yet"}
    for grade, state in ((0, "No good answer so far"), (3, "Scored, partly rated")):
        with making() as make:
            make.judgment(pool[grade // 3], rated.annotator, grade)
        assert states() == {state}
        told = "Unrated answers count as 0 for now." in client.get(f"{URL}/{query}").text
        assert told is (state == "Scored, partly rated")
    with making() as make:
        change_ruler(make.session, make.session.get_one(Project, rated.project.id), {"unjudged": "complete"})
    assert states() == {"Scored"}


def test_a_question_that_nobody_was_assigned_is_not_said_to_be_new_to_everybody(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    page = client_of(rated.owner).get(f"{URL}/{rated.queries[0].id}").text

    assert "Gold answers" in page
    assert "Why it was assigned" not in page


def test_where_unrated_answers_count_as_not_relevant_nobody_is_said_to_have_rated_them(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    with making() as make:
        change_ruler(make.session, make.session.get_one(Project, rated.project.id), {"unjudged": "complete"})

    listed = text_of(client_of(rated.owner).get(f"{URL}?state=none_found").text)

    assert "No good answer : No answer is rated above the lowest grade." in listed


def test_the_lowest_scores_come_first_by_the_mean_that_is_shown() -> None:
    uneven, even, unknown = (
        SimpleNamespace(best=best, mean=mean) for best, mean in ((0.9, 0.3), (0.5, 0.4), (None, None))
    )

    assert sorted([unknown, even, uneven], key=KEYS["hardest"]) == [uneven, even, unknown]


@pytest.mark.thorough
@pytest.mark.parametrize("sort", ["hardest", "spread", "disputed", "missing", "name"])
def test_every_order_has_its_page(
    rated: Rated, client_of: Callable[[Person], FlaskClient], sort: str
) -> None:
    assert client_of(rated.owner).get(f"{URL}?sort={sort}").status_code == 200


def test_the_order_of_disputes_is_offered_where_there_are_any(
    rated: Rated,
    client_of: Callable[[Person], FlaskClient],
    making: Callable[[], AbstractContextManager[Make]],
) -> None:
    client = client_of(rated.owner)
    agreed = client.get(f"{URL}?sort=disputed").text

    with making() as make:
        other = make.member(rated.project, "annotator")
        make.judgment(rated.candidates[0], rated.annotator, 0)
        make.judgment(rated.candidates[0], other, 3)
    disputed = client.get(f"{URL}?sort=disputed").text

    assert "disagree most" not in agreed
    assert "Disputed" not in agreed
    assert '<option value="disputed" selected>Annotators disagree most</option>' in disputed
    assert "1 of 1 answer" in disputed


def test_a_question_that_is_scored_by_answers_outside_the_pool_alone_says_so(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(slug="outside")
        owner = make.member(project, "owner")
        query, known, returned = make.query(project), make.document(project), make.document(project)
        make.run(make.ranker(project), {query: [returned]})
        make.judgment(make.candidate(query, known, in_pool=False), make.member(project, "annotator"), 3)
        make.candidate(query, make.document(project), in_pool=False)
    client = client_of(owner)

    page = client.get("/p/outside/questions").text
    assert "Rated only outside the pool" in page
    question = " ".join(client.get(f"/p/outside/questions/{query.id}").text.split())
    assert "0 of 1 answer in the pool rated · 1 rated outside the pool" in question
    assert ">not in the pool<" in question
    assert "“not in the pool”: nobody is asked to rate it." in question
    assert "Pool (answers in the top 10 of any version, chosen at random, or added by hand)" in question


def test_an_answer_without_a_text_is_named_and_says_what_to_do(
    making: Callable[[], AbstractContextManager[Make]],
    client_of: Callable[[Person], FlaskClient],
) -> None:
    with making() as make:
        project = make.project(slug="bare")
        owner, viewer = make.member(project, "owner"), make.member(project, "viewer")
        query, nothing = make.query(project), {"title": "", "text": ""}
        link = "https://example.org/995"
        bare = [
            make.document(project, "471", **nothing),
            make.document(project, "995", url=link, extra={"author": ""}, **nothing),
        ]
        # Outside the pool nothing waits for a text.
        make.candidate(query, make.document(project, "996", **nothing), in_pool=False)
        make.run(make.ranker(project), {query: [make.document(project), *bare]})
    page = client_of(owner).get(f"/p/bare/questions/{query.id}")
    read = text_of(page.text)

    assert "2 texts are missing, so 2 answers cannot be rated yet. Import the texts" in read
    assert 'href="/p/bare/import/documents"' in page.text
    # In the list of the ranker, and among all answers.
    assert read.count("Id 471 no text yet") == 2
    assert f"{link} no text yet" in read
    assert '<summary class="sum" dir="auto">Id <span class="mono">471</span></summary>' in page.text
    assert "author" not in read, "a field without a value says nothing"
    assert "Import the texts" not in client_of(viewer).get(f"/p/bare/questions/{query.id}").text


def test_a_version_that_lacks_a_question_is_not_said_to_be_older_before_the_first_rating(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(slug="lacks")
        owner, query, other = make.member(project, "owner"), make.query(project), make.query(project)
        make.run(make.ranker(project), {query: [make.document(project)]})
        make.run(make.ranker(project), {other: [make.document(project)]})

    read = text_of(client_of(owner).get(f"/p/lacks/questions/{query.id}").text)

    assert "Returned nothing." in read
    assert "Imported before this question existed." not in read


def test_answers_with_the_same_title_are_told_apart_by_their_ids(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    long = "Creep buckling of columns, " * 4
    with making() as make:
        project = make.project(slug="same")
        owner, query = make.member(project, "owner"), make.query(project)
        titles = {"1017": "Note on creep", "1019": "Note on creep", "7": "Alone", "8": long, "9": long}
        found = [make.document(project, number, title=title) for number, title in titles.items()]
        make.run(make.ranker(project), {query: found})

    read = text_of(client_of(owner).get(f"/p/same/questions/{query.id}").text)

    for name in ("Note on creep (1017)", "Note on creep (1019)", f"{long[:69]}… (8)", f"{long[:69]}… (9)"):
        # In the list of the ranker, and among all answers.
        assert read.count(name) >= 2
    assert "Alone (7)" not in read


def test_a_state_has_one_name_before_and_after_all_is_rated(
    making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]
) -> None:
    with making() as make:
        project = make.project(scale="1-5", slug="weak")
        owner, annotator = make.member(project, "owner"), make.member(project, "annotator")
        query, found = make.query(project), [make.document(project) for _ in range(2)]
        make.run(make.ranker(project), {query: found})
        candidates = make.session.scalars(select(Candidate).where(Candidate.query_id == query.id)).all()
        make.judgment(candidates[0], annotator, 2)
    client = client_of(owner)
    addresses = ["/p/weak/questions", f"/p/weak/questions/{query.id}"]
    state = re.compile(r'<span class="chip chip--warn">\s*(Scored.*?)\s*</span>')

    before = [client.get(address).text for address in addresses]
    with making() as make:
        make.judgment(candidates[1], annotator, 1)
    after = [client.get(address).text for address in addresses]

    assert [state.search(page)[1] for page in before + after] == ["Scored, but no relevant answer"] * 4
    assert before[0].count("which counts as relevant. Fewer stars can still earn points.") == 1
    assert "Scored, but no relevant answer" in client.get("/p/weak/quality").text


def test_an_unknown_tag_is_said(rated: Rated, client_of: Callable[[Person], FlaskClient]) -> None:
    client = client_of(rated.owner)

    listed = text_of(client.get(f"{URL}?tag=nosuch").text)
    filtered = text_of(client.get(f"{URL}?tag=nosuch&state=unknown").text)

    assert "No question has the tag “nosuch”, so this page shows all questions." in listed
    assert "No question has the tag “nosuch”. Search" in filtered
    assert "has the tag" not in client.get(f"{URL}?tag=").text


@pytest.fixture
def many(making: Callable[[], AbstractContextManager[Make]], client_of: Callable[[Person], FlaskClient]):
    """A client of the owner of a project with nine rankers."""
    with making() as make:
        project = make.project(slug="many")
        lists = {make.query(project): [make.document(project)]}
        for number in range(9):
            make.run(make.ranker(project, f"Ranker {number}"), lists)
        owner = make.member(project, "owner")
    return client_of(owner)


def test_every_ranker_has_a_column(many: FlaskClient) -> None:
    page = many.get("/p/many/questions").text
    heads = text_of(page[page.index("<thead>") : page.index("</thead>")])

    assert [number for number in range(9) if f"Ranker {number}" in heads] == [*range(9)]
    assert "have a column" not in page


def test_of_very_many_rankers_the_first_have_a_column_while_none_is_scored(
    many: FlaskClient, making: Callable[[], AbstractContextManager[Make]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.web.queries.listing.MOST_COLUMNS", 8)

    before = text_of(many.get("/p/many/questions").text)
    with making() as make:
        candidate = make.session.scalars(select(Candidate)).one()
        project = make.session.get_one(Project, candidate.project_id)
        make.judgment(candidate, make.member(project, "annotator"), 3)
    after = text_of(many.get("/p/many/questions").text)

    counted = "Mean and Spread count the others too."
    assert f"The first 8 of 9 rankers have a column. {counted}" in before
    assert f"The 8 best of 9 rankers have a column. {counted}" in after


def test_the_states_without_a_good_answer_are_always_explained(
    rated: Rated, client_of: Callable[[Person], FlaskClient]
) -> None:
    listed = text_of(client_of(rated.owner).get(f"{URL}?state=answered").text)

    assert "No good answer : Every answer in the pool has the lowest grade." in listed
    assert "No good answer so far : Some answers are unrated, and none is above the lowest grade." in listed
