import itertools

import numpy as np
import pytest

from app.scoring.ranking import disagreeing_lists, order_by_rank, order_by_score


def ordered(lines, **choices):
    """Return the ids in the order that counts: lines are (query, id, score)."""
    query = np.array([line[0] for line in lines], dtype=np.int64)
    score = np.array([line[2] for line in lines], dtype=np.float64)
    order = order_by_score(query, score, [line[1] for line in lines], **choices)
    assert order.of(query).tolist() == query[order.lines].tolist()
    assert not order.as_given or order.lines.tolist() == list(range(len(lines)))
    return [lines[line][1] for line in order.lines], order.tied_lines


def test_higher_scores_come_first_within_each_query():
    ids, tied = ordered([(1, "a", 1.0), (0, "b", 2.0), (1, "c", 3.0), (0, "d", 2.5)])

    assert ids == ["d", "b", "c", "a"]
    assert tied == 0


def test_equal_scores_follow_the_id_downwards_by_its_bytes():
    ids, tied = ordered([(0, name, 1.0) for name in ["a", "Z", "é", "10", "9", "\U0001f600", "\uffee"]])

    assert ids == sorted(ids, key=lambda name: name.encode(), reverse=True)
    assert tied == 6


def test_minus_zero_ties_with_zero():
    ids, tied = ordered([(0, "a", 0.0), (0, "b", -0.0)])

    assert ids == ["b", "a"]
    assert tied == 1


def test_only_single_precision_takes_nearly_equal_scores_as_tied():
    lines = [(0, "x", 16777217.0), (0, "y", 16777216.0)]

    assert ordered(lines) == (["x", "y"], 0)
    assert ordered(lines, single_precision=True) == (["y", "x"], 1)


def test_a_file_that_is_already_in_order_and_its_shuffled_lines_give_the_same_lists():
    rng = np.random.default_rng(1)
    lines = [(q, f"d{n}", float(-n)) for q in range(5) for n in range(20)]
    shuffled = [lines[n] for n in rng.permutation(len(lines))]

    assert ordered(lines) == ordered(shuffled)


def test_ties_of_different_queries_or_scores_do_not_mix():
    lines = [(0, "a", 2.0), (0, "b", 2.0), (0, "z", 1.0), (0, "y", 1.0), (1, "a", 1.0), (1, "c", 1.0)]

    assert ordered(lines) == (["b", "a", "z", "y", "c", "a"], 3)


def test_without_scores_the_rank_decides_and_equal_ranks_follow_the_same_rule():
    query, rank = np.zeros(4, dtype=np.int64), np.array([3, 1, 2, 2])

    order = order_by_rank(query, rank, ["a", "b", "c", "d"])

    assert order.lines.tolist() == [1, 3, 2, 0]
    assert order.tied_lines == 1


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_a_score_without_a_place_in_an_order_is_refused_with_its_line(score):
    with pytest.raises(ValueError, match="line 2"):
        ordered([(0, "a", 1.0), (0, "b", score)])


def test_lists_whose_rank_column_contradicts_the_order_are_counted_once_each():
    query = np.array([0, 0, 0, 1, 1, 2, 2])
    rank = np.array([1, 3, 2, 0, 1, 5, 5])

    assert disagreeing_lists(query, rank) == 2
    assert disagreeing_lists(query[:0], rank[:0]) == 0


def test_an_empty_run_has_an_empty_order():
    assert ordered([]) == ([], 0)


@pytest.mark.parametrize("queries", [1, 4, 30])
@pytest.mark.parametrize("spread", [2, 5, 1000])
@pytest.mark.parametrize("grouped", [True, False])
def test_some_lists_in_order_and_some_not_all_follow_the_one_rule(queries, spread, grouped):
    rng = np.random.default_rng(spread)
    query = rng.integers(0, queries, 200)
    lines = [
        (int(q), f"d{n}", float(rng.integers(0, spread)))
        for n, q in enumerate(np.sort(query) if grouped else query)
    ]
    # Every other list is brought into order, as most files are.
    for q in range(0, queries, 2):
        mine = [place for place, line in enumerate(lines) if line[0] == q]
        for place, score in zip(mine, range(len(mine), 0, -1), strict=True):
            lines[place] = (q, lines[place][1], float(score))

    ids, tied = ordered(lines)

    expected = sorted(lines, key=lambda line: (line[2], line[1].encode()), reverse=True)
    expected.sort(key=lambda line: line[0])
    assert ids == [line[1] for line in expected]
    assert tied == sum(a[0] == b[0] and a[2] == b[2] for a, b in itertools.pairwise(expected))
