import numpy as np
import pytest

from app.scoring.evaluate import evaluate
from app.scoring.lists import Lists
from app.scoring.means import means_of
from app.scoring.measures import MEASURES, parse_measure, parse_measures
from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection
from tests.scoring.test_trec_eval import generated

ALL = [
    parse_measure(name)
    for measure in MEASURES
    for name in ([measure.name] if measure.takes != "cutoff" else []) + (
        [f"{measure.name}@7"] if measure.takes.startswith("cutoff") else []
    )
]  # fmt: skip


def made(**choices):
    qrels, runs = generated(5)
    return collection(qrels, runs, ScoringRuler(**choices), pool_depth=5)


@pytest.mark.parametrize(
    "choices", [{}, {"ideal": "returned"}, {"ideal": "maximum"}, {"unjudged": "condensed"}]
)
def test_small_blocks_give_the_same_bits_as_one_large_one(monkeypatch, choices):
    held = made(**choices)
    asked = [one for one in ALL if not one.is_endless(held.judged.ruler)]
    at_once = evaluate(asked, held.lists, held.judged)

    monkeypatch.setattr("app.scoring.evaluate.BLOCK", 7)
    in_blocks = evaluate(asked, held.lists, held.judged)

    for one in asked:
        assert np.array_equal(at_once[one.label], in_blocks[one.label], equal_nan=True), one.label


def test_positions_of_either_width_give_the_same_bits():
    held = made()
    narrow = Lists(held.lists.positions.astype(np.int32), held.lists.lengths.astype(np.int32))

    wide, small = evaluate(ALL, held.lists, held.judged), evaluate(ALL, narrow, held.judged)

    for one in ALL:
        assert np.array_equal(wide[one.label], small[one.label], equal_nan=True), one.label


def test_asking_for_one_measure_or_for_all_gives_the_same_bits():
    held = made()
    together = evaluate(ALL, held.lists, held.judged)

    for one in ALL:
        assert np.array_equal(held.values(one.label), together[one.label], equal_nan=True), one.label


@pytest.mark.parametrize("name", ["nDCG", "condensed-nDCG"])
def test_an_ideal_of_highest_grades_wants_a_cutoff(name):
    with pytest.raises(ValueError, match="a cutoff is needed"):
        made(ideal="maximum").values(name)


def test_looking_deeper_than_the_lists_are_loaded_is_refused():
    held = made()
    shallow = held.lists.cut(5)

    assert evaluate(parse_measures("P@5"), shallow, held.judged)
    for name in ("P@6", "AP", "condensed-nDCG@5", "RBP(.8)"):
        with pytest.raises(ValueError, match="the 5 ranks that are loaded"):
            evaluate(parse_measures(name), shallow, held.judged)


def test_a_cutoff_beyond_every_list_needs_no_more_than_the_lists():
    held = made()

    assert np.array_equal(held.values("nDCG@1000"), held.values("nDCG"), equal_nan=True)


def test_a_query_later_than_the_run_stays_out_of_its_mean():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    held = collection(qrels, [{"q1": {"a": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}}], ScoringRuler(highest=1))
    values = held.values("RR")
    covered = np.array([[True, False], [True, True]])

    assert means_of(values, held.judged.scored & covered) == [1.0, 0.25]


def test_no_scored_query_means_no_number():
    held = collection({"q": {"a": 0}}, [{"q": {"a": 1.0}}])

    assert means_of(held.values("nDCG@10"), held.judged.scored) == [None]


def test_later_occurrences_of_a_merged_document_keep_their_rank_and_earn_nothing():
    from tests.scoring.collected import judged_grades, lists_in, union_of

    items = union_of(np.array([0, 0]), np.array([1, 2]))
    judged = judged_grades(np.array([3, 1]), items.query, ScoringRuler(), queries=1)
    lists = lists_in(np.array([[[1]], [[1]], [[2]]]), items)

    got = {
        name: evaluate(parse_measures(name), lists, judged)[name][0, 0]
        for name in ("DCG@3", "judged@3", "P@3")
    }

    assert got == {"DCG@3": 3.5, "judged@3": 1.0, "P@3": 2 / 3}


def test_nothing_to_score_gives_empty_tables():
    held = collection({}, [], ScoringRuler())

    assert evaluate(parse_measures("nDCG@10 AP"), held.lists, held.judged)["AP"].shape == (0, 0)


def test_some_queries_alone_have_the_bits_they_have_among_all():
    held = made()
    everything = evaluate(ALL, held.lists, held.judged)
    chosen = np.array([2, 3, 11, 20])

    lists = Lists(held.lists.positions[:, :, chosen], held.lists.lengths[:, chosen])
    some = evaluate(ALL, lists, held.judged, chosen)

    for one in ALL:
        assert np.array_equal(some[one.label], everything[one.label][:, chosen], equal_nan=True), one.label


def test_a_list_without_gain_scores_0_where_the_ideal_is_its_own():
    held = collection(
        {"q1": {"a": 2}}, [{"q1": {"b": 1.0}}, {"q1": {"a": 1.0}}], ScoringRuler(ideal="returned")
    )

    assert held.values("nDCG@10").tolist() == [[0.0], [1.0]]
