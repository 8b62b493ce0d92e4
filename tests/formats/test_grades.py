"""Any scale is mapped onto the project's by a table; what the table does not hold is refused."""

import shlex

import pytest

from app.formats.errors import BadValueError, ProblemLog
from app.formats.grades import GradeMap, option_of, suggested_map, table_of, value_key
from app.formats.judgments import grades_in
from tests.formats.reading import found, read, rows_of

BAD_MAPS = (
    "4",
    "=3",
    "4=",
    "4=x",
    "4=-1",
    "4=1.5",
    "4=3,4=2",
    "4=3,4.0=2",
    "1..0=2",
    "4==",
    "Exact:3",
    "4=99999999",
)
BAD_VALUES = (
    "5",
    "-1",
    "3.5",
    "exactly",
    "1e999",
    "nan",
    "0x3",
    "3 stars",
    "١",
    "1,5",
    "³",
    "inf",
    "a, b=c",
    "it's",
)


@pytest.mark.parametrize("text", BAD_MAPS)
def test_a_map_that_cannot_be_is_refused_with_its_form(text):
    with pytest.raises(BadValueError) as refusal:
        GradeMap.read([text])

    assert refusal.value.code == "map"
    assert refusal.value.remedy.endswith(".")


@pytest.mark.parametrize("value", BAD_VALUES)
@pytest.mark.parametrize("format", ["trec", "csv"])
def test_a_value_that_the_map_does_not_hold_is_refused_with_line_and_remedy(value, format):
    value = value.replace(" ", "-") if format == "trec" else value
    line = f"q1 0 d2 {value}" if format == "trec" else f'q1,d2,"{value}"'
    head = "q1 0 d1 4" if format == "trec" else "query_id,doc_id,grade"
    data = f"{head}\n{line}\n"

    assert found("judgments", data, format, grades=GradeMap.read(["4=3,0=0"])) == [(2, "not-mapped")]
    _, log = read("judgments", data, format, grades=GradeMap.read(["4=3,0=0"]))
    shown = shlex.split(log.problems[0].remedy)
    pair = shown[shown.index("--map") + 1].removesuffix(",").replace("GRADE", "2")
    assert GradeMap.read([pair]).target(value) == 2


@pytest.mark.parametrize(
    ("scale", "values", "grades"),
    [
        ("0=0,1=3", ["0", "1", "1.0"], [0, 3, 3]),
        ("4=3,3=2,2=1,1=0", ["4", "3", "2", "1"], [3, 2, 1, 0]),
        ("Exact=3,Irrelevant=0", ["exact", " Exact ", "IRRELEVANT"], [3, 3, 0]),
        ("highly relevant=3,no=0", ["Highly  relevant", "no"], [3, 0]),
        ("0..0.5=0,0.5..1=3", ["0", "0.49", "0.5", "1"], [0, 0, 3, 3]),
        ("-2=0,-1=1,0=2", ["-2", "-1", "0"], [0, 1, 2]),
        ("0..100=1,100=3", ["7", "100", "0"], [1, 3, 1]),
    ],
)
def test_every_scale_is_mapped(scale, values, grades):
    data = "query_id,doc_id,grade\n" + "".join(f'q1,d{at},"{value}"\n' for at, value in enumerate(values))

    assert [row.grade for row in rows_of("judgments", data, grades=GradeMap.read([scale]))] == grades


def test_lines_that_the_map_skips_are_left_out_and_counted():
    rows, log = read(
        "judgments", "q1 0 d1 4\nq1 0 d2 ?\nq1 0 d3 ?\n", grades=GradeMap.read(["4=3", "?=skip"])
    )

    assert [row.document_id for row in rows] == ["d1"]
    assert (log.total, log.left_out["mapped"]) == (0, 2)


def test_a_negative_value_may_be_mapped_or_skipped():
    data = "q1 0 d1 -1\nq1 0 d2 4\n"

    rows, log = read("judgments", data, grades=GradeMap.read(["4=3"]), negative="skip")
    assert ([row.grade for row in rows], log.left_out["negative"]) == ([3], 1)
    assert [row.grade for row in rows_of("judgments", data, grades=GradeMap.read(["4=3,-1=0"]))] == [0, 3]


def test_the_map_is_written_in_one_form_whatever_its_order():
    assert str(GradeMap.read(["3=2,4.0=3"])) == str(GradeMap.read(["4=3", "3=2"]))
    assert GradeMap.read([]) is None


