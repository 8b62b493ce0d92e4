"""Many lines are remembered in little memory, whatever their order."""

from __future__ import annotations

import tracemalloc

import pytest

from app.formats.errors import BadValueError
from app.formats.repeats import Repeats
from app.formats.rows import JudgmentRow

LINES = 10_000


def row(number, grade=1):
    return JudgmentRow(f"q{number % 50}", f"d{number}", None, grade)


def remembering():
    return Repeats(("query_id", "document_id", "annotator"), ("grade", "reason", "judged_at"))


def test_every_line_is_found_again_and_a_contradiction_names_the_first():
    repeats = remembering()

    assert all(repeats.is_new(row(number), number) for number in range(5_000))
    assert not any(repeats.is_new(row(number), 9_999) for number in range(5_000))
    for number in (0, 1, 4_999):
        with pytest.raises(BadValueError, match=f"line {number} has the same id and other content"):
            repeats.is_new(row(number, grade=2), 9_999)
    assert repeats.is_new(row(5_000), 5_000)


@pytest.mark.thorough
def test_a_line_takes_less_than_80_bytes():
    repeats = remembering()
    tracemalloc.start()
    try:
        for number in range(LINES):
            repeats.is_new(row(number), number)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak / LINES < 80
