"""What must hold for the fold of the ledger whatever happened in it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.means import means_of
from app.scoring.ruler import ScoringRuler
from tests.scoring.drawn import cutoffs, judgments, ranked
from tests.scoring.made import collection
from tests.scoring.plain_fold import changes_of, counts_of, part

ITEMS, GRADES = 4, 3
ratings = st.lists(
    st.tuples(st.integers(0, ITEMS - 1), st.integers(0, 2), st.integers(-1, GRADES - 1)), max_size=25
)


def folded(rows):
    item, annotator, column = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return counts_of(changes_of(item, annotator, column), ITEMS, GRADES)


def held_at_the_end(rows):
    """Return the counts by the plain rule: the latest grade of each annotator for each item."""
    latest = {(item, annotator): column for item, annotator, column in rows}
    counts = np.zeros((ITEMS, GRADES), dtype=int)
    for (item, _), column in latest.items():
        if column >= 0:
            counts[item, column] += 1
    return counts


@given(ratings)
def test_the_latest_grade_of_each_annotator_counts(rows):
    assert folded(rows).tolist() == held_at_the_end(rows).tolist()


@given(ratings, st.randoms())
def test_shuffling_events_and_restoring_them_by_revision_gives_the_same_fold(rows, random):
    shuffled = list(enumerate(rows))
    random.shuffle(shuffled)

    assert folded([row for _, row in sorted(shuffled)]).tolist() == folded(rows).tolist()


@given(ratings)
def test_events_of_different_items_may_change_places(rows):
    by_item = sorted(rows, key=lambda row: row[0])

    assert folded(by_item).tolist() == folded(rows).tolist()


@given(ratings, st.integers(0, 25))
def test_folding_in_two_steps_is_folding_at_once(rows, cut):
    item, annotator, column = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    changes = changes_of(item, annotator, column)

    before = counts_of(part(changes, 0, cut), ITEMS, GRADES)
    after = counts_of(part(changes, cut, len(changes.item)), ITEMS, GRADES)

    assert (before + after).tolist() == folded(rows).tolist()
    assert (before >= 0).all()


@given(ratings, st.integers(0, ITEMS - 1), st.integers(0, GRADES - 1), st.integers(0, 25), st.integers(0, 25))
def test_a_grade_taken_back_at_any_time_is_as_if_never_given(rows, item, column, given_at, taken_at):
    newcomer, first, last = 9, *sorted((given_at, taken_at))
    with_both = [
        *rows[:first],
        (item, newcomer, column),
        *rows[first:last],
        (item, newcomer, -1),
        *rows[last:],
    ]

    assert folded(with_both).tolist() == folded(rows).tolist()


@given(judgments(), ranked(), cutoffs)
def test_an_ungraded_document_that_joins_the_pool_moves_no_score(qrels, run, cutoff):
    joined = {query: row | {"new": -1} for query, row in qrels.items()}
    runs = [run, {query: {"new": 1.0} for query in qrels}]

    before, after = collection(qrels, runs, ScoringRuler()), collection(joined, runs, ScoringRuler())

    assert np.array_equal(before.values(f"nDCG@{cutoff}"), after.values(f"nDCG@{cutoff}"), equal_nan=True)


@given(judgments(), judgments(("q3",), lowest=0), ranked(), cutoffs)
def test_a_query_added_later_moves_no_score_of_a_run_that_does_not_cover_it(qrels, later, run, cutoff):
    before = collection(qrels, [run], ScoringRuler())
    after = collection(qrels | later, [run], ScoringRuler())
    covered = np.array([[query in qrels for query in after.queries]])

    old = means_of(before.values(f"nDCG@{cutoff}"), before.judged.scored)
    new = means_of(after.values(f"nDCG@{cutoff}"), after.judged.scored & covered)

    assert old == new
