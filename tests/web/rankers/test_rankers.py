"""Owners see every ranker with its versions, and change what they are called and whether they count."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import event, select

from app.models import Candidate, Document, Project, Ranker, Run
from app.services.collection.withdrawal import withdraw_run
from app.services.evidence.store import evidence_of
from tests.furniture.words import text_of

URL = "/p/help-centre/rankers"


@pytest.fixture
def olga(rated, client_of):
    return client_of(rated.owner)


@pytest.fixture
def third(rated, making):
    """Return a ranker's version that nobody rated an answer of."""
    with making() as make:
        project = make.session.get_one(Project, rated.project.id)
        lists = {
            query: [make.document(project, f"new {number}")] for number, query in enumerate(rated.queries)
        }
        run = make.run(make.ranker(project, "Third"), lists, note="first try")
    return run.id


def page_of(run):
    return f"{URL}/versions/{getattr(run, 'id', run)}"


def post(client, address, **data):
    answer = client.post(address, data=data, follow_redirects=True)
    assert answer.status_code == 200
    return text_of(answer.text)


def named(stored, project):
    return [(run.ranker, run.version) for run in evidence_of(stored, project.id).structure.runs]


def marked(stored, project):
    return evidence_of(stored, project.id).production_run()


def test_a_version_says_of_how_many_questions_it_has_results(olga, rated, making):
    with making() as make:
        run = make.session.get_one(Run, rated.runs[0].id)
        run.stats = {"queries": 2, "missing_queries": 10}

    assert "2 of 12 questions with results" in text_of(olga.get(URL).text)


def test_every_version_is_listed_newest_first_with_its_score(olga, rated, making):
    with making() as make:
        ranker = make.session.get_one(Ranker, rated.runs[0].ranker_id)
        make.run(ranker, {}, note="reindexed")

    page = text_of(olga.get(URL).text)

    # One question of twelve is not scored and has no rating: it counts all the same.
    assert re.search(
        r"Forward Rename .* v2 reindexed .* v1 Imported on \d+ \w+ \d{4} .* score 100\.0 · 33 of 36 top-3 answers rated",
        page,
    )
    assert page.index("Forward Rename") < page.index("Backward Rename")


def test_an_empty_project_says_what_to_do(making, client_of):
    with making() as make:
        owner = client_of(make.member(make.project(slug="empty"), "owner"))

    page = owner.get("/p/empty/rankers")

    assert "No rankers yet" in text_of(page.text)
    assert 'href="/p/empty/import/run"' in page.text


def test_one_click_marks_a_version_and_a_second_takes_the_mark_away(olga, rated, stored):
    first, second = rated.runs

    said = post(olga, f"{page_of(first)}/production", marked="y")
    assert "Forward v1 is marked as in production." in said
    assert "v1 In production" in said
    assert marked(stored, rated.project) == 0
    post(olga, f"{page_of(second)}/production", marked="y")
    assert marked(stored, rated.project) == 1
    said = post(olga, f"{page_of(second)}/production", marked="")
    assert "Backward v1 is not marked as in production any more." in said
    assert marked(stored, rated.project) is None


def test_a_version_that_lost_the_mark_meanwhile_takes_none_away(olga, rated, stored):
    post(olga, f"{page_of(rated.runs[1])}/production", marked="y")

    post(olga, f"{page_of(rated.runs[0])}/production", marked="")

    assert marked(stored, rated.project) == 1


def test_a_ranker_is_renamed_or_told_why_not(olga, rated, stored):
    address = f"{URL}/{rated.runs[0].ranker_id}/name"

    assert "The ranker is called Onward." in post(olga, address, name="Onward")
    said = post(olga, address, name="Backward")
    assert "There is a ranker called 'Backward' already: move the versions of Onward to it instead." in said
    assert "Enter a name for the ranker." in post(olga, address, name=" ")
    assert named(stored, rated.project) == [("Onward", "v1"), ("Backward", "v1")]


def test_a_version_is_renamed_and_moved(olga, rated, stored):
    first, second = (page_of(run) for run in rated.runs)

    assert "The version is called 2026-03." in post(olga, f"{first}/name", version="2026-03")
    assert "The version belongs to Backward now, as 2026-03." in post(
        olga, f"{first}/move", ranker="Backward"
    )
    assert named(stored, rated.project) == [("Backward", "2026-03"), ("Backward", "v1")]
    post(olga, f"{second}/move", ranker="", new="Sideways")
    assert named(stored, rated.project) == [("Backward", "2026-03"), ("Sideways", "v1")]
    assert "not both" in post(olga, f"{second}/move", ranker="Backward", new="Third")
    assert "Enter a name for the ranker." in post(olga, f"{second}/move", ranker="", new="")


def test_a_version_is_withdrawn_with_the_loss_said_first_and_comes_back(olga, rated, third, stored):
    before = text_of(olga.get(page_of(third)).text)
    assert (
        "Once Third v1 is withdrawn, it has no score. 12 answers leave the pool: no other version has them in its top"
        in before
    )

    said = post(olga, f"{page_of(third)}/withdraw")
    assert "It can be restored at any time." in said
    assert "v1 Withdrawn first try" in text_of(olga.get(URL).text)
    assert "The version is back" in post(olga, f"{page_of(third)}/restore")
    with stored.read() as session:
        assert session.get_one(Run, third).state == "published"
    assert "This run is published, not withdrawn." in post(olga, f"{page_of(third)}/restore")


