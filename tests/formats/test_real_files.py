"""Columns and layouts of files that are published, or that other tools write."""

from __future__ import annotations

import json

import pytest

from app.formats.recognise import kind_of
from tests.formats.reading import guessed, read, rows_of

TOP = [("7", "12", "red shoes", "They are red."), ("7", "15", "red shoes", "No."), ("9", "12", "hat", "Red.")]
NAMED = [(f"q{query}", f"d{document}", *texts) for query, document, *texts in TOP]
HEADER = "qid\tpid\tquery\tpassage\n"
PAGES = "D1\thttp://a.example/1\tA title\tA body\nD2\thttps://a.example/2\tMore\tText\n"


def tabbed(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("rows", [TOP, NAMED])
@pytest.mark.parametrize("header", ["", HEADER])
def test_the_order_of_the_lines_of_top1000_is_that_of_the_results(rows, header):
    found = rows_of("run", header + tabbed(rows))

    assert [(row.query_id, row.document_id, row.rank) for row in found] == [
        (*rows[0][:2], 1),
        (*rows[1][:2], 2),
        (*rows[2][:2], 1),
    ]
    assert "order of the lines" in guessed((header + tabbed(rows)).encode(), "run").reason


def test_texts_may_stand_for_the_ids_of_top1000():
    found = rows_of("run", HEADER + tabbed(NAMED), columns={"query_id": ""})

    assert [(row.query_id, row.rank) for row in found] == [("red shoes", 1), ("red shoes", 2), ("hat", 1)]


@pytest.mark.parametrize("rows", [TOP, NAMED])
@pytest.mark.parametrize("header", ["", HEADER])
def test_top1000_holds_questions_and_documents(rows, header):
    queries = rows_of("queries", header + tabbed(rows))
    documents = rows_of("documents", header + tabbed([rows[0], rows[1]]))

    assert [(row.query_id, row.text) for row in queries] == [(rows[0][0], "red shoes"), (rows[2][0], "hat")]
    assert [(row.document_id, row.text) for row in documents] == [
        (rows[0][1], "They are red."),
        (rows[1][1], "No."),
    ]


def test_collections_of_ms_marco_are_documents():
    assert [row.document_id for row in rows_of("documents", "d7\tA text.\nd8\tMore.\n")] == ["d7", "d8"]
    (first, _) = rows_of("documents", PAGES)
    assert (first.document_id, first.url, first.title) == ("D1", "http://a.example/1", "A title")
    assert first.text == "A body"
    assert kind_of(PAGES.encode(), "file") == "documents"
    assert kind_of(b"d7\tA text.\n", "collection.tsv") == "documents"


def test_ratings_between_tabs_are_no_run():
    _, log = read("run", "1185869\t0\t0\t1\n1185868\t0\t16\t1\n")

    assert log.problems[0].reason == "this is a file of ratings (TREC qrels), not a run"
    assert log.problems[0].remedy == "Import it as ratings (import qrels)."


def test_names_of_columns_without_digits_are_no_ids():
    _, log = read("documents", "Kennung\tInhalt\nd1\tA text.\n")

    assert "there is no column doc_id" in log.problems[0].reason


RUN_TOLD = (
    "these are the columns of a run, without grade",
    "these are scores of a run",
    "there is no column grade",
)


@pytest.mark.parametrize(
    "data",
    [
        "query_id,doc_id,rank\nq1,d1,1\n",
        "query_id,doc_id,rank_score\nq1,d1,1.5\n",
        "query_id,doc_id,score\nq1,d1,2.5\nq1,d2,1\nq1,d3,0.5\n",
        '{"query_id": "q1", "doc_id": "d1", "score": 2.5}\n',
        '[{"query_id": "q1", "doc_id": "d1", "score": 2.5}]',
        '{"q1": {"d1": 2.5}}',
    ],
)
def test_results_are_no_ratings(data):
    _, log = read("judgments", data)

    assert log.problems[0].reason.startswith(RUN_TOLD)
    assert "(import run)" in log.problems[0].remedy
    assert len(log.problems) == 1


def test_whole_numbers_or_a_chosen_column_are_ratings():
    data = "query_id,doc_id,score\nq1,d1,2\nq1,d2,1.5\n"

    assert [problem.code for problem in read("judgments", data)[1].problems] == ["off-scale"]
    rated = "query_id,doc_id,annotator,score\nq1,d1,Kim,2.5\n"
    assert [problem.code for problem in read("judgments", rated)[1].problems] == ["off-scale"]
    chosen = read("judgments", data.replace(",2\n", ",2.5\n"), columns={"grade": "score"})[1]
    assert {problem.code for problem in chosen.problems} == {"off-scale"}


@pytest.mark.parametrize(
    ("kind", "data", "row"),
    [
        ("judgments", "query_id,product_id,esci_label\nq1,d1,3\n", ("q1", "d1", 3, None)),
        ("judgments", "query_id,item_id,label,judged_by\nq1,d1,3,Kim\n", ("q1", "d1", 3, "Kim")),
        ("judgments", "query_id,item_id,label,rater\nq1,d1,3,Kim\n", ("q1", "d1", 3, "Kim")),
        ("judgments", "question_id,answer_id,f1,ground_truth\nq1,d1,0.5,3\n", ("q1", "d1", 3, None)),
        ("judgments", "Frage-Id;Antwort-Id;Bewertung\nq1;d1;3\n", ("q1", "d1", 3, None)),
        ("judgments", "Frage;Antwort;Bewertung\nq1;d1;3\n", ("q1", "d1", 3, None)),
        ("run", "query_id,product_id,rank,score,system\nq1,d1,1,2.5,a\n", ("q1", "d1", 1, 2.5)),
        ("run", "qid\taid\trank_score\tconfidence\nq1\td1\t2.5\t0.1\n", ("q1", "d1", None, 2.5)),
        ("run", "Frage;Antwort;Platz;Punkte\nq1;d1;1;2,5\n", ("q1", "d1", 1, 2.5)),
        ("documents", "product_id,product_title\nd1,Red\n", ("d1", "Red")),
        ("documents", "item_id;Titel\nd1;Red\n", ("d1", "Red")),
    ],
)
def test_columns_of_published_files_are_known(kind, data, row):
    names = {
        "judgments": ("query_id", "document_id", "grade", "annotator"),
        "run": ("query_id", "document_id", "rank", "score"),
        "documents": ("document_id", "title"),
    }

    (found,) = rows_of(kind, data)

    assert tuple(getattr(found, name) for name in names[kind]) == row


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ("query\nred shoes\nblue hat\n", ["red shoes", "blue hat"]),
        ("query\nred, blue\nhat\n", ["red, blue", "hat"]),
        ('question\n"red, blue"\nhat\n', ["red, blue", "hat"]),
    ],
)
def test_a_list_of_questions_under_a_name_is_read(data, texts):
    assert [row.text for row in rows_of("queries", data)] == texts
    assert kind_of(data.encode(), "file") == "queries"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("ratings.csv", "query_id,doc_id,score\nq1,d1,2\n", "judgments"),
        ("results.csv", "query_id,doc_id,score\nq1,d1,2\n", "run"),
        ("ratings.csv", "query_id,doc_id,score\nq1,d1,2.5\n", "run"),
        ("queries.csv", "query,docid,rating\nred,d1,2\n", "judgments"),
        ("queries.tsv", "q1\tred shoes\n", "queries"),
        ("queries.csv", "query,information_need\nred,to buy\n", "queries"),
        ("qrels.txt", "q1 0 d1 1\n", "judgments"),
        ("file.json", json.dumps([{"query_id": "q1", "doc_id": "d1", "score": 2.5}]), "run"),
    ],
)
def test_a_name_breaks_ties_only(name, data, kind):
    assert kind_of(data.encode(), name) == kind


