"""A run that is offered as ratings, and ratings as a run, are called what they are."""

from __future__ import annotations

import json

import pytest

from app.formats.grades import GradeMap
from app.formats.preview import preview_of
from app.formats.query_texts import QueryText, id_from_text
from app.formats.recognise import kind_of
from tests.formats.reading import read

RUN = {
    "csv": "qid,docno,rank,score,query\nq1,d1,0,1.5,how\n",
    "jsonl": '{"qid": "q1", "docno": "d1", "rank": 0, "score": 1.5}\n',
}
RATINGS = {
    "csv": ",qid,docno,label\n0,q1,d1,2\n1,q1,d2,0\n",
    "jsonl": '{"qid": "q1", "docno": "d1", "label": 2}\n',
}


def first_problem(kind, text, **more):
    _, log = read(kind, text, **more)
    return (
        (log.problems[0].code, str(log.problems[0].reason), str(log.problems[0].remedy))
        if log.total
        else None
    )


@pytest.mark.parametrize("shape", RUN)
def test_a_run_is_no_ratings(shape):
    assert first_problem("judgments", RUN[shape]) == (
        "header",
        "these are the columns of a run, without grade",
        (
            "Import the file as results of a ranker (import run), or say which column is which (--column "
            "OURS=THEIRS on the command line)."
        ),
    )


@pytest.mark.parametrize("shape", RATINGS)
def test_ratings_are_no_run(shape):
    assert first_problem("run", RATINGS[shape]) == (
        "header",
        "these are the columns of ratings, without rank or score",
        (
            "Import the file as ratings (import judgments), or say which column is which (--column "
            "OURS=THEIRS on the command line)."
        ),
    )


@pytest.mark.parametrize("name", ["punkte", "rank_score"])
def test_a_column_of_scores_or_grades_asks_which_it_is(name):
    text = f"frage,treffer,{name}\nwie,d1,2\n"

    assert first_problem("judgments", text, columns={"doc_id": "treffer"}) == (
        "header",
        "there is no column grade",
        (
            f"If {name} holds the grades, say which column is which (--column grade={name} on the command line). "
            "If it holds scores, import the file as results of a ranker (import run)."
        ),
    )


def test_of_such_a_table_whatever_else_it_lacks_is_named_too():
    reason = first_problem("judgments", "frage,treffer,punkte\nwie,d1,2\n")[1]

    assert reason == "there is no column doc_id, and no column grade"


def test_a_score_that_is_named_as_the_grade_is_one():
    text = "qid,docno,rank,score\nq1,d1,0,2\n"

    assert first_problem("judgments", text, columns={"grade": "score"}) is None


def test_the_ratings_of_beir_are_ratings():
    assert first_problem("judgments", "query-id\tcorpus-id\tscore\nq1\td1\t2\n") is None


def test_a_run_of_ms_marco_is_no_ratings():
    code, reason, remedy = first_problem("judgments", "1048585\t7187158\t1\n1048585\t7187157\t2\n")

    assert code == "header"
    assert reason == "the first line names no columns, and three columns of numbers are a run of MS MARCO"
    assert remedy.startswith("Import the file as results of a ranker (import run), or give ratings")


PAIRS = {
    "qrels": '{"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}',
    "run": '{"q_1": {"d_12": 0.9, "d_23": 0.8}, "q_2": {"d_12": 0.9, "d_11": 0.1}}',
}
PREDICTIONS = {
    "three columns": "q1 a7 0.93\nq1 a8 0.41\n",
    "four columns": "q1 a7 0.93 0.8\nq1 a8 0.41 0.6\n",
    "names": "qid aid rank_score confidence\nq1 a7 2 0.8\nq1 a8 1.5 0.6\n",
}


def test_ratings_and_runs_in_json_are_told_apart_unless_somebody_says_what_they_are():
    assert [read("judgments", PAIRS["qrels"])[1].total, read("run", PAIRS["run"])[1].total] == [0, 0]
    assert first_problem("run", PAIRS["qrels"])[2].startswith(
        "Import them as ratings (import qrels). If they"
    )
    assert first_problem("judgments", PAIRS["run"])[2].startswith("Import them as results of a ranker")

    assert first_problem("run", PAIRS["qrels"], format="json-pairs") is None
    assert first_problem("judgments", PAIRS["run"], format="json-pairs")[0] == "off-scale"