def test_the_mark_of_a_withdrawn_version_can_be_taken_away(olga, third, stored):
    post(olga, f"{page_of(third)}/production", marked="y")
    post(olga, f"{page_of(third)}/withdraw")

    assert "v1 In production Withdrawn" in text_of(olga.get(URL).text)
    page = text_of(olga.get(page_of(third)).text)
    assert "Withdrawn." in page
    assert "This version keeps its mark while it is withdrawn. Remove the mark" in page
    post(olga, f"{page_of(third)}/production", marked="")

    page = text_of(olga.get(page_of(third)).text)
    assert "Mark as in production" not in page
    assert "It is then gone for good, also from the charts." in page


@pytest.mark.thorough
def test_a_version_is_deleted_while_nothing_rests_on_it(olga, rated, third, stored):
    assert "It is then gone for good, also from the charts." in text_of(olga.get(page_of(third)).text)

    assert "The version is deleted." in post(olga, f"{page_of(third)}/delete")

    assert olga.get(page_of(third)).status_code == 404
    assert named(stored, rated.project) == [("Forward", "v1"), ("Backward", "v1")]
    assert olga.get("/p/help-centre/").status_code == 200
    assert olga.get("/p/help-centre/import").status_code == 200


def test_a_version_with_rated_answers_is_not_deleted_and_the_page_says_why(
    olga, rated, third, stored, making
):
    with making() as make:
        wanted = select(Candidate).join(Document).where(Document.external_id == "new 0")
        make.judgment(make.session.scalars(wanted).one(), rated.annotator, 1)

    page = text_of(olga.get(page_of(third)).text)
    assert (
        "It cannot be deleted. 1 answer that only this version returns was rated or assigned already" in page
    )
    assert "Withdraw the version instead" in post(olga, f"{page_of(third)}/delete")
    with stored.read() as session:
        assert session.get(Run, third) is not None


def test_answers_that_people_knew_of_are_only_withdrawn(olga, rated, making):
    with making() as make:
        project = make.session.get_one(Project, rated.project.id)
        run = make.run(make.ranker(project, "Known", kind="manual"), {})
        number = run.id

    page = text_of(olga.get(page_of(number)).text)

    assert "Withdraw it" in page
    assert "Rename it" not in page
    assert "Delete it" not in page
    assert "Mark as in production" not in page


def test_reading_the_pages_writes_nothing(olga, rated, stored):
    head = evidence_of(stored, rated.project.id).revision

    olga.get(URL)
    olga.get(page_of(rated.runs[0]))

    assert evidence_of(stored, rated.project.id).revision == head


def test_history_tells_both_names(olga, rated, stored):
    post(olga, f"{URL}/{rated.runs[0].ranker_id}/name", name="Onward")
    post(olga, f"{page_of(rated.runs[0])}/production", marked="y")
    with stored.write() as session:
        withdraw_run(session, session.get_one(Run, rated.runs[0].id))

    page = text_of(olga.get("/p/help-centre/").text)

    assert "Ranker Forward renamed to Onward" in page
    assert "Onward v1 in production" in page
    assert "Onward v1 withdrawn" in page


@pytest.mark.parametrize("versions", [1, 4])
def test_the_list_asks_as_few_questions_for_many_versions(olga, rated, making, stored, versions):
    with making() as make:
        ranker = make.session.get_one(Ranker, rated.runs[0].ranker_id)
        for _ in range(versions):
            make.run(ranker, {})
    olga.get(URL)
    asked = []
    event.listen(stored.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    olga.get(URL)

    assert len([sql for sql in asked if sql.startswith("SELECT")]) <= 12


def test_many_rankers_are_searched_and_paged(olga, rated, making, monkeypatch):
    assert 'type="search"' not in olga.get(URL).text
    monkeypatch.setattr("app.web.rankers.views.EACH", 2)
    with making() as make:
        for name in ("Sideways", "Upward"):
            make.run(make.ranker(rated.project, name), {})

    pages = [olga.get(f"{URL}?page={page}").text for page in (1, 2)]
    shown = [re.findall(r'id="ranker-(\d+)"', page) for page in pages]
    assert [len(some) for some in shown] == [2, 2]
    assert not set(shown[0]) & set(shown[1])

    found = text_of(olga.get(f"{URL}?q=ward").text)
    for name in ("Forward", "Backward"):
        assert name in found
    assert "Upward" not in found, "the third has a page of its own"
    only = text_of(olga.get(f"{URL}?q=SIDE").text)
    assert "Sideways" in only
    assert "Forward" not in only
    assert "No ranker has" in text_of(olga.get(f"{URL}?q=nobody").text)


def test_older_versions_are_folded(olga, rated, making):
    with making() as make:
        ranker = make.session.get_one(Ranker, rated.runs[0].ranker_id)
        for _ in range(4):
            make.run(ranker, {})

    assert "2 older versions" in text_of(olga.get(URL).text)
