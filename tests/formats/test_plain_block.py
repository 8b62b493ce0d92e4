"""Which blocks are plain, and what is read of their cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.plain_block import LONGEST_ID, plain_block

CELLS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=LONGEST_ID)
TABLES = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=6)
)


def written(table, gap=" ", end="\n"):
    return "".join(gap.join(row) + end for row in table).encode()


@given(TABLES, st.sampled_from([" ", "\t"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_cell_of_a_plain_block_is_found(table, gap, end, with_last_end):
    data = written(table, gap, end)

    block = plain_block(data if with_last_end else data.removesuffix(end.encode()), len(table[0]))

    assert block.lines == len(table)
    for column in range(len(table[0])):
        cells = [row[column] for row in table]
        assert block.texts(column, np.arange(len(table))) == cells
        assert block.ids(column).texts(range(len(table))) == cells


@pytest.mark.parametrize(
    "data",
    [
        "a b\nc\n",
        "a b\nc d e\n",
        "a\nb c d\n",
        "a  b\n",
        " a b\n",
        "a b \n",
        "a b\n\nc d\n",
        "\na b\n",
        "a b\rc d\n",
        "a b\r\r\n",
        "a\x00b c\n",
        "a\x0bb\n",
        "a \x7f\n",
        "ä b\n",
        "a b" + "c" * 1_000_001 + "\n",
        "\n",
        "",
    ],
)
def test_whatever_is_odd_is_left_to_the_other_readers(data):
    assert plain_block(data.encode(), 2) is None


def test_an_id_of_more_than_32_bytes_is_left_to_the_other_readers():
    block = plain_block(b"a " + b"x" * 33 + b"\n", 2)

    assert block.ids(1) is None
    assert block.ids(0).texts([0]) == ["a"]


def test_one_text_for_a_whole_column_is_recognised():
    block = plain_block(b"a tag\nb tag\nc tag\n", 2)

    assert block.only_text(1) == "tag"
    assert block.only_text(0) is None