def pairs_of(values):
    return json.dumps({"q1": {f"d{number}": value for number, value in enumerate(values)}})


def table_of(values):
    return "query_id,doc_id,score\n" + "".join(
        f"q1,d{number},{value}\n" for number, value in enumerate(values)
    )


ROUNDED = [44, 31, 27, 26, 18, 12, 9, 7]
OF_HUNDRED = [100, 50, 0, 50, 100, 0, 0, 50]


@pytest.mark.parametrize("shape", [pairs_of, table_of])
def test_scores_in_whole_numbers_above_ten_are_no_ratings_unless_somebody_says_so(shape):
    _, reason, remedy = first_problem("judgments", shape(ROUNDED))
    scale = GradeMap.read(["0..20=0,20..50=1"])

    assert reason.startswith("these are scores of a run")
    assert remedy.startswith("Import them as results of a ranker (import run). If they are ratings, ")
    assert first_problem("run", shape(ROUNDED)) is None
    assert first_problem("judgments", shape(ROUNDED), grades=scale) is None
    how = {"format": "json-pairs"} if shape is pairs_of else {"columns": {"grade": "score"}}
    assert first_problem("judgments", shape(ROUNDED), **how) is None


@pytest.mark.parametrize("shape", [pairs_of, table_of])
def test_few_different_numbers_are_read_as_what_was_asked_for_and_it_is_said(shape):
    text = shape(OF_HUNDRED)
    _, ratings = read("judgments", text)
    _, run = read("run", text)

    assert (ratings.total, run.total) == (0, 0)
    assert ratings.hints == [
        (
            "The numbers above 10 are read as ratings. If they are scores, import the file as results of a ranker "
            "(import run)."
        )
    ]
    assert run.hints == [
        (
            "The scores take few different values. If they are ratings, import the file as "
            "ratings (import qrels)."
        )
    ]
    assert read("judgments", text, grades=GradeMap.read(["0=0,50=1,100=2"]))[1].hints == []
    how = {"format": "json-pairs"} if shape is pairs_of else {"columns": {"score": "score"}}
    assert read("run", text, **how)[1].hints == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("run", table_of([9.5, 7.25, 6, 3.5, 2, 1])),
        ("run", table_of([120, 120, 110, 110])),
        ("run", "query_id,doc_id,score,rank\nq1,d1,5,1\nq1,d2,5,2\n"),
        ("run", "query_id,doc_id,score,run\nq1,d1,5,b\nq1,d2,5,b\n"),
        ("run", "q1 Q0 d1 1 5 t\nq1 Q0 d2 2 5 t\n"),
        ("judgments", table_of([0, 1, 2, 3, 3, 2])),
        ("judgments", "query_id,doc_id,grade\nq1,d1,50\nq1,d2,50\n"),
    ],
)
def test_what_is_certain_needs_no_hint(kind, text):
    assert read(kind, text)[1].hints == []


def test_a_score_without_digits_is_refused():
    assert first_problem("judgments", table_of([".", 1, 2])) == (
        "off-scale",
        "the grade is not a number",
        "Use a whole number from the scale.",
    )


def test_ratings_in_whole_numbers_with_a_point_are_ratings():
    assert first_problem("judgments", '{"q1": {"d1": 3.0, "d2": 0.0}}') is None


@pytest.mark.parametrize("shape", PREDICTIONS)
def test_predictions_of_retrieve_and_rank_are_a_run(shape):
    rows, log = read("run", PREDICTIONS[shape])

    assert not log.problems
    assert [(row.query_id, row.document_id) for row in rows] == [("q1", "a7"), ("q1", "a8")]
    assert rows[0].score > rows[1].score
    assert log.columns_left_out == (() if shape == "three columns" else ("confidence",))


