"""Problems in the words of the pages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app import formats
from app.web.imports.preview import remarks_of
from app.web.imports.problems import decisions_of, on_page, plain, title_of


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the query has no text", "the question has no text"),
        ("documents and judgments", "answers and ratings"),
        ("x answers none of the queries of shop.", "x answers none of the questions of shop."),
        ("write it as query_id, doc_id", "write it as query_id, doc_id"),
        ("queries.run and document-rank", "queries.run and document-rank"),
        ("'my document grade' has judged it", "'my document grade' has judged it"),
        ("the project's scale: a grade", "the project's scale: a rating"),
    ],
)
def test_our_words_are_the_plain_ones_and_those_of_others_stay(text, message):
    assert plain(text) == message


@pytest.mark.thorough
def test_no_sentence_of_a_reader_names_an_option_of_a_command_on_a_page():
    # Other options are in sentences that the page says otherwise, see REMEDIES.
    options = re.compile(r"--(column|member|format|encoding|data)|\(import")
    said = [each for path in sorted(Path(formats.__file__).parent.glob("*.py")) for each in said_in(path)]
    typed = [each for each in said if options.search(each)]

    assert len(typed) > 15
    assert [each for each in typed if options.search(on_page(each))] == []


def said_in(path):
    """Return what a module says to people: its texts of several words."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in texts if text.count(" ") > 2 and "\n" not in text]


def problem(code="score", line=1):
    return {"code": code, "line": line}


@pytest.mark.parametrize(
    ("problems", "total", "title"),
    [
        ([problem()], 1, "1 line to fix"),
        ([problem(), problem(line=2)], 2, "2 lines to fix"),
        ([problem(), problem()], 2, "2 problems to fix"),
        ([problem("unknown-query")], 1, "1 problem needs your decision"),
        (
            [problem(), problem("unknown-query", 2), problem("negative", 3)],
            3,
            "1 problem to fix, 2 need your decision",
        ),
        ([problem("archive", None)], 1, "1 problem to fix"),
        ([problem()] * 100, 12_345, "12,345 problems"),
    ],
)
def test_the_title_counts_what_to_mend_and_what_to_decide(problems, total, title):
    assert title_of(problems, total) == title


@pytest.mark.parametrize(
    ("kind", "codes", "options", "offered"),
    [
        ("run", ["unknown-query", "score"], {}, ["unknown-query"]),
        ("run", [], {"unknown_documents": "add", "unknown_queries": "reject"}, ["unknown-document"]),
        ("documents", [], {"replace": True}, ["other-content"]),
        ("judgments", [], {"replace": True}, ["other-grade"]),
        ("documents", [], {"replace": False}, []),
    ],
)
def test_what_came_up_and_what_was_decided_before_can_be_decided(kind, codes, options, offered):
    found = decisions_of(kind, [problem(code) for code in codes], options)

    assert [decision.code for decision in found] == offered


def test_only_of_answers_is_said_that_they_are_rated_again():
    told = {
        kind: decisions_of(kind, [problem("other-content")], {})[0].consequence
        for kind in ("queries", "documents")
    }

    assert not told["queries"]
    assert "it is rated again" in told["documents"]


def test_what_a_list_of_papers_should_not_hold_is_remarked_on_where_it_was_counted():
    plain_counts = dict.fromkeys(
        ("lines", "tied_lines", "missing_queries", "rank_disagreements", "textless_candidates"), 0
    ) | {"queries": 2}
    found = {"own_targets": 1, "gapped_lists": 2, "other_lengths": 1, "usual_length": 8}

    told = remarks_of("run", plain_counts | found)

    assert remarks_of("run", plain_counts) == []
    assert told[0].startswith("1 line recommending a question to itself")
    assert told[1].startswith("In 2 of 2 lists the places")
    assert told[2] == "1 of 2 lists do not have exactly 8 answers."


def test_only_answers_of_the_pool_are_said_to_lack_a_text():
    plain_counts = dict.fromkeys(
        ("lines", "tied_lines", "missing_queries", "rank_disagreements", "textless_candidates"), 0
    ) | {"queries": 2, "new_documents": 2}

    assert remarks_of("run", plain_counts) == []
    assert remarks_of("run", plain_counts | {"textless_candidates": 15, "missing_texts": 2}) == [
        "2 texts are missing, so 15 answers cannot be rated yet (one text can answer several questions)."
    ]


def test_where_equal_scores_order_nothing_the_places_are_said_not_to_be_used():
    counts = {
        "lines": 4,
        "tied_lines": 2,
        "missing_queries": 0,
        "rank_disagreements": 2,
        "textless_candidates": 0,
    }

    told = remarks_of("run", counts | {"queries": 2})

    assert (
        told[1] == "The file has scores, so its places are not used. In 2 of 2 lists this changes the order. "
        "Equal scores are ordered by answer id, highest first."
    )


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ({"pooled": None, "rated": None}, []),
        ({"pooled": 0, "rated": 0}, ["There are no ranker results yet, so there are no scores."]),
        ({"pooled": 9, "rated": 4}, ["4 of the 9 answers in the pool are rated"]),
        ({"pooled": 9, "rated": 9}, ["All 9 answers in the pool are rated."]),
    ],
)
def test_imported_ratings_say_how_much_of_the_pool_they_cover(pool, message):
    told = remarks_of("judgments", {"outside_pool": 0} | pool)

    assert [one.startswith(start) for one, start in zip(told, message, strict=True)] == [True] * len(message)
