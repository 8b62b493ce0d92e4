"""Files for other tools come back through the product's own readers, as far as each can hold."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.pair_files import write_run_pairs
from app.formats.qrels_files import RatedQuery, write_rated
from app.formats.quepid_files import (
    BookPair,
    write_book,
    write_needs,
    write_open_book,
    write_ratings,
    write_snapshot,
)
from app.formats.rows import RunRow
from app.formats.workbench_files import write_query_set
from tests.formats.made import IDS, NUMBERS
from tests.formats.reading import read, rows_of

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30).filter(
    str.strip
)
# Queries are told apart without the blanks at their ends, which no import keeps of a key.
KEYS = TEXTS.map(str.strip)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
GRADES = st.integers(0, 5)
MADE_AT = datetime(2026, 11, 25, 12, tzinfo=UTC)


def runs_of(keys, scores):
    """Return rows of lists that stand query by query, best first."""
    lists = st.dictionaries(
        keys, st.dictionaries(IDS, scores, min_size=1, max_size=4), min_size=1, max_size=3
    )
    return lists.map(
        lambda lists: [
            RunRow(query, document, rank, score)
            for query, scored in lists.items()
            for rank, (document, score) in enumerate(scored.items(), 1)
        ]
    )


@given(runs_of(IDS, st.one_of(st.none(), NUMBERS)))
def test_a_run_as_pairs_keeps_its_scores_and_negative_ranks_where_there_are_none(rows):
    written = "".join(write_run_pairs(rows))

    # Whole numbers from 0 to 10 alone look like ratings to whoever guesses.
    assert [(row.query_id, row.document_id, row.score) for row in rows_of("run", written, "json-pairs")] == [
        (row.query_id, row.document_id, float(-row.rank) if row.score is None else row.score) for row in rows
    ]


@given(st.dictionaries(IDS, TEXTS, min_size=1, max_size=4))
def test_the_questions_of_a_rated_search_come_back_with_their_texts(texts):
    rated = [RatedQuery(query, text, [("d1", 3)]) for query, text in texts.items()]

    rows = rows_of("queries", "".join(write_rated(rated, "rank-eval", "mine", 10)))

    assert {row.query_id: row.text for row in rows} == texts


def test_a_run_as_pairs_is_recognised_also_where_it_has_ranks_alone():
    rows = [RunRow("q1", "d2", 1, None), RunRow("q1", "d1", 2, None), RunRow("q2", "d1", 1, 3.0)]

    written = "".join(write_run_pairs(rows))

    assert written == '{\n"q1": {"d2": -1.0, "d1": -2.0},\n"q2": {"d1": 3.0}\n}\n'
    assert [row.score for row in rows_of("run", written)] == [-1.0, -2.0, 3.0]


LISTS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q 3"]),
    st.dictionaries(
        st.sampled_from(["d1", "d2", "ä", "d 4"]), st.floats(0.015625, 1e6, width=32), min_size=1
    ),
    min_size=1,
)


def run_as_pairs(lists):
    rows = (
        RunRow(query, one, None, score) for query, scored in lists.items() for one, score in scored.items()
    )
    return "".join(write_run_pairs(rows))


@pytest.mark.filterwarnings("ignore")  # what other people's packages warn about
@given(LISTS)
def test_pytrec_eval_and_ir_measures_take_a_run_as_pairs(lists):
    import ir_measures
    import pytrec_eval

    run = json.loads(run_as_pairs(lists))
    first = {query: next(iter(scored)) for query, scored in lists.items()}
    qrels = {query: {document: 1} for query, document in first.items()}

    assert run == lists
    ours = {
        query: 1
        / (1 + sum((score, one) > (scored[first[query]], first[query]) for one, score in scored.items()))
        for query, scored in lists.items()
    }
    evaluated = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    assert {query: values["recip_rank"] for query, values in evaluated.items()} == pytest.approx(ours)
    by_measures = ir_measures.iter_calc([ir_measures.RR], qrels, run)
    assert {each.query_id: each.value for each in by_measures} == pytest.approx(ours)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_ranx_reads_the_files_of_a_run_and_of_qrels(tmp_path):
    from ranx import Qrels, Run

    lists = {"q1": {"d1": 2.5, "ä": -1.0}, "q 2": {"d 4": 1e-9}}
    rated = [RatedQuery("q1", "red shoes", [("d1", 3), ("ä", 0)]), RatedQuery("q 2", "hats", [("d 4", 1)])]
    (tmp_path / "run.json").write_text(run_as_pairs(lists), encoding="utf-8")
    (tmp_path / "qrels.json").write_text("".join(write_rated(rated, "json-pairs", "", 10)), encoding="utf-8")

    assert Run.from_file(str(tmp_path / "run.json")).to_dict() == lists
    assert Qrels.from_file(str(tmp_path / "qrels.json")).to_dict() == {
        "q1": {"d1": 3, "ä": 0},
        "q 2": {"d 4": 1},
    }


@given(runs_of(KEYS, st.none()), NAMES)
def test_a_snapshot_keeps_texts_documents_and_order(rows, name):
    written = "".join(write_snapshot(rows, name, MADE_AT, data=True))

    assert rows_of("run", written) == rows
    first = next(csv.DictReader(io.StringIO(written, newline="")))
    assert (first["Snapshot Time"], first["Case ID"]) == ("2026-11-25T12:00:00Z", "")


@given(
    st.lists(
        st.tuples(TEXTS, st.one_of(st.just(""), TEXTS)), min_size=1, unique_by=lambda row: row[0].strip()
    )
)
def test_information_needs_keep_texts_and_intents(needs):
    written = "".join(write_needs(needs, data=True))

    assert [(row.text, row.intent or "") for row in rows_of("queries", written)] == needs


@given(st.lists(TEXTS, min_size=1, unique_by=str.strip))
def test_a_query_set_keeps_texts(texts):
    written = "".join(write_query_set("mine", texts))

    assert [row.text for row in rows_of("queries", written)] == texts
    assert json.loads(written)["querySetQueries"] == [{"queryText": text} for text in texts]


@given(
    st.dictionaries(
        st.tuples(KEYS, IDS), st.dictionaries(NAMES, GRADES, min_size=1, max_size=3), min_size=1, max_size=4
    )
)
def test_a_book_keeps_the_grade_of_each_annotator(given_grades):
    names = sorted({name for grades in given_grades.values() for name in grades})
    pairs = [(*pair, grades) for pair, grades in given_grades.items()]

    written = "".join(write_book(names, pairs, data=True))

    # A name may be that of a column of other files: then the format is named, as the export says.
    rows = rows_of("judgments", written, "book-csv")
    assert {(row.query_id, row.document_id, row.annotator, row.grade) for row in rows} == {
        (*pair, name, grade) for pair, grades in given_grades.items() for name, grade in grades.items()
    }


def test_a_book_of_people_is_recognised():
    written = "".join(write_book(["Ann Lee", "Bo"], [("red shoes", "d1", {"Bo": 3})]))

    assert [(row.annotator, row.grade) for row in rows_of("judgments", written)] == [("Bo", 3)]


@given(
    st.dictionaries(st.tuples(KEYS, IDS), st.one_of(st.none(), GRADES), min_size=1, max_size=4).filter(
        lambda pairs: any(grade is not None for grade in pairs.values())
    )
)
def test_ratings_that_are_filled_in_come_back_and_open_ones_are_counted(pairs):
    written = "".join(write_ratings([(*pair, grade) for pair, grade in pairs.items()], data=True))

    rows, log = read("judgments", written)

    assert not log.problems
    assert {(row.query_id, row.document_id): row.grade for row in rows} == {
        pair: grade for pair, grade in pairs.items() if grade is not None
    }
    assert log.left_out["unrated"] == sum(grade is None for grade in pairs.values())


@given(
    st.lists(
        st.builds(BookPair, KEYS, st.one_of(st.just(""), TEXTS), IDS, st.fixed_dictionaries({"text": TEXTS})),
        min_size=1,
        max_size=4,
        unique_by=lambda pair: (pair.query, pair.document),
    ),
    GRADES,
)
def test_a_book_without_ratings_comes_back_as_questions_answers_and_ratings_once_it_has_some(pairs, grade):
    pairs.sort(key=lambda pair: pair.query)
    written = "".join(write_open_book("Shop", {0: "Poor", 1: "Good"}, pairs))
    book = json.loads(written)
    book["query_doc_pairs"][0]["judgements"].append({"rating": float(grade), "user_email": "a@example.org"})

    rows, log = read("judgments", json.dumps(book))

    assert not log.problems
    assert [(row.query_id, row.document_id, row.grade) for row in rows] == [
        (pairs[0].query, pairs[0].document, grade)
    ]
    assert log.left_out["unrated"] == len(pairs) - 1
    assert book["scale_with_labels"] == {"0": "Poor", "1": "Good"}
    if len({pair.document for pair in pairs}) == len(pairs):
        documents = rows_of("documents", written)
        assert [(row.document_id, row.text) for row in documents] == [
            (pair.document, pair.fields["text"]) for pair in pairs
        ]
    if all(len({pair.intent for pair in some}) == 1 for some in map(list, of_queries(pairs))):
        assert {row.text for row in rows_of("queries", written)} == {pair.query for pair in pairs}


def of_queries(pairs):
    return (list(some) for _, some in groupby(pairs, key=lambda pair: pair.query))


FORMULA = "=1+1"


@pytest.mark.parametrize(
    "lines",
    [
        lambda data: write_snapshot([RunRow(FORMULA, FORMULA, 1, None)], FORMULA, MADE_AT, data=data),
        lambda data: write_needs([(FORMULA, FORMULA)], data=data),
        lambda data: write_ratings([(FORMULA, FORMULA, None)], data=data),
        lambda data: write_book([FORMULA], [(FORMULA, FORMULA, {FORMULA: 1})], data=data),
    ],
)
def test_no_cell_of_a_csv_runs_as_a_formula_unless_it_is_exact(lines):
    guarded, exact = "".join(lines(False)), "".join(lines(True))

    cells = [cell for row in csv.reader(io.StringIO(guarded)) for cell in row]
    assert f"'{FORMULA}" in cells
    assert not any(cell.startswith(("=", "\ufeff")) for cell in cells)
    assert FORMULA in [cell for row in csv.reader(io.StringIO(exact)) for cell in row]