@pytest.mark.parametrize("kind", ["judgments", "queries", "documents"])
@pytest.mark.parametrize("shape", PREDICTIONS)
def test_predictions_of_retrieve_and_rank_are_called_so(kind, shape):
    code, reason, remedy = first_problem(kind, PREDICTIONS[shape])

    assert code == "format"
    assert reason == "these are predictions of IBM Retrieve and Rank: question, answer and score"
    assert "results of a ranker (import run)" in remedy


@pytest.mark.parametrize("text", ["q1 0 1.5 3\n", "q1 Q0 12 1\n", "7 0 12 3\n7 0 13 1\n"])
def test_qrels_of_numbers_are_no_predictions(text):
    assert first_problem("judgments", text) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("run", "q1 Q0 d1 1 2.5 t\n"),
        ("judgments", "q1 0 d1 3\n"),
        ("judgments", '{"q1": {"d1": 3}}'),
        ("judgments", "3 qid:1 # d1 a\n"),
        ("queries", "<top>\n<num> 1\n<title> red\n</top>\n"),
        ("run", '{"response": {"docs": [{"id": "d1"}]}}'),
    ],
)
def test_names_of_columns_are_refused_where_there_are_none(kind, text):
    code, reason, remedy = first_problem(kind, text, columns={"query_id": "Frage"})

    assert (code, reason.endswith("has no names of columns")) == ("column", True)
    assert remedy == "Give no names of columns (--column on the command line), or name the format (--format)."
    # Nothing was chosen for a column where the page lists it as left out.
    assert first_problem(kind, text, columns={"query_id": ""}) is None


def test_the_name_of_the_ranker_is_proposed_from_a_column():
    preview = preview_of(b"query_id,doc_id,score,system\nq1,d1,2,bm25\n", "run")

    assert preview.fields["tag"] == "system"
    assert preview.rows[0][1]["tag"] == "bm25"


def test_questions_of_json_that_are_too_long_for_an_id_are_texts():
    text = "how do I reset it? " * 40

    (rating,), (line,) = (
        read(kind, f'{{"{text.strip()}": {{"d1": {value}}}}}')[0]
        for kind, value in (("judgments", 2), ("run", 2.5))
    )

    assert isinstance(rating.query_id, QueryText)
    assert isinstance(line.query_id, QueryText)
    assert rating.query_id == line.query_id == text.strip()
    assert len(id_from_text(rating.query_id)) <= 512


BY_IDS = {"Position": "1,2,1,2", "score": "2.5,1.5,3,2", "Rating": "3,0,1,2"}


@pytest.mark.parametrize(
    ("name", "what"), [("Position", "results of a ranker"), ("score", "results"), ("Rating", "ratings")]
)
def test_ids_of_questions_beside_what_orders_or_rates_answers_are_no_texts(name, what):
    values = BY_IDS[name].split(",")
    text = f"Query,Product,{name}\n" + "".join(f"s{at},p{at},{each}\n" for at, each in enumerate(values, 1))

    _, reason, remedy = first_problem("queries", text)

    assert reason.startswith(f"“Query” holds ids, not texts, so these look like {what}")
    assert remedy.startswith(f"Import them as {what}")
    assert kind_of(text.encode(), "vector.csv") is None
    assert first_problem("queries", text, columns={"text": "Query"}) is None


@pytest.mark.parametrize(
    "text",
    [
        "query,clicks,impressions,position\nred shoes,3,90,4.5\nnike air 90,2,40,7.1\n",
        "query,position\nrtx4090,1\nps5,2\n",
        "query_id,query,position\nq1,rtx4090,1\nq2,ps5,2\n",
    ],
)
def test_texts_of_questions_beside_places_are_questions(text):
    assert first_problem("queries", text) is None
    assert kind_of(text.encode(), "asked.csv") == "queries"


@pytest.mark.parametrize("kind", ["run", "judgments", "queries", "documents"])
@pytest.mark.parametrize("question", ["401", "all"])
def test_what_trec_eval_prints_is_neither_a_run_nor_ratings(kind, question):
    printed = f"map                   \t{question}\t0.2871\nndcg_cut_10           \t{question}\t0.4123\n"

    code, reason, remedy = first_problem(kind, printed)

    assert code == "format"
    assert reason == "these are the scores that trec_eval printed, not the answers that a ranker returned"
    assert remedy == "Import the run that was scored."
