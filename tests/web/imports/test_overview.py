"""The import page: what comes next, what is there, and what it costs."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from app.models import Project
from tests.web.imports.conftest import QUERIES, RUN


def test_an_empty_project_begins_with_its_files(importer, words):
    page = importer.client.get(importer.base)

    assert (
        re.search(r'class="btn btn--main"[^>]*>\s*([^<]+)', page.text).group(1).strip()
        == "See what the files are"
    )
    assert "1. Questions None yet" in words(page)
    assert "What rating" not in words(page)


def test_a_file_that_waits_for_a_decision_is_not_called_broken(importer, words):
    importer.prepare()
    importer.give("documents", "doc_id,title,text\nd1,Answer 1,Another text\n", "gamma.csv")
    importer.give("queries", "query_id,text\nq1,\n", "broken.csv")

    page = words(importer.client.get(importer.base))

    assert "“gamma.csv” needs your decision." in page
    assert "“broken.csv” has problems to fix." in page


def test_the_price_is_said_before_there_is_a_pool(importer, words):
    importer.prepare()

    page = importer.client.get(importer.base)

    assert (
        "Each ranker adds at most 20 answers (2 questions x depth 10). That is at most 20 ratings, about 7 minutes "
        "of work. The time assumes 20 seconds for each rating, the top 10 of each list and 1 rating per "
        "answer." in words(page)
    )


@pytest.mark.thorough
def test_with_results_only_what_next_tells_what_is_left(importer, words):
    importer.prepare()
    importer.take("run", RUN)

    page, following = (
        words(importer.client.get(f"/p/{importer.slug}/{name}")) for name in ("import", "next")
    )

    assert "6 answers wait for a first rating. 6 ratings are" in following
    assert "6 ratings are" not in page
    assert "To undo results, withdraw or delete their version under Manage rankers" in page


@pytest.mark.thorough
def test_versions_are_one_link_away(importer, words):
    importer.prepare()
    assert "Manage rankers" not in words(importer.client.get(importer.base))
    importer.take("run", RUN)

    page = importer.client.get(importer.base)

    assert "Manage rankers" in words(page)
    assert f'href="/p/{importer.slug}/rankers"' in page.text


@pytest.mark.thorough
def test_answers_that_wait_for_their_text_are_listed(importer, words):
    importer.prepare()
    importer.give("run", RUN + "q1 Q0 ebike-19 9 0.1 blend\n")
    importer.post("check", unknown_documents="add")
    importer.post("name", ranker="", name="blend")

    page = importer.client.get(importer.base)

    assert "1 text is missing, so 1 answer cannot be rated yet. Import the text" in words(page)
    assert "See which one" in words(page)
    assert "ebike-19" in words(importer.client.get(importer.base.replace("/import", "/quality/list/no-text")))


@pytest.mark.thorough
def test_answers_without_text_are_called_neither_rated_nor_to_be_rated(importer, words):
    importer.take("queries", QUERIES)
    importer.give("run", "q1 Q0 a 1 2 blend\nq1 Q0 b 2 1 blend\n")
    checked = importer.post("check", unknown_documents="add")
    importer.post("name", ranker="", name="blend")
    project = f"/p/{importer.slug}"

    pages = {name: words(importer.client.get(f"{project}/{name}")) for name in ("", "next", "quality")}

    for page in pages.values():
        assert "2 texts are missing, so 2 answers cannot be rated yet." in page
        assert "Import the texts" in page
    for lie in ("Every answer in the pool", "The pool has no answers yet"):
        assert lie not in pages[""] + pages["next"]
    assert "New answers to rate (an answer counts once for each question) 0 Unknown answers" in words(checked)
    assert words(checked).count("2 texts are missing, so 2 answers cannot be rated yet.") == 1
    assert "2 texts are missing, so 2 answers cannot be rated yet. Import the texts" in words(
        importer.client.get(importer.base)
    )


@pytest.mark.thorough
def test_every_number_says_whether_it_counts_texts_or_answers_to_questions(importer, words):
    importer.prepare()
    importer.give("run", "".join(f"q{query} Q0 ebike-19 1 9 blend\n" for query in (1, 2)))
    importer.post("check", unknown_documents="add")
    importer.post("name", ranker="", name="blend")

    page = words(importer.client.get(importer.base))

    assert (
        "1 text is missing, so 2 answers cannot be rated yet (one text can answer several questions)." in page
    )
    assert "See which one" in page
    assert "7 answers" in page


def test_past_imports_carry_the_names_of_their_files(importer, words):
    importer.prepare()

    page = importer.client.get(importer.base)

    assert "6 answers from answers.csv" in words(page)
    assert "2 questions from questions.csv" in words(page)


def test_an_archived_project_offers_no_file_field(importer, stored, words):
    importer.prepare()
    with stored.write() as session:
        session.scalar(select(Project).where(Project.slug == importer.slug)).state = "archived"

    page = importer.client.get(importer.base)
    choosing = importer.client.get(f"{importer.base}/queries")

    assert "This project is archived: nobody can rate, decide or import." in page.text
    assert "2 questions" in words(page)
    assert 'type="file"' not in page.text
    assert f"/p/{importer.slug}/import/queries" not in page.text
    assert (choosing.status_code, choosing.headers["Location"]) == (302, importer.base)
