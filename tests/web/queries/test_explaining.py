"""The numbers of a working as they are shown: small ones are not shown as nothing, and the column adds up."""

from __future__ import annotations

import pytest

from app.scoring.discounts import discounts
from app.scoring.worked import Known, Listed, worked_measure
from app.web.queries.explaining import Explained


def explained(ranks: int, good: set[int]) -> Explained:
    listed = [Listed(3.0, 3.0, 3, 0.9) if rank in good else Listed(0.0, 0.0, 2, 0.0) for rank in range(ranks)]
    known = Known(k=10, relevant=1, nonrelevant=1, highest=3.0, discounts=discounts("log2", 10), ndcg=0.0)
    worked = worked_measure("RBP", listed, known)
    return Explained(None, False, "RBP", None, worked, [], [], {})


@pytest.mark.parametrize(
    ("good", "digits"), [({0}, 3), ({0, 9}, 3), ({0, 19}, 4), ({2, 29}, 5), ({0, 39, 99}, 6)]
)
def test_two_digits_show_of_the_smallest_step_and_the_column_adds_up(good: set[int], digits: int) -> None:
    shown = explained(100, good)
    assert shown.worked is not None
    adds = [shown.number(step.adds) for step in shown.worked.steps]

    assert shown.digits == digits
    assert all(set(text) - set("0.<  ") for text in adds)
    total = sum(float(text.removeprefix("< ")) for text in adds)
    assert total == pytest.approx(shown.worked.total, abs=len(adds) * 10.0**-digits)


def test_what_is_too_small_to_show_is_said_to_be_small() -> None:
    shown = explained(100, {0, 99})

    assert shown.number(0.2 * 0.8**99) == "< 0.000001"
    assert shown.number(0.0) == "0.000000"
