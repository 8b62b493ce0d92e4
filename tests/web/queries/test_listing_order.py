"""Ids come in the order that people expect."""

import pytest

from app.web.queries.listing import by_number


@pytest.mark.parametrize(
    "ids",
    [
        ["1", "2", "10", "225"],
        ["q2", "q10", "q10a", "q10b", "q11"],
        ["a", "b", "ä"],
        ["2024-9", "2024-10"],
        ["1" * 499, "1" * 500],
    ],
)
def test_numbers_in_ids_are_compared_as_numbers(ids):
    assert sorted(sorted(ids, reverse=True), key=by_number) == ids
