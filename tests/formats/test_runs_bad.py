"""A corpus of bad runs for each format: each file is refused, with line and code."""

import pytest

from tests.formats.bad import BAD_IDS, BAD_RANKS, BAD_SCORES
from tests.formats.bad_runs import BAD_LINES
from tests.formats.made import FORMATS, file_of, line_of
from tests.formats.reading import found


def bad_values():
    for name in FORMATS:
        for what, corpus in (
            ("query", BAD_IDS),
            ("document", BAD_IDS),
            ("rank", BAD_RANKS),
            ("score", BAD_SCORES),
        ):
            for label, (value, code) in corpus.items():
                yield pytest.param(name, what, value, code, id=f"{name} {what} {label}"[:60])


@pytest.mark.thorough
@pytest.mark.parametrize(("format", "what", "value", "code"), list(bad_values()))
def test_a_bad_value_is_refused_with_its_line_and_code(format, what, value, code):
    if format in {"csv", "tsv"}:
        # The blanks at the ends of a cell are trimmed; nothing else is.
        assert value == value.strip(" \t")
    if format == "jsonl" and "\x00" in value:
        code = "json-text"
    data, line = file_of(format, line_of(format, **{what: value}))

    assert found("run", data, format) == [(line, code)]


@pytest.mark.parametrize(
    ("format", "bad", "code"),
    [
        pytest.param(name, bad, code, id=f"{name} {label}")
        for name, lines in BAD_LINES.items()
        for label, (bad, code) in lines.items()
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_code(format, bad, code):
    data, line = file_of(format, "@@@")
    data = data.encode().replace(b"@@@", bad if isinstance(bad, bytes) else bad.encode())

    problems = found("run", data, format)

    assert problems[0] == (line, code)
    assert {number for number, _ in problems} == {line}


@pytest.mark.parametrize("format", FORMATS)
def test_the_corpus_of_bad_files_has_at_least_sixty_for_each_format(format):
    values = len(BAD_IDS) * 2 + len(BAD_RANKS) + len(BAD_SCORES)

    assert values + len(BAD_LINES[format]) >= 60


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("query_id,doc_id\nq1,d1\n", (1, "header")),
        ("query_id,score\nq1,1\n", (1, "header")),
        ("doc_id,score\nd1,1\n", (1, "header")),
        ("qeury,document,points\nq1,d1,1\n", (1, "header")),
        ("query_id,doc_id,score,score\nq1,d1,1,2\n", (1, "header")),
        ("query_id,doc_id,score\n", (None, "empty")),
        ('query_id,doc_id,score\nq1,"d1,1\nq1,d2,1\n', (2, "csv")),
        ('query_id,doc_id,score\nq1,"' + "d1,1\n" * 300_000, (2, "csv")),
        ("query_id,doc_id,rank\nq1,d1,1\nq1,d2,1\n", (3, "rank-twice")),
        ("query_id,doc_id,rank,score\nq1,d1,1,\nq1,d2,2,5\n", (3, "order")),
        ('[["q1", "d1", 1]]', (None, "format")),
        ("something else\n", (1, "columns")),
    ],
)
@pytest.mark.thorough
def test_a_file_that_fits_no_shape_is_refused(data, problem):
    assert found("run", data)[0] == problem