def test_problems_in_one_line_name_their_objects():
    objects = [{"query_id": "q1", "doc_id": f"d{at}", "grade": "x"} for at in (1, 2)]
    _, log = read("judgments", json.dumps([*objects, {"query_id": "q1"}, 5]))

    assert [problem.reason for problem in log.problems][:2] == [
        "the grade is not a number, in object 1 (q1 d1)",
        "the grade is not a number, in object 2 (q1 d2)",
    ]
    assert log.problems[2].reason.endswith(", in object 3")
    assert log.problems[3].reason == "the item of the array is not an object, in object 4"


def test_problems_in_one_line_of_a_tool_name_their_pairs():
    ratings = [{"_id": document, "rating": "x"} for document in ("d1", "d2")]
    _, log = read("judgments", json.dumps({"requests": [{"id": "q1", "ratings": ratings}]}))

    assert [problem.reason for problem in log.problems] == [
        "the grade is not a number, in 'q1 d1'",
        "the grade is not a number, in 'q1 d2'",
    ]


@pytest.mark.parametrize(
    ("rows", "line", "told"),
    [
        ([("query_id", "doc_id", "rank"), ("q1", "d1", 1), (None, "d2", 2)], 3, "the query id is empty"),
        ([("query_id", "doc_id", "score", "score")], 1, "two columns have the same name"),
        ([("", "score", None), ("query_id", "a", "b"), ("q1", 1, 2)], 1, "there is no column query_id"),
    ],
)
def test_a_spreadsheet_with_merged_cells_is_refused_with_its_line(tmp_path, rows, line, told):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if len(rows) == 3:
        book.active.merge_cells("A2:A3" if line == 3 else "B1:C1")
    book.save(tmp_path / "run.xlsx")

    _, log = read("run", (tmp_path / "run.xlsx").read_bytes())

    assert (log.problems[0].line, log.problems[0].reason[: len(told)]) == (line, told)
