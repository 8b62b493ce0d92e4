"""Agreement appears from its sample rules on, and is that of the engine; drift is told week by week."""

import krippendorff
import numpy as np
import pytest

from app.models import Origin
from app.services.quality.annotators import agreement_sentence
from tests.services.quality.annotators.conftest import at


def both_rate(panel, items, other=lambda number: number % 4):
    for number in range(items):
        query, answer = divmod(number, 4)
        panel.say(panel.ada, query, answer, number % 4)
        panel.say(panel.bo, query, answer, other(number))


def test_nothing_is_said_under_thirty_answers(panel):
    both_rate(panel, 29)

    found = panel.rated().agreements.overall

    assert (found.stage, found.alpha, found.items) == ("too few", None, 29)
    assert agreement_sentence(found) == (
        "29 answers have ratings by two annotators so far: agreement needs 30."
    )


def test_from_thirty_on_it_is_early_with_an_interval_and_extra_ratings_stay_out(panel):
    both_rate(panel, 36, lambda number: min(3, number % 4 + (number % 3 == 0)))
    for number in range(36):
        panel.say(panel.cy, *divmod(number, 4), 0, role=Origin.EXTRA)
    for number in range(36):
        panel.say(panel.cy, *divmod(number, 4), 0, role=Origin.MACHINE)

    found = panel.rated().agreements.overall

    table = np.array([[n % 4, min(3, n % 4 + (n % 3 == 0))] for n in range(36)]).T
    assert found.alpha == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))
    assert (found.stage, found.items, found.annotators) == ("early", 36, 2)
    assert found.low < found.alpha < found.high
    assert agreement_sentence(found).endswith("Early result: fewer than 100 answers have two ratings.")


def test_equal_grades_are_no_agreement_and_a_pair_needs_fifty(panel):
    both_rate(panel, 48, lambda number: number % 4)
    pairs = panel.rated().agreements.pairs_of(panel.bo.id)
    assert [(other, pair.shared, pair.kappa) for other, pair in pairs] == [(panel.ada.id, 48, None)]


def test_where_nothing_varies_nothing_is_defined(panel):
    for number in range(30):
        panel.say(panel.ada, *divmod(number, 4), 2)
        panel.say(panel.bo, *divmod(number, 4), 2)

    found = panel.rated().agreements.overall

    assert (found.stage, found.alpha) == ("no variation", None)
    assert "cannot be computed" in agreement_sentence(found)


def test_a_drift_is_told_week_by_week_from_twenty_shared_answers_on(panel):
    for number in range(48):
        query, answer = divmod(number, 4)
        later = number >= 24
        panel.say(panel.ada, query, answer, 3 if later else 1, **at(int(later), number))
        panel.say(panel.bo, query, answer, 1, **at(0, number))

    drifts = panel.rated().drifts

    ada = drifts[panel.ada.id]
    assert ada.drift.number.tolist() == [24, 24]
    assert ada.drift.mean.tolist() == [0.0, 2.0]
    assert [second % (7 * 86_400) for second in ada.mondays] == [4 * 86_400] * 2
    assert (ada.adjusted, ada.is_found) == (1 / 2_000, True)
    # All of Bo's own grades were given in one week.
    assert drifts[panel.bo.id].drift.p is None
    assert not drifts[panel.bo.id].is_found
