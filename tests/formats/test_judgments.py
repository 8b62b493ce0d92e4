import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.judgments import write_judgments
from app.formats.rows import REASONS, JudgmentRow
from app.formats.writing import write_qrels
from tests.formats.bad import BAD_GRADES, BAD_IDS, GOOD_IDS
from tests.formats.made import IDS
from tests.formats.reading import found, read, rows_of

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
TIMES = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))
GRADES = st.integers(0, 1_000_000)
JUDGMENTS = st.lists(
    st.one_of(
        st.builds(JudgmentRow, IDS, IDS, st.none() | NAMES, GRADES, st.none(), st.none() | TIMES),
        st.builds(
            JudgmentRow, IDS, IDS, st.none() | NAMES, st.none(), st.sampled_from(REASONS), st.none() | TIMES
        ),
    ),
    unique_by=lambda row: (row.query_id, row.document_id, row.annotator),
    min_size=1,
)


@pytest.mark.parametrize(
    "data",
    [
        "q1 0 d1 3\nq1 0 d2 0\n",
        "q1 Q0 d1 3.0\n\nq1 17 d2 -0.0\n",
        "q1\t0\td1\t3\r\nq1\t0\td2\t0",
        "query_id,doc_id,grade\nq1,d1,3\nq1,d2,0\n",
        "query_id,doc_id,rating\nq1,d1,3.0\nq1,d2,0.0\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t3\nq1\td2\t0\n",
        '{"query_id": "q1", "doc_id": "d1", "grade": 3}\n{"query_id": "q1", "doc_id": "d2", "grade": 0.0}\n',
    ],
)
def test_judgments_are_read_from_every_shape(data):
    assert rows_of("judgments", data) == [JudgmentRow("q1", "d1", None, 3), JudgmentRow("q1", "d2", None, 0)]


def test_all_columns_of_a_judgment_are_read():
    data = "query_id,doc_id,annotator,grade,reason,judged_at\nq1,d1, Ann Lee ,,unclear,2026-11-21T10:00:00+01:00\n"

    assert rows_of("judgments", data) == [
        JudgmentRow("q1", "d1", "Ann Lee", None, "unclear", datetime(2026, 11, 21, 9, tzinfo=UTC))
    ]


@pytest.mark.parametrize(
    "column",
    [
        *("assessor", "judge", "rater", "worker", "worker_id", "worker id"),
        *("user", "USER", "user_email", "User-ID", "created_by"),
    ],
)
def test_the_ratings_of_several_people_are_told_apart_by_any_common_name_of_their_column(column):
    data = f"query_id,doc_id,rating,{column}\nq1,d1,3,Ann\nq1,d1,1,Bo\nq1,d2,3,Ann\n"

    assert [(row.document_id, row.annotator, row.grade) for row in rows_of("judgments", data)] == [
        ("d1", "Ann", 3),
        ("d1", "Bo", 1),
        ("d2", "Ann", 3),
    ]


def test_people_may_have_numbers():
    data = '{"query_id": "q1", "doc_id": "d1", "rating": 3, "user_id": 7}\n'

    assert rows_of("judgments", data)[0].annotator == "7"


@pytest.mark.parametrize("document", GOOD_IDS)
def test_an_id_is_an_exact_opaque_string(document):
    assert rows_of("judgments", f"q1 0 {document} 1\n")[0].document_id == document


