"""Every import can be undone, and it shows first what would be lost."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from app.models import Candidate, Event, Judgment, Project, Query, Run
from tests.web.imports.conftest import QRELS, QUERIES, RUN


def undo_link(page):
    return re.search(r'href="([^"]*/import/undo/\d+)"', page.text).group(1)


def test_questions_that_nobody_uses_are_removed(importer, words):
    page = importer.take("queries", QUERIES, "asked.csv")
    link = undo_link(page)

    asked = importer.client.get(link)

    told = words(asked)
    assert told.startswith("Undo this import? This undoes the import of 2 questions from asked.csv on ")
    assert "This removes 2 questions." in told
    assert importer.count(Query) == 2
    page = importer.client.post(link, follow_redirects=True)
    assert "Questions removed: 2." in page.text
    assert importer.count(Query) == 0


def test_the_undo_is_told_in_the_words_of_the_project(importer, words, stored):
    link = undo_link(importer.take("queries", QUERIES, "asked.csv"))
    with stored.write() as session:
        session.scalar(select(Project).where(Project.slug == importer.slug)).wording = {"queries": "papers"}

    told = words(importer.client.get(link))

    assert "the import of 2 papers from asked.csv" in told
    assert "This removes 2 papers." in told


@pytest.mark.thorough
def test_an_import_that_only_replaced_has_no_link_to_an_undo(importer, words):
    importer.take("queries", QUERIES)
    page = importer.give("queries", QUERIES.replace("mend a tyre", "mend a tire"))
    assert "The project has different content for this id (text)." in words(page)
    importer.post("check", replace="yes")

    page = importer.post("import")

    assert "Questions replaced 1" in words(page)
    assert "/import/undo/" not in page.text


@pytest.mark.thorough
def test_what_is_in_use_stays_and_there_is_nothing_to_press(importer, words):
    importer.prepare()
    importer.take("run", RUN)
    first = importer.client.get(importer.base)
    with importer.stored.read() as session:
        added = session.scalars(select(Event.revision).where(Event.kind == "queries_added")).one()
    questions = f"{importer.base}/undo/{added}"

    asked = importer.client.get(questions)

    assert questions not in first.text
    assert "2 questions from questions.csv" in words(first)
    why = (
        "Cannot be undone: versions use all 2 questions, or they were rated or assigned. "
        "Delete the versions that use them first, withdrawn ones too."
    )
    assert why in words(first)
    assert "can’t be undone" not in words(first)
    assert why in words(asked)
    told = words(asked)
    assert told.startswith(
        "This import can’t be undone This is the import of 2 questions from questions.csv on"
    )
    assert importer.client.post(questions).status_code == 409
    assert importer.count(Query) == 2


@pytest.mark.thorough
def test_the_import_of_a_run_is_undone_by_withdrawing_it(importer, words):
    importer.prepare()
    link = undo_link(importer.take("run", RUN, "blend.run"))

    asked = importer.client.get(link)
    undone = importer.client.post(link, follow_redirects=True)

    # It is shown among the versions, where it can be restored.
    assert undone.request.path.endswith("/rankers")
    assert "The version is withdrawn. You can restore it here at any time." in undone.text
    assert "blend" in words(undone)
    told = words(asked)
    assert told.startswith("Undo this import? This undoes the import of blend v1 from blend.run on ")
    assert "by withdrawing the version. Once blend v1 is withdrawn, it has no score." in told
    assert "6 answers leave the pool: no other version has them in its top" in words(asked)
    assert "No answer and no rating is lost. You can restore the version." in told
    with importer.stored.read() as session:
        run = session.scalars(select(Run)).one()
        assert run.state == "withdrawn"
        assert not any(session.scalars(select(Candidate.in_pool)))


def test_the_import_of_another_project_is_not_found(importer, making):
    with making() as make:
        other = make.project()
        run = make.run(make.ranker(other), {make.query(other): [make.document(other)]})
        revision = run.revision

    assert importer.client.get(f"{importer.base}/undo/{revision + 500}").status_code == 404


@pytest.mark.thorough
def test_imported_ratings_are_cleared_and_the_ledger_keeps_them(importer, words):
    importer.prepare()
    link = undo_link(importer.take("judgments", QRELS))

    asked = importer.client.get(link)
    importer.client.post(link)

    told = words(asked)
    assert told.startswith("Undo this import? This undoes the import of 3 ratings from file.txt on ")
    assert "This clears 3 ratings" in told
    with importer.stored.read() as session:
        grades = list(session.scalars(select(Judgment.grade).order_by(Judgment.revision)))
    assert grades == [3, 0, 1, None, None, None]


def test_an_event_that_is_no_import_cannot_be_undone(importer):
    assert importer.client.get(f"{importer.base}/undo/1").status_code == 404
    assert importer.client.post(f"{importer.base}/undo/1").status_code == 404
