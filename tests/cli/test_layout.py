"""Lines and tables of commands fit the terminal, and lose nothing for it."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.layout import aligned, terminal_width, wrapped

words = st.text("abcdefghij0123456789.-", min_size=1, max_size=12)
tables = st.integers(2, 9).flatmap(
    lambda columns: st.lists(st.lists(words, min_size=columns, max_size=columns), min_size=1, max_size=4)
)


@given(tables, st.integers(30, 90))
def test_columns_without_room_go_on_below_and_every_cell_is_there_once(rows, width):
    lines = aligned(rows, width)

    parts = "\n".join(lines).split("\n\n")
    tables = [[line.split() for line in part.splitlines()] for part in parts]
    assert all(len(line) <= width for line in lines)
    for number, row in enumerate(rows):
        assert all(table[number][0] == row[0] for table in tables)
        assert [cell for table in tables for cell in table[number][1:]] == row[1:]
    # A further table is begun only where the next column had no room.
    place = 1
    for part, table in zip(parts[:-1], tables[:-1], strict=True):
        place += len(table[0]) - 1
        assert len(part.splitlines()[0]) + 2 + max(len(row[place]) for row in rows) > width


def test_a_range_stays_beside_the_score_that_it_belongs_to():
    rows = [["run", "nDCG@10", "low to high", "queries"], ["a", "0.3", "0.1 to 0.5", "7"]]

    assert aligned(rows, 22, together={2}) == [
        "run  nDCG@10  low to high",
        "a        0.3   0.1 to 0.5",
        "",
        "run  queries",
        "a          7",
    ]


@given(st.lists(words, min_size=1, max_size=40), st.sampled_from(["", "  "]), st.integers(20, 90))
def test_text_is_broken_between_words_and_goes_on_further_in(said, indent, width):
    lines = wrapped([indent + " ".join(said)], width)

    assert " ".join(lines).split() == said
    assert all(len(line) <= width for line in lines)
    assert lines[0].startswith(indent)
    assert all(line.startswith(f"{indent}  ") for line in lines[1:])


@pytest.mark.parametrize(
    ("is_terminal", "columns", "width"), [(False, "120", 80), (True, "120", 120), (True, "9", 40)]
)
def test_the_width_is_that_of_the_terminal_and_80_elsewhere(monkeypatch, is_terminal, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)

    assert terminal_width() == width
