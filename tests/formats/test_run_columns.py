from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.formats.errors import ProblemLog
from app.formats.run_columns import ColumnBuilder
from app.formats.source import Source

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 2), st.sampled_from((0.5, 1.5)))
)


def columns_of(rows):
    log = ProblemLog()
    builder = ColumnBuilder()
    for line, row in enumerate(rows, 1):
        builder.add(line, *row)
    return builder.columns(Source(b"", "x", log)), log


@given(ROWS)
def test_repeats_and_contradictions_are_those_of_a_plain_dictionary(rows):
    first = {}
    contradictions, repeats = [], 0
    for line, (query, document, rank, score) in enumerate(rows, 1):
        if (query, document) not in first:
            first[query, document] = rank, score
        elif first[query, document] == (rank, score):
            repeats += 1
        else:
            contradictions.append(line)

    _, log = columns_of(rows)

    assert sorted(problem.line for problem in log.problems) == contradictions
    assert log.left_out["repeated"] == repeats


@given(ROWS)
def test_groups_cover_every_line_once_in_file_order(rows):
    rows = [(query, f"d{at}", rank, score) for at, (query, _, rank, score) in enumerate(rows)]

    run, log = columns_of(rows)

    assert log.total == 0
    assert run.lines == len(rows)
    for query, ends in zip(run.query_ids, pairwise(run.starts), strict=True):
        part = slice(*ends)
        lines = [line for line, row in enumerate(rows, 1) if row[0] == query]
        assert list(run.line[part]) == lines
        assert {run.query_ids[at] for at in run.query_index[part]} == {query}
    assert run.starts[-1] == len(rows)
