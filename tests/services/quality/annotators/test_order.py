"""The order report on ratings whose effect of place is known, and its proof on orders that are."""

import numpy as np
import pytest

from app.models import Origin
from app.scoring.order_effect import Shown, order_effect_of
from app.scoring.seeds import seed_of
from app.services.quality.annotator_profiles import NO_BLOCK, shown_of


@pytest.fixture
def shown_batches(panel):
    """Return what lets people rate all answers in batches of four whose places are drawn by `order`."""

    def rate(order, grade):
        for number, person in enumerate((panel.ada, panel.bo, panel.cy)):
            for query in range(12):
                for place, answer in enumerate(order(number * 12 + query), start=1):
                    at = {"place": place, "length": 4, "batch": number * 12 + query + 1}
                    panel.say(person, query, answer, grade(place, answer), **at)
        return panel.rated()

    return rate


def random_order(number):
    return np.random.default_rng(number).permutation(4).tolist()


def test_below_two_hundred_ratings_nothing_is_found_whatever_the_grades(shown_batches):
    report = shown_batches(random_order, lambda place, _: place - 1).order

    assert report.effect.finding == "not enough ratings"
    assert (report.effect.ratings, report.effect.blocks, report.effect.annotators) == (144, 36, 3)


def test_the_report_is_that_of_the_engine(shown_batches):
    rated = shown_batches(random_order, lambda place, answer: (answer + (place > 2)) % 4)

    rows = np.arange(144)
    candidate_index, column = rated.given.candidate_index, rated.given.column
    places = np.tile(np.arange(1, 5), 36)
    by_hand = Shown(rated.given.annotator, candidate_index, rows // 4, places, column.astype(float))
    seed = seed_of("order", rated.evidence.project_id, 144)
    assert rated.order.effect == order_effect_of(by_hand, seed=seed)


@pytest.mark.parametrize("panel", [4], indirect=True)
def test_the_proof_tells_a_random_order_from_that_of_a_ranker(shown_batches):
    drawn = shown_batches(random_order, lambda _, answer: answer).order
    assert [run.ranker for run, _ in drawn.proofs] == ["Up", "Down"]
    assert [(proof.answers, proof.is_inside) for _, proof in drawn.proofs] == [(144, True)] * 2
    assert drawn.level == 0.975


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("panel", [4], indirect=True)
def test_answers_shown_in_the_order_of_a_ranker_are_told(shown_batches):
    leaked = shown_batches(lambda _: [0, 1, 2, 3], lambda _, answer: answer).order
    assert [(proof.correlation, proof.is_inside) for _, proof in leaked.proofs] == [
        (pytest.approx(1.0), False),
        (pytest.approx(-1.0), False),
    ]


def test_below_a_hundred_ranked_answers_nothing_is_proved(shown_batches):
    report = shown_batches(random_order, lambda _, answer: answer).order
    # Scores read two answers of each list, so of four shown together two are ranked.
    assert [(proof.answers, proof.is_inside) for _, proof in report.proofs] == [(72, None)] * 2


def test_what_was_not_shown_in_a_batch_only_serves_as_the_grade_of_others(panel):
    panel.say(panel.ada, 0, 0, 2, place=1, length=2, batch=7)
    panel.say(panel.ada, 0, 1, 1, place=2, length=2, batch=7)
    panel.say(panel.bo, 0, 0, 3)
    panel.say(panel.bo, 1, 0, 3, place=1, length=1, batch=8, role=Origin.GOLD)

    rated = panel.rated()
    shown = shown_of(rated.given.only(rated.given.graded), rated.sheet)

    assert shown.block.tolist() == [7, 7, NO_BLOCK]
    assert (rated.order.effect.ratings, rated.order.effect.blocks) == (2, 1)
