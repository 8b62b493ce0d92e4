"""Questions pasted into a page."""

from __future__ import annotations

import pytest

from app.services.collection.queries import import_queries, pasted_file, read_query_rows
from app.services.errors import InvalidError
from tests.furniture.files import file_of


def rows_of(session, project, text):
    found = read_query_rows(pasted_file(session, project, text))
    return [(row.query_id, row.text) for row in found.rows]


def test_lines_become_questions_with_the_next_free_ids(session, make):
    project = make.project()
    make.query(project, "q2", text="taken")

    assert rows_of(session, project, "flat tyre\n\n  wobbly wheel \n") == [
        ("q1", "flat tyre"),
        ("q3", "wobbly wheel"),
    ]


def test_a_line_may_bring_its_id(session, make):
    assert rows_of(session, make.project(), "q1\tflat\nsqueaky brake") == [
        ("q1", "flat"),
        ("q2", "squeaky brake"),
    ]


def test_pasting_the_same_questions_again_adds_none(session, make):
    project = make.project()
    import_queries(session, project, file_of("x9\tflat tyre\n"))

    file = pasted_file(session, project, "flat tyre\nflat tyre")

    assert import_queries(session, project, file).unchanged == 1


def test_nothing_at_all_is_refused(session, make):
    with pytest.raises(InvalidError, match="at least one question"):
        pasted_file(session, make.project(), " \n ")


def test_lines_keep_the_numbers_of_the_pasted_text(session, make):
    found = read_query_rows(pasted_file(session, make.project(), "\nx9\tflat tyre\n\nx9\twobbly wheel\n"))

    assert [problem.line for problem in found.problems.problems] == [4]