@pytest.mark.parametrize("format", ["trec", "csv", "jsonl"])
@pytest.mark.parametrize(
    ("what", "value", "code"),
    [
        *((what, value, code) for what in ("query", "document") for value, code in BAD_IDS.values()),
        *(("grade", value, code) for value, code in BAD_GRADES.values()),
    ],
)
def test_a_bad_value_is_refused_with_its_line_and_code(format, what, value, code):
    cells = {"query": "q1", "document": "d1", "grade": "2", what: value}
    query, document, grade = cells.values()
    data = {
        "trec": f"q1 0 d0 1\n{query} 0 {document} {grade}\n",
        "csv": f'query_id,doc_id,grade\n"{query}","{document}","{grade}"\n',
        "jsonl": '{"query_id": "q1", "doc_id": "d0", "grade": 1}\n'
        + json.dumps({"query_id": query, "doc_id": document, "grade": grade})
        + "\n",
    }[format]
    if format == "jsonl" and "\x00" in value:
        code = "json-text"

    assert found("judgments", data, format) == [(2, code)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("q1 0 d1\n", (1, "columns")),
        ("q1 0 d1 3 4\n", (1, "columns")),
        ("q1 0 d1 3\nq1 0 d1 2\n", (2, "contradiction")),
        ("query_id,doc_id,grade\nq1,d1,\n", (2, "grade")),
        ("query_id,doc_id,grade,reason\nq1,d1,3,unclear\n", (2, "grade")),
        ("query_id,doc_id,grade,reason\nq1,d1,,boring\n", (2, "reason")),
        ("query_id,doc_id,grade,judged_at\nq1,d1,1,yesterday\n", (2, "time")),
        ("query_id,doc_id,grade,judged_at\nq1,d1,1,2026-02-30\n", (2, "time")),
        ("query_id,doc_id,grade,judged_at\nq1,d1,1,٢٠٢٦-01-01\n", (2, "time")),
        ("query_id,doc_id,grade,judged_at\nq1,d1,1,0001-01-01T00:00+14:00\n", (2, "time")),
        ("query_id,doc_id,grade,annotator\nq1,d1,1," + "x" * 201 + "\n", (2, "name")),
        ("query_id,doc_id,grade,annotator\nq1,d1,1,a\x07b\n", (2, "name")),
        ("query_id,doc_id,annotator\nq1,d1,Ann\n", (1, "header")),
        ('{"query_id": "q1", "doc_id": "d1", "grade": true}\n', (1, "off-scale")),
        ('{"query_id": "q1", "doc_id": "d1", "grade": null}\n', (1, "grade")),
        ('{"query_id": "q1", "doc_id": "d1", "grade": 1, "judged_at": 5}\n', (1, "time")),
        ('{"query_id": "q1", "doc_id": "d1", "grade": [1]}\n', (1, "off-scale")),
    ],
)
def test_a_judgment_that_cannot_be_is_refused(data, problem):
    assert found("judgments", data) == [problem]


def test_a_negative_grade_is_refused_with_the_option_that_leaves_it_out():
    _, log = read("judgments", "q1 0 d1 -1\nq1 0 d2 2\n")

    assert [(problem.line, problem.code) for problem in log.problems] == [(1, "negative")]
    assert "--negative skip" in log.problems[0].remedy


def test_negative_grades_are_left_out_on_request_and_counted():
    rows, log = read("judgments", "q1 0 d1 -1\nq1 0 d2 2\nq2 0 d1 -2\n", negative="skip")

    assert [row.document_id for row in rows] == ["d2"]
    assert (log.total, log.left_out["negative"]) == (0, 2)


def test_two_annotators_may_disagree_and_one_may_not():
    data = "query_id,doc_id,annotator,grade\nq1,d1,Ann,3\nq1,d1,Bo,1\nq1,d1,Ann,3\nq1,d1,Ann,2\n"

    rows, log = read("judgments", data)

    assert [(row.annotator, row.grade) for row in rows] == [("Ann", 3), ("Bo", 1)]
    assert [problem.line for problem in log.problems] == [5]
    assert log.left_out["repeated"] == 1


def test_a_time_without_offset_is_read_as_utc():
    row = rows_of("judgments", "query_id,doc_id,grade,judged_at\nq1,d1,1,2026-11-21 09:30\n")[0]

    assert row.judged_at == datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@pytest.mark.thorough
@given(JUDGMENTS)
def test_judgments_come_back_from_every_table_format(rows):
    for name in ("csv", "tsv", "jsonl"):
        assert rows_of("judgments", "".join(write_judgments(rows, name, data=True)), name) == rows


@given(st.lists(st.tuples(IDS, IDS, GRADES), unique_by=lambda row: row[:2], min_size=1))
def test_grades_come_back_from_qrels(grades):
    rows = rows_of("judgments", "".join(write_qrels(grades)), "trec")

    assert [(row.query_id, row.document_id, row.grade) for row in rows] == grades


def test_a_time_in_another_zone_comes_back_as_the_same_moment():
    moment = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=-5)))

    rows = rows_of(
        "judgments",
        "".join(write_judgments([JudgmentRow("q", "d", None, 1, None, moment)], "csv", data=True)),
    )

    assert rows[0].judged_at == moment