@pytest.mark.parametrize(
    ("raw", "key"),
    [(3, "3"), (3.0, "3"), ("3.00", "3"), ("Exact", "exact"), (None, ""), ("", ""), (True, "true")],
)
def test_the_same_value_is_found_however_it_is_written(raw, key):
    assert value_key(raw) == key


@pytest.mark.parametrize(
    ("values", "proposed"),
    [
        (["0", "1"], [0, 1]),
        (["1", "2", "3", "4"], [0, 1, 2, 3]),
        (["0", "2", "4"], [0, 2, 3]),
        (["0", "5", "10"], [0, 2, 3]),
        (["0", "50", "100"], [0, 2, 3]),
        (["0.0", "0.33", "1.0"], [0, 1, 3]),
        (["-1", "3"], [None, 3]),
        (["-2", "-1", "0", "2", "4"], [None, None, 0, 2, 3]),
        (["Complement", "Exact", "Irrelevant", "Substitute"], [1, 3, 0, 2]),
        (["blue"], [None]),
    ],
)
def test_a_table_is_proposed_for_the_scale_of_the_file(values, proposed):
    rows = table_of(dict.fromkeys(values, 1), 0, 3)

    assert [row.value for row in rows] == values
    assert [row.proposed for row in rows] == proposed


def test_many_different_numbers_become_as_many_ranges_as_there_are_grades():
    rows = table_of({str(number / 1000): 1 for number in range(1001)}, 0, 3)

    assert [row.value for row in rows] == ["0..0.25", "0.25..0.5", "0.5..0.75", "0.75..1"]
    assert [row.lines for row in rows] == [250, 250, 250, 251]
    mapped = GradeMap.of((row.value, row.proposed) for row in rows)
    assert [mapped.target(value) for value in ("0", "0.25", "0.7499", 1.0)] == [0, 1, 2, 3]


def test_the_grades_of_a_file_are_counted_by_value():
    data = b"query_id,doc_id,grade\nq1,d1,Exact\nq1,d2,exact\nq1,d3,3.0\nq1,d4,3\nq1,d5,\n"

    assert grades_in(data) == {"Exact": 2, "3.0": 2}
    assert grades_in(b"") == {}
    assert ProblemLog().total == 0


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (['"Partial, maybe"=2,Exact=3'], {"Partial, maybe": 2, "exact": 3}),
        (['Exact=3, "Partial, maybe" = 2'], {"Partial, maybe": 2, "Exact": 3}),
        (["Partial, maybe=2", "Exact=3"], {"partial, maybe": 2, "Exact": 3}),
        (['"a=b, c"=1'], {"a=b, c": 1}),
        (['"say ""hi"""=1'], {'say "hi"': 1}),
        (['5"=1,6"=2'], {'5"': 1, '6"': 2}),
    ],
)
def test_a_value_may_hold_commas_in_quotation_marks_or_as_the_only_pair(texts, values):
    found = GradeMap.read(texts)

    assert {value: found.target(value) for value in values} == values


def test_of_several_pairs_one_with_a_comma_needs_quotation_marks():
    with pytest.raises(BadValueError) as refusal:
        GradeMap.read(["Partial, maybe=2,Exact=3"])

    assert (refusal.value.value, "in quotation marks" in refusal.value.remedy) == ("Partial", True)


@pytest.mark.parametrize("value", ["Exact", "Partial, maybe", '"so"', "it's $5", "a=b", "é", "0..1, 2"])
def test_a_value_is_written_so_that_a_shell_and_the_map_read_it_back(value):
    written = shlex.split(option_of([(value, 2), ("other", 0)]))

    assert [GradeMap.read(written).target(each) for each in (value, "other")] == [2, 0]


@pytest.mark.parametrize(
    ("values", "suggested"),
    [
        (("0.95", "0.5", "0.1"), "0.1=0,0.5=2,0.95=3"),
        (("Exact", "Irrelevant", "Hm, no"), "'Exact=3,\"Hm, no\"=GRADE,Irrelevant=0'"),
        (("-1", "4"), "-1=skip,4=3"),
        (tuple(str(number / 40) for number in range(41)), "0..0.25=0,0.25..0.5=1,0.5..0.75=2,0.75..1=3"),
    ],
)
def test_a_map_is_suggested_from_the_values_of_a_file(values, suggested):
    assert suggested_map(dict.fromkeys(values, 1), 0, 3) == suggested
