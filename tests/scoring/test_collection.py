import numpy as np
import pytest

from app.scoring.bounds import ndcg_bounds
from app.scoring.evaluate import evaluate
from app.scoring.means import means_of
from app.scoring.measures import parse_measures
from app.scoring.ruler import ScoringRuler
from tests.scoring.collected import collected


def lines(*rows):
    return tuple(np.array(rows, dtype=np.int64).reshape(-1, len(rows[0])).T)


JUDGMENTS = lines((0, 5, 3), (0, 6, 0), (1, 5, 1))
RUN = lines((0, 6), (0, 5), (0, 9), (1, 8))


def test_lines_become_lists_and_judged_items():
    held = collected(JUDGMENTS, [RUN], ScoringRuler(), queries=2, pool_depth=2)

    values = evaluate(parse_measures("RR judged@10"), held.lists, held.judged)

    assert values["RR"].tolist() == [[0.5, 0.0]]
    assert values["judged@10"].tolist() == [[2 / 3, 0.0]]


def test_the_pool_reaches_down_to_its_depth_and_what_lies_below_is_not_open():
    shallow = collected(JUDGMENTS, [RUN], ScoringRuler(), queries=2, pool_depth=1)
    deep = collected(JUDGMENTS, [RUN], ScoringRuler(), queries=2, pool_depth=3)

    assert shallow.judged.open_counts.tolist() == [0, 1]
    assert deep.judged.open_counts.tolist() == [1, 1]
    high = [ndcg_bounds(held.lists, held.judged, 3).high[0, 0] for held in (shallow, deep)]
    assert high[0] < high[1]


def test_without_a_pool_a_grade_below_the_scale_is_pooled_and_open():
    held = collected(lines((0, 5, 3), (0, 6, -1)), [RUN], ScoringRuler(), queries=2)

    assert held.judged.open_counts.tolist() == [1, 0]
    assert held.judged.pooled.tolist() == [True, True]


def test_a_grade_outside_every_list_belongs_to_the_ideal_and_not_to_the_pool():
    held = collected(lines((0, 77, 3)), [RUN], ScoringRuler(), queries=2, pool_depth=2)

    assert held.judged.pooled[held.judged.judged].tolist() == [False]
    assert held.judged.scored.tolist() == [True, False]


@pytest.mark.parametrize(("covering", "mean"), [(False, 0.5), (True, 1.0)])
def test_a_judged_query_missing_from_a_run_counts_as_zero_unless_only_listed_queries_count(covering, mean):
    held = collected(lines((0, 1, 1), (1, 1, 1)), [lines((0, 1))], ScoringRuler(highest=1), queries=2)
    values = evaluate(parse_measures("AP"), held.lists, held.judged)["AP"]

    counted = held.judged.scored & held.covered if covering else held.judged.scored

    assert means_of(values, counted) == [mean]


def test_a_query_in_the_run_without_judgments_is_never_counted():
    held = collected(lines((0, 1, 1)), [lines((0, 1), (1, 1))], ScoringRuler(highest=1), queries=2)

    assert held.judged.scored.tolist() == [True, False]


def test_a_judgment_repeated_with_the_same_grade_says_nothing_new():
    twice = tuple(np.append(column, column) for column in JUDGMENTS)
    once, again = (collected(one, [RUN], ScoringRuler(), queries=2) for one in (JUDGMENTS, twice))

    assert again.judged.level_counts.tolist() == once.judged.level_counts.tolist()
